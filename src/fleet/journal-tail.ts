import { closeSync, constants, fstatSync, readSync } from 'node:fs'
import { join } from 'node:path'
import type { State } from '../core/journal/events.ts'
import { reduce } from '../core/journal/reduce.ts'
import { readLine } from '../journal/lines.ts'
import { JOURNAL } from '../journal/load.ts'
import { openPlain } from '../system/files.ts'
import { FleetError } from './errors.ts'

export interface NewLines {
  readonly lines: readonly { readonly seq: number; readonly text: string }[]
  /** Call this once they are published; the next lines then start after these. */
  markPublished(): void
}

/** The lines of a worker's journal that the database doesn't have yet, byte for byte. */
export class JournalTail {
  readonly #file: string
  #end: number
  #state: State

  /** Starts at the end of the file: everything before is in the database already. */
  constructor(dir: string, state: State) {
    this.#file = join(dir, JOURNAL)
    this.#end = this.#read((fd) => fstatSync(fd).size)
    this.#state = state
  }

  /** Detects other writers, for example an agent that found the file, because the folded state then differs from ours. */
  newLines(expected: State): NewLines {
    const bytes = this.#read((fd) => {
      const found = Buffer.alloc(Math.max(0, fstatSync(fd).size - this.#end))
      return found.subarray(0, readSync(fd, found, 0, found.length, this.#end))
    })
    const texts = bytes.toString('utf8').split('\n').slice(0, -1)
    let state = this.#state
    for (const text of texts) {
      const read = readLine(Buffer.from(text))
      if (read.kind !== 'event') throw this.#wasModified()
      state = reduce(state, read.event)
    }
    const lines = texts.map((text, i) => ({ seq: this.#state.seq + i + 1, text }))
    if (state.seq !== expected.seq || JSON.stringify(state) !== JSON.stringify(expected)) throw this.#wasModified()
    return {
      lines,
      markPublished: () => {
        this.#end += bytes.length
        this.#state = state
      },
    }
  }

  #read<T>(use: (fd: number) => T): T {
    const fd = openPlain(this.#file, constants.O_RDONLY | constants.O_CREAT)
    try {
      return use(fd)
    } finally {
      closeSync(fd)
    }
  }

  #wasModified(): FleetError {
    return new FleetError(`${this.#file} contains lines this worker did not write. None of them were published.`, 70)
  }
}
