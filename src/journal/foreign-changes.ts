import { fstatSync, lstatSync } from 'node:fs'
import { BEGINNING, type Position, readChain } from './chain.ts'
import { JournalError } from './errors.ts'

/**
 * Detects changes to the open journal by other processes since our last write. Only the kernel sets a file's ctime, so an unchanged
 * ctime means unchanged content and name.
 */
export class ForeignChanges {
  readonly #fd: number
  readonly #file: string
  #changed: bigint

  constructor(fd: number, file: string) {
    this.#fd = fd
    this.#file = file
    this.#changed = changeOf(fd)
  }

  /** Call this after each write of our own. */
  written(): void {
    this.#changed = changeOf(this.#fd)
  }

  /** What happened to the file, as part of a sentence. Undefined if the journal is unchanged up to this position. */
  problem({ end, hash }: Position): string | undefined {
    const changed = changeOf(this.#fd)
    if (fstatSync(this.#fd).size !== end) return 'was changed by another process'
    if (!isAt(this.#file, this.#fd)) return 'was removed or replaced by another process'
    if (changed === this.#changed) return undefined
    // chmod and new hard links also change ctime, so compare the content.
    if (hashOf(this.#fd, this.#file) !== hash) return 'was changed by another process'
    this.#changed = changed
    return undefined
  }
}

const changeOf = (fd: number): bigint => fstatSync(fd, { bigint: true }).ctimeNs

function isAt(file: string, fd: number): boolean {
  const [here, ours] = [lstatSync(file, { bigint: true, throwIfNoEntry: false }), fstatSync(fd, { bigint: true })]
  return here !== undefined && here.ino === ours.ino && here.dev === ours.dev
}

/** The hash of the last line, which covers every line before it. Undefined if the chain is broken. */
function hashOf(fd: number, file: string): string | undefined {
  let { hash } = BEGINNING
  try {
    for (const { position } of readChain(fd, file, BEGINNING)) hash = position.hash
    return hash
  } catch (error) {
    if (error instanceof JournalError) return undefined
    throw error
  }
}
