const SAMPLE = 8 * 1024

type Encoding = 'utf8' | 'utf16le' | 'utf16be'

/** A byte order mark decides. Without one, a zero in every other byte means UTF-16, and other zeros mean binary data. */
function encodingOf(bytes: Buffer): Encoding | undefined {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'utf16le'
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return 'utf16be'
  const sample = bytes.subarray(0, SAMPLE)
  if (!sample.includes(0)) return 'utf8'
  let even = 0
  let odd = 0
  for (let at = 0; at < sample.length; at += 1) if (sample[at] === 0) at % 2 === 0 ? even++ : odd++
  const half = Math.floor(sample.length / 2)
  if (half >= 2 && odd >= half * 0.6 && even <= half * 0.05) return 'utf16le'
  if (half >= 2 && even >= half * 0.6 && odd <= half * 0.05) return 'utf16be'
  return undefined
}

function decodeAs(bytes: Buffer, encoding: Encoding): string {
  if (encoding === 'utf8') return bytes.toString('utf8').replace(/^\uFEFF/, '')
  const whole = Buffer.from(bytes.subarray(0, bytes.length - (bytes.length % 2)))
  return (encoding === 'utf16be' ? whole.swap16() : whole).toString('utf16le').replace(/^\uFEFF/, '')
}

/** The text of a file without its byte order mark, or undefined if it isn't text. */
export function decodeText(bytes: Buffer): string | undefined {
  const encoding = encodingOf(bytes)
  return encoding === undefined ? undefined : decodeAs(bytes, encoding)
}

/** The output of a command, which always counts as text. */
export function decodeOutput(bytes: Buffer, like: Buffer = bytes): string {
  return decodeAs(bytes, encodingOf(like) ?? 'utf8')
}
