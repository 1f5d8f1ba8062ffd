import { closeSync, openSync, readFileSync, renameSync, writeFileSync } from 'node:fs'

/**
 * A line of the list of copied files. Equal keys mean equal content. The rest is the stat of the copy, which a program that writes to
 * the file can't restore.
 */
export type Row = [path: string, key: string, size: number, mtimeMs: number, ctimeMs: number, ino: number]

const PART = 1024 * 1024

/** The lines of the list by path. They stay text, because 100,000 objects take several times the memory. */
export function readList(file: string): ReadonlyMap<string, string> {
  const lines = new Map<string, string>()
  try {
    const text = readFileSync(file, 'utf8')
    for (let at = 0, end = text.indexOf('\n'); end >= 0; at = end + 1, end = text.indexOf('\n', at)) {
      const line = text.slice(at, end)
      lines.set((JSON.parse(line) as Row)[0], line)
    }
    return lines
  } catch {
    return new Map()
  }
}

/** The next list, written in parts while files are copied. It replaces the old one if there is anything new. */
export class RoomList {
  readonly #file: string
  readonly #kept: Iterable<string>
  #fd: number | undefined
  #part = ''

  constructor(file: string, kept: Iterable<string>) {
    this.#file = file
    this.#kept = kept
  }

  add(row: Row): void {
    if (this.#fd === undefined) {
      this.#fd = openSync(`${this.#file}.new`, 'w', 0o600)
      for (const line of this.#kept) this.#write(line)
    }
    this.#write(JSON.stringify(row))
  }

  #write(line: string): void {
    this.#part += `${line}\n`
    if (this.#part.length >= PART) this.#flush()
  }

  #flush(): void {
    if (this.#fd !== undefined) writeFileSync(this.#fd, this.#part)
    this.#part = ''
  }

  /** Without this, the old list stays, and files that were copied since are copied again the next time. */
  keep(): void {
    if (this.#fd === undefined) return
    this.#flush()
    renameSync(`${this.#file}.new`, this.#file)
  }

  close(): void {
    if (this.#fd !== undefined) closeSync(this.#fd)
    this.#fd = undefined
  }
}
