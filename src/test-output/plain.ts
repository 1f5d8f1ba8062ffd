import { unstamped } from './streams.ts'

const CSI = /\u001B\[[0-?]*[ -/]*[@-~]/g
const OSC = /\u001B\][^\u0007\u001B]*(?:\u0007|\u001B\\)/g
/** Back to the first column: what follows is written over the line, and is a line of its own for a reader. */
const TO_START = /\u001B\[1?G/g
const OTHER_ESCAPES = /\u001B[ -/]*[0-Z\\^-~]/g

/** Printed text as a person reads it: no colours, one kind of line end, no stamps of a CI system, no zero bytes of UTF-16. */
export function plain(output: string): string {
  let text = output
  if (text.includes('\u0000')) text = text.replaceAll('\u0000', '')
  if (text.includes('\u001B'))
    text = text.replace(OSC, '').replace(TO_START, '\n').replace(CSI, '').replace(OTHER_ESCAPES, '')
  if (text.includes('\uFEFF')) text = text.replaceAll('\uFEFF', '')
  if (text.includes('\uFFFD')) text = text.replace(/^\uFFFD+/, '')
  if (text.includes('\r')) text = text.replace(/\r*\n|\r/g, '\n')
  return unstamped(text.split('\n')).join('\n')
}
