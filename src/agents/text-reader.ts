import { grown, NEWLINE, textOf, utf8 } from '../../packages/exitgate/src/agents/bytes.ts'
import type { Transcript } from '../core/types.ts'
import { failureInWords, ownLines } from './failures.ts'
import type { FormatReader } from './format.ts'
import { FINAL_LENGTH, lastCharacters, TranscriptBuilder } from './transcript-builder.ts'

/** Maximum size of the final message in bytes: at most three bytes per UTF-16 unit. */
const FINAL_BYTES = 3 * FINAL_LENGTH + 4
const ROOM = 4 * 1024 * 1024
/** How much of an overlong line to keep when its start is dropped, so that no phrase is cut. */
const OVERLAP = 4096

/** Plain output. The end is stored; anything before it is searched once and dropped. */
export class TextReader implements FormatReader {
  readonly #builder = new TranscriptBuilder()
  #held: Uint8Array = new Uint8Array(64 * 1024)
  #length = 0
  #hasNul = false
  /** The first line in `held` was too long to store completely, and a phrase was already found in it. */
  #lineTaken = false

  write(chunk: Uint8Array): void {
    this.#hasNul ||= chunk.indexOf(0) !== -1
    let from = 0
    while (from < chunk.length) {
      if (this.#length === this.#held.length) this.#makeRoom()
      const part = chunk.subarray(from, from + this.#held.length - this.#length)
      this.#held.set(part, this.#length)
      this.#length += part.length
      from += part.length
    }
  }

  usage(): Transcript['usage'] {
    return {}
  }

  end(bytes: number): Transcript {
    const start = this.#finalStart()
    const [, final] = lastCharacters(textOf(this.#held, start, this.#length), FINAL_LENGTH)
    const clean = this.#hasNul ? final.replaceAll('\0', '') : final
    this.#lookThrough(Math.max(start, this.#length - utf8(final).length))
    if (clean !== '') this.#builder.addText(clean)
    if (this.#hasNul) this.#builder.report('the output contains NUL bytes: it is binary or in an unknown encoding')
    const failed = failureInWords(clean)
    if (failed !== undefined) this.#builder.fail(ownLines(clean).length === 1 ? { ...failed, whole: true } : failed)
    this.#builder.finished = true
    return this.#builder.finish('text', bytes)
  }

  /** Moves back to the first byte of a character. */
  #finalStart(): number {
    let start = Math.max(0, this.#length - FINAL_BYTES)
    for (let i = 0; i < 3 && start > 0 && (this.#held[start]! & 0xc0) === 0x80; i++) start++
    return start
  }

  #makeRoom(): void {
    if (this.#held.length < ROOM) {
      this.#held = grown(this.#held, this.#length, Math.min(ROOM, 4 * this.#held.length))
      return
    }
    const passed = this.#length - FINAL_BYTES
    const newline = this.#held.lastIndexOf(NEWLINE, passed - 1)
    const keepFrom = newline === -1 ? passed - OVERLAP : newline + 1
    const wholeLine = newline !== -1
    this.#lookThrough(wholeLine ? keepFrom : passed)
    if (wholeLine) this.#lineTaken = false
    this.#held.copyWithin(0, keepFrom, this.#length)
    this.#length -= keepFrom
  }

  #lookThrough(to: number): void {
    let from = 0
    if (this.#lineTaken) {
      const newline = this.#held.indexOf(NEWLINE)
      if (newline === -1 || newline >= to) return
      from = newline + 1
    }
    const found = this.#builder.earlier.addLines(this.#held, from, to)
    if (found && this.#held.lastIndexOf(NEWLINE, to - 1) === -1) this.#lineTaken = true
  }
}
