const CSI = /\u001B\[[0-?]*[ -/]*[@-~]/g
const OSC = /\u001B\][^\u0007\u001B]*(?:\u0007|\u001B\\)/g

/** Printed text as a person reads it: no colours, one kind of line end, no zero bytes of UTF-16 read as UTF-8. */
export function plain(output: string): string {
  return output
    .replace(/^\uFEFF/, '')
    .replaceAll('\u0000', '')
    .replace(OSC, '')
    .replace(CSI, '')
    .replace(/\r\n?/g, '\n')
}
