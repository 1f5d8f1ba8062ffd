import { readdirSync } from 'node:fs'

/** Every way to write a character beyond ASCII in UTF-8, or any other byte by itself. */
const CHARACTERS =
  /[\xc2-\xdf][\x80-\xbf]|\xe0[\xa0-\xbf][\x80-\xbf]|[\xe1-\xec\xee\xef][\x80-\xbf]{2}|\xed[\x80-\x9f][\x80-\xbf]|\xf0[\x90-\xbf][\x80-\xbf]{2}|[\xf1-\xf3][\x80-\xbf]{3}|\xf4[\x80-\x8f][\x80-\xbf]{2}|[\x80-\xff]/g
/** A low surrogate without its high one: no UTF-8 gives that, so it can hold a byte. */
const BYTE = /((?<![\ud800-\udbff])[\udc80-\udcff])/

/**
 * Names of files as text, without loss: names are bytes and need not be UTF-8. A byte that is not becomes a lone
 * surrogate, as in Python, so that two names never become one and `fsPath` gives the bytes back.
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

/** The path of a name that `decodeNames` gave, as the functions of node:fs take it. */
export function fsPath(path: string): string | Buffer {
  if (!BYTE.test(path)) return path
  const parts = path.split(BYTE)
  return Buffer.concat(
    parts.map((part, at) => (at % 2 === 1 ? Buffer.of(part.charCodeAt(0) - 0xdc00) : Buffer.from(part))),
  )
}

/** What is in a folder; nothing where it may not be read. */
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
