import { fstatSync, lstatSync } from 'node:fs'
import { BEGINNING, type Position, readChain } from './chain.ts'
import { JournalError } from './errors.ts'

/**
 * Notices what another process did to the open journal since this one last wrote to it. Only the system can set a file's
 * change time; as long as that is the same, content and name are too, and nothing needs to be read again.
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

  /** Call after each own write: the file is now as this process left it. */
  written(): void {
    this.#changed = changeOf(this.#fd)
  }

  /** What happened to the file, as the middle of a sentence; undefined if it still is the journal up to this position. */
  problem({ end, hash }: Position): string | undefined {
    const changed = changeOf(this.#fd)
    if (fstatSync(this.#fd).size !== end) return 'was taken over by another process'
    if (!isAt(this.#file, this.#fd)) return 'was removed or exchanged by another process'
    if (changed === this.#changed) return undefined
    // A chmod or a new hard link sets that time as well, so the content decides.
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

/** The hash of the last line, which covers every line before it; undefined if one of them does not fit. */
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
