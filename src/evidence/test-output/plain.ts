const CSI = /\u001B\[[0-?]*[ -/]*[@-~]/g
const OSC = /\u001B\][^\u0007\u001B]*(?:\u0007|\u001B\\)/g
const OTHER_ESCAPES = /\u001B[ -/]*[0-Z\\^-~]/g

/** Printed text as a person reads it: no colours, one kind of line end, no zero bytes of UTF-16 read as UTF-8. */
export function plain(output: string): string {
  let text = output
  if (text.includes('\u0000')) text = text.replaceAll('\u0000', '')
  if (text.includes('\u001B')) text = text.replace(OSC, '').replace(CSI, '').replace(OTHER_ESCAPES, '')
  if (text.includes('\uFEFF')) text = text.replaceAll('\uFEFF', '')
  if (text.includes('\uFFFD')) text = text.replace(/^\uFFFD+/, '')
  if (text.includes('\r')) text = text.replace(/\r*\n|\r/g, '\n')
  return text
}
