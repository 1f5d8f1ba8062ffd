import type { ChildProcess } from 'node:child_process'
import { liveText } from '../../agents/live-text.ts'
import { openReader, type TranscriptReader } from '../../agents/reader.ts'
import type { AgentProcess } from '../../core/run.ts'
import { clean } from '../../core/signals/lines.ts'
import type { Transcript } from '../../core/types.ts'
import { secretValues } from '../../system/environment.ts'
import { redact } from '../../system/redact.ts'
import type { AgentCall, AgentHooks } from './call.ts'
import { Streams } from './follow.ts'
import { openTranscript, type TranscriptStore } from './transcript-store.ts'

type Heard = Pick<AgentProcess, 'file' | 'stderr' | 'problems'> & { readonly transcript: Transcript }

/** Takes down what the agent says: for the transcript, for the disk, and for those who watch. */
export class Listener {
  readonly #hooks: AgentHooks
  readonly #store: TranscriptStore
  readonly #secrets: readonly string[]
  readonly #out: TranscriptReader
  /** Some agents say everything on standard error; it is heard as long as there is nothing else. */
  #err: TranscriptReader | undefined = openReader('text')
  #outBytes = 0
  #errBytes = 0
  readonly #tail = new StderrTail()
  readonly #live: (chunk: Buffer) => string
  readonly #liveErr = liveText('text')
  #trouble: string | undefined

  constructor(call: AgentCall, hooks: AgentHooks) {
    this.#hooks = hooks
    this.#store = openTranscript(call)
    this.#secrets = secretValues({ ...process.env, ...call.env })
    this.#out = openReader(call.format)
    this.#live = liveText(call.format)
  }

  listen({ stdout, stderr }: ChildProcess): Streams {
    const streams = new Streams()
    streams.follow(stdout!, this.#store.out, (chunk) => {
      this.#outBytes += chunk.length
      this.#err = undefined
      this.#out.write(chunk)
      this.#show(this.#live(chunk))
    })
    streams.follow(stderr!, this.#store.err, (chunk) => {
      this.#errBytes += chunk.length
      this.#tail.push(chunk)
      this.#err?.write(chunk)
      if (this.#err !== undefined) this.#show(this.#liveErr(chunk))
    })
    return streams
  }

  async end(): Promise<Heard> {
    const [out, err] = await Promise.all([this.#store.out.end(), this.#store.err.end()])
    const reader = this.#outBytes === 0 && this.#errBytes > 0 ? this.#err : undefined
    const file = out.kept ? this.#store.file : err.kept ? this.#store.errFile : undefined
    // Both streams go to the same disk: one of them tells.
    const problems = [out.problem ?? err.problem, this.#trouble].filter((each) => each !== undefined)
    const stderr = this.#tail.text(this.#secrets)
    return { transcript: (reader ?? this.#out).end(), ...(file !== undefined && { file }), stderr, problems }
  }

  /** Those who watch must not be able to end the agent by stumbling. */
  #show(text: string): void {
    if (text === '') return
    try {
      this.#hooks.onText(text)
    } catch (error) {
      this.#trouble ??= `the agent's output could not be shown: ${(error as Error).message}`
    }
  }
}

const MOST_BYTES = 16 * 1024
const MOST_LINES = 20
const MOST_CHARACTERS = 4_000

/** The last lines of a stream of any length, for people. */
class StderrTail {
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
