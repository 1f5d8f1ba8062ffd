import { count } from '../../packages/core/src/count.ts'
import { textOf } from '../../packages/exitgate/src/agents/bytes.ts'
import type { Transcript } from '../core/types.ts'
import { failure } from './failures.ts'
import type { EventFormat, EventReading, FormatReader, Look } from './format.ts'
import { parseObject } from './json-value.ts'
import { TranscriptBuilder } from './transcript-builder.ts'
import { ValueSplitter } from './values.ts'

/** Reads a stream of JSON events in one format. Broken or unknown events and other text are counted and skipped. */
export class EventReader implements FormatReader {
  readonly #format: EventFormat
  readonly #builder = new TranscriptBuilder()
  readonly #reading: EventReading
  readonly #values: ValueSplitter
  #events = 0
  #known = 0
  #broken = 0
  #tooLong = 0
  #cutOff = false
  #noise: string | undefined
  /** Lines that are neither JSON nor typical tool messages. */
  #prose = 0

  constructor(format: EventFormat) {
    this.#format = format
    this.#reading = format.open(this.#builder)
    this.#values = new ValueSplitter({
      value: (bytes, from, to, complete) => this.#value(bytes, from, to, complete),
      noise: (bytes, from, to) => this.#setAside(bytes, from, to),
      tooLong: (head) => {
        this.#tooLong++
        // It may have been the final message, so the text before it is not final either.
        if (this.#reading.lost?.(head) !== true) this.#builder.endFinalText()
      },
    })
  }

  write(chunk: Uint8Array): void {
    this.#values.write(chunk)
  }

  usage(): Transcript['usage'] {
    return this.#builder.usage(this.#format.name)
  }

  end(bytes: number): Transcript {
    this.#values.end()
    this.#reading.end?.()
    this.#reportProblems()
    return this.#builder.finish(this.#format.name, bytes)
  }

  look(): Look {
    const { trouble, finished, requests } = this.#builder
    return { trouble, requests, hasResult: finished && this.#format.endsWithResult === true }
  }

  /** Whether the whole output is one document of the format, so that no other format needs to be tried. */
  get isWhole(): boolean {
    const one = this.#events === 1 || (this.#values.documents === 1 && this.#values.closed && this.#events > 0)
    return one && this.#known === this.#events && this.#prose + this.#broken + this.#tooLong === 0
  }

  #value(bytes: Uint8Array, from: number, to: number, complete: boolean): void {
    if (complete && this.#reading.fastPath?.(bytes, from, to) === true) {
      this.#events++
      this.#known++
      return
    }
    const event = parseObject(bytes, from, to)
    if (event === undefined) {
      if (complete) this.#broken++
      else this.#cutOff = true
      return
    }
    this.#events++
    if (this.#format.knows(event)) this.#known++
    this.#reading.read(event)
  }

  #setAside(bytes: Uint8Array, from: number, to: number): void {
    const line = textOf(bytes, from, Math.min(to, from + 1000)).trim()
    if (!isChatter(line)) this.#prose++
    this.#noise = line
  }

  #reportProblems(): void {
    const builder = this.#builder
    if (this.#broken > 0) builder.report(`${count(this.#broken, 'line')} of JSON could not be parsed`)
    if (this.#tooLong > 0) builder.report(`${count(this.#tooLong, 'event')} longer than 64 MB skipped`)
    if (this.#cutOff || !this.#values.closed) builder.report('the output breaks off in the middle of an event')
    if (this.#known > 0 || this.#events + this.#broken + (this.#noise?.length ?? 0) === 0) return
    builder.report(`no event of the ${this.#format.name} format found`)
    // An agent that can't start prints the reason as plain text. Other text is not a failure.
    const said = failure(this.#noise ?? '')
    if (this.#events === 0 && said.kind !== 'other') builder.fail({ ...said, inWords: true })
  }
}

const CHATTER =
  /^(?:\(node:\d+\)|\(Use `node|npm |warn(?:ing)?\b|info\b|debug\b|error\b|notice\b|\[[^\]]*\]|\d{4}-\d\d-\d\d|\d\d:\d\d:\d\d|(?:reading|loaded|loading|using|connecting|connected|data collection)\b)/i

/** Typical messages that programs print in addition to their output. */
function isChatter(line: string): boolean {
  return CHATTER.test(line)
}
