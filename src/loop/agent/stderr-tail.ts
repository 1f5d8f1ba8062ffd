import { clean } from '../../core/signals/lines.ts'
import { redact } from '../../system/redact.ts'

const MOST_BYTES = 16 * 1024
const MOST_LINES = 20
const MOST_CHARACTERS = 4_000

/** The last lines of a stream of any length, for people. */
export class StderrTail {
  #bytes: Buffer = Buffer.alloc(0)
  #cut = false

  push(chunk: Buffer): void {
    const all = Buffer.concat([this.#bytes, chunk.subarray(-MOST_BYTES)])
    this.#cut ||= chunk.length > MOST_BYTES || all.length > MOST_BYTES
    this.#bytes = all.subarray(-MOST_BYTES)
  }

  text(secrets: readonly string[]): string {
    const text = redact(clean(this.#bytes.toString('utf8')), secrets)
    // The first line is a part of one, and may be a part of a secret.
    const whole = this.#cut ? text.slice(text.indexOf('\n') + 1) : text
    return whole.trimEnd().split('\n').slice(-MOST_LINES).join('\n').slice(-MOST_CHARACTERS)
  }
}
