import { readdirSync } from 'node:fs'

/** Matches a UTF-8 sequence beyond ASCII, or any other single byte. */
const CHARACTERS =
  /[\xc2-\xdf][\x80-\xbf]|\xe0[\xa0-\xbf][\x80-\xbf]|[\xe1-\xec\xee\xef][\x80-\xbf]{2}|\xed[\x80-\x9f][\x80-\xbf]|\xf0[\x90-\xbf][\x80-\xbf]{2}|[\xf1-\xf3][\x80-\xbf]{3}|\xf4[\x80-\x8f][\x80-\xbf]{2}|[\x80-\xff]/g
/** UTF-8 never produces a lone low surrogate, so it can represent a raw byte. */
const BYTE = /((?<![\ud800-\udbff])[\udc80-\udcff])/

/**
 * File names as text, without loss. Names are bytes and may not be UTF-8. Invalid bytes become lone surrogates, as in Python, so
 * that names stay distinct and `fsPath` can restore the bytes.
 */
export function decodeNames(bytes: Buffer): string {
  const text = bytes.toString('utf8')
  if (!text.includes('\ufffd')) return text
  return bytes
    .toString('latin1')
    .replace(CHARACTERS, (found) =>
      found.length > 1
        ? Buffer.from(found, 'latin1').toString('utf8')
        : String.fromCharCode(0xdc00 + found.charCodeAt(0)),
    )
}

/** The path of a name from `decodeNames`, for the functions of node:fs. */
export function fsPath(path: string): string | Buffer {
  if (!BYTE.test(path)) return path
  const parts = path.split(BYTE)
  return Buffer.concat(
    parts.map((part, at) => (at % 2 === 1 ? Buffer.of(part.charCodeAt(0) - 0xdc00) : Buffer.from(part))),
  )
}

/** The entries of a folder. Empty if it can't be read. */
export function entriesOf(folder: string): readonly { readonly name: string; readonly isDirectory: boolean }[] {
  try {
    const entries = readdirSync(fsPath(folder), { withFileTypes: true })
    if (!entries.some(({ name }) => name.includes('\ufffd'))) {
      return entries.map((entry) => ({ name: entry.name, isDirectory: entry.isDirectory() }))
    }
    const bytes = readdirSync(fsPath(folder), { withFileTypes: true, encoding: 'buffer' })
    return bytes.map((entry) => ({ name: decodeNames(entry.name), isDirectory: entry.isDirectory() }))
  } catch {
    return []
  }
}
