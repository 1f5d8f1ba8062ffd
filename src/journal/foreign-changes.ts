import { fstatSync, lstatSync } from 'node:fs'
import { BEGINNING, type Position, readChain } from './chain.ts'
import { JournalError } from './errors.ts'

/**
 * Detects changes to the open journal by other processes since our last write. Only the kernel sets a file's ctime, so an unchanged
 * ctime nearly always means unchanged content and name. A change just before our own write, or in the same tick of the clock, keeps it.
 * So does a change through mapped memory. At the end of a run, the content is compared in any case.
 */
export class ForeignChanges {
  readonly #fd: number
  readonly #file: string
  readonly #from: Position
  #changed: bigint

  /** The lines after `from` were checked when the journal was opened. */
  constructor(fd: number, file: string, from: Position) {
    this.#fd = fd
    this.#file = file
    this.#from = from
    this.#changed = changeOf(fd)
  }

  /** Call this after each write of our own. */
  written(): void {
    this.#changed = changeOf(this.#fd)
  }

  /** What happened to the file, as part of a sentence. Undefined if the journal is unchanged up to this position. */
  problem({ end, hash }: Position, isEnd: boolean): string | undefined {
    const changed = changeOf(this.#fd)
    if (fstatSync(this.#fd).size !== end) return 'was changed by another process'
    if (!isAt(this.#file, this.#fd)) return 'was removed or replaced by another process'
    const hasChanged = changed !== this.#changed
    if (!hasChanged && !isEnd) return undefined
    // chmod and new hard links also change ctime, so compare the content.
    if (hashOf(this.#fd, this.#file, hasChanged ? BEGINNING : this.#from) !== hash)
      return 'was changed by another process'
    this.#changed = changed
    return undefined
  }
}

const changeOf = (fd: number): bigint => fstatSync(fd, { bigint: true }).ctimeNs

function isAt(file: string, fd: number): boolean {
  const [here, ours] = [lstatSync(file, { bigint: true, throwIfNoEntry: false }), fstatSync(fd, { bigint: true })]
  return here !== undefined && here.ino === ours.ino && here.dev === ours.dev
}

/** The hash of the last line, which covers every line after `from`. Undefined if the chain is broken. */
function hashOf(fd: number, file: string, from: Position): string | undefined {
  let { hash } = from
  try {
    for (const { position } of readChain(fd, file, from)) hash = position.hash
    return hash
  } catch (error) {
    if (error instanceof JournalError) return undefined
    throw error
  }
}
