import type { Transcript } from '../core/types.ts'
import { joined, NO_BYTES } from './bytes.ts'
import { EventReader } from './event-reader.ts'
import type { FormatReader } from './format.ts'
import { recognise } from './recognise.ts'
import { TextReader } from './text-reader.ts'

/** So much of the beginning is looked at before the format is settled. */
const SAMPLE = 64 * 1024

/** Finds out the format from the beginning of the output and reads on in it. */
export class AutoReader implements FormatReader {
  #sample: Uint8Array | undefined = NO_BYTES
  #reader: FormatReader = new TextReader()
  /** Set while the output may be one wrapper object: that can only be told at its end. */
  #wrapper: EventReader | undefined

  write(chunk: Uint8Array): void {
    if (this.#sample === undefined) {
      this.#on(chunk)
      return
    }
    const sample = joined(this.#sample, chunk)
    if (sample.length < SAMPLE) this.#sample = new Uint8Array(sample)
    else this.#begin(sample)
  }

  end(bytes: number): Transcript {
    if (this.#sample !== undefined) this.#begin(this.#sample)
    const wrapped = this.#wrapper?.end(bytes)
    return wrapped !== undefined && this.#wrapper?.isWhole === true ? wrapped : this.#reader.end(bytes)
  }

  #begin(bytes: Uint8Array): void {
    this.#sample = undefined
    const format = recognise(bytes.subarray(0, SAMPLE))
    if (format !== undefined && format.name !== 'json') this.#reader = new EventReader(format)
    else if (format !== undefined) this.#wrapper = new EventReader(format)
    this.#on(bytes)
  }

  #on(chunk: Uint8Array): void {
    this.#reader.write(chunk)
    this.#wrapper?.write(chunk)
  }
}
