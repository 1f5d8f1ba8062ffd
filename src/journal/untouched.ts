import { fstatSync, lstatSync } from 'node:fs'
import { BEGINNING, type Position, readChain } from './chain.ts'
import { JournalError } from './errors.ts'

/**
 * Notices what somebody else did to the open journal since this process last wrote to it. Only the system sets the time of
 * a file's last change; as long as that stands, neither content nor name was touched, and nothing needs to be read again.
 */
export class Untouched {
  readonly #fd: number
  readonly #file: string
  #changed: bigint

  constructor(fd: number, file: string) {
    this.#fd = fd
    this.#file = file
    this.#changed = changeOf(fd)
  }

  /** From here on the file is as this process left it. */
  written(): void {
    this.#changed = changeOf(this.#fd)
  }

  /** What became of the file, as the middle of a sentence; undefined when it is still the journal up to this position. */
  problem({ end, hash }: Position): string | undefined {
    const changed = changeOf(this.#fd)
    if (fstatSync(this.#fd).size !== end) return 'was taken over by another process'
    if (!isAt(this.#file, this.#fd)) return 'was removed or exchanged by another process'
    if (changed === this.#changed) return undefined
    // Permissions or a second name move that time as well; only the content says whether it matters.
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

/** The hash of the last line, which vouches for every line before; undefined when one of them does not fit. */
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
