import type { ChildProcess } from 'node:child_process'
import type { Look } from '../../agents/format.ts'
import { liveText, type Piece } from '../../agents/live-text.ts'
import { openReader, type TranscriptReader } from '../../agents/reader.ts'
import type { AgentProcess } from '../../core/run.ts'
import { clean } from '../../core/signals/lines.ts'
import type { Transcript } from '../../core/types.ts'
import { secretValues } from '../../system/environment.ts'
import { redact, redactAll } from '../../system/redact.ts'
import type { AgentCall, AgentHooks } from './call.ts'
import { Streams } from './follow.ts'
import { RedactedLines } from './redacted-lines.ts'
import { MAY_BE_TEXT } from './silence.ts'
import { openTranscript, type TranscriptStore } from './transcript-store.ts'

const EVENT = /^\s*\{\s*"/m
/** Every event starts with a chunk of its own, or soon after. */
const START_BYTES = 4096

type Heard = Pick<AgentProcess, 'file' | 'stderr' | 'problems' | 'usedTools'> & { readonly transcript: Transcript }

/** Passes the agent's output on to the transcript, the disk and the live view. */
export class Listener {
  readonly #hooks: AgentHooks
  readonly #format: string
  readonly #store: TranscriptStore
  readonly #secrets: readonly string[]
  readonly #out: TranscriptReader
  /** Some agents print everything on standard error. It is read as the transcript while standard output is empty. */
  #err: TranscriptReader | undefined = openReader('text')
  #outBytes = 0
  /** A line of standard output looks like an event, so the agent prints while it works. */
  hasEvents = false
  #errBytes = 0
  readonly #tail = new StderrTail()
  readonly #live: (chunk: Buffer) => readonly Piece[]
  readonly #liveErr = liveText('text')
  readonly #shown: RedactedLines
  #displayProblem: string | undefined
  #usedTools = false
  #used: Transcript['usage'] = {}

  constructor(call: AgentCall, hooks: AgentHooks) {
    this.#hooks = hooks
    this.#format = call.format
    this.#store = openTranscript(call)
    this.#secrets = secretValues({ ...process.env, ...call.env })
    this.#out = openReader(call.format)
    this.#live = liveText(call.format)
    this.#shown = new RedactedLines(this.#secrets, (bytes) => this.#display(bytes.toString()))
  }

  listen({ stdout, stderr }: ChildProcess): Streams {
    const streams = new Streams()
    streams.follow(stdout!, this.#store.out, (chunk) => {
      this.#outBytes += chunk.length
      this.hasEvents ||= EVENT.test(chunk.toString('latin1', 0, START_BYTES))
      this.#err = undefined
      this.#out.write(chunk)
      for (const piece of this.#live(chunk)) this.#show(piece)
      this.#tellUsage()
    })
    streams.follow(stderr!, this.#store.err, (chunk) => {
      this.#errBytes += chunk.length
      this.#tail.push(chunk)
      this.#err?.write(chunk)
      if (this.#err !== undefined) for (const piece of this.#liveErr(chunk)) this.#show(piece)
    })
    return streams
  }

  /** How the agent is doing, as far as its output shows. */
  look(): Look {
    return this.#out.look()
  }

  get hasPrinted(): boolean {
    return this.#outBytes + this.#errBytes > 0
  }

  /** What standard output lacks so far. */
  get lacks(): AgentProcess['lacks'] {
    if (!this.hasEvents && !MAY_BE_TEXT.has(this.#format)) return 'events'
    return this.#outBytes === 0 ? 'output' : undefined
  }

  async end(): Promise<Heard> {
    this.#shown.end()
    const [out, err] = await Promise.all([this.#store.out.end(), this.#store.err.end()])
    const reader = this.#outBytes === 0 && this.#errBytes > 0 ? this.#err : undefined
    const file = out.kept ? this.#store.file : err.kept ? this.#store.errFile : undefined
    // Both streams go to the same disk, so one error is enough.
    const problems = [out.problem ?? err.problem, this.#displayProblem].filter((each) => each !== undefined)
    const stderr = this.#tail.text(this.#secrets)
    return {
      transcript: (reader ?? this.#out).end(),
      ...(file !== undefined && { file }),
      ...(this.#usedTools && { usedTools: true }),
      stderr,
      problems,
    }
  }

  /** Without secrets there is nothing to redact, and no need to wait for the end of a line. */
  #show({ text, tool }: Piece): void {
    this.#usedTools ||= tool !== undefined
    if (tool !== undefined) this.#display(redact(text, this.#secrets), redactAll(tool, this.#secrets))
    else if (this.#secrets.length === 0) this.#display(text)
    else this.#shown.write(Buffer.from(text))
  }

  #display(text: string, tool?: Piece['tool']): void {
    this.#pass(() => this.#hooks.onText(text, tool))
  }

  #tellUsage(): void {
    const usage = this.#out.usage()
    if (usage.tokens === this.#used.tokens && usage.usd === this.#used.usd) return
    this.#used = usage
    this.#pass(() => this.#hooks.onUsage?.(usage))
  }

  /** An error in the live view must not end the agent. */
  #pass(tell: () => void): void {
    try {
      tell()
    } catch (error) {
      this.#displayProblem ??= `The agent's output could not be shown: ${(error as Error).message}.`
    }
  }
}

const MAX_BYTES = 16 * 1024
const MAX_LINES = 20
const MAX_CHARACTERS = 4_000

/** A CLI that rejects an argument says so first, and then prints its help. */
const FIRST_LINES = 5
const FIRST_BYTES = 2_048

/** The first and the last lines of a stream of any length. */
class StderrTail {
  #first: Buffer = Buffer.alloc(0)
  #bytes: Buffer = Buffer.alloc(0)
  #cut = false

  push(chunk: Buffer): void {
    this.#first = Buffer.concat([this.#first, chunk.subarray(0, FIRST_BYTES)]).subarray(0, FIRST_BYTES)
    const all = Buffer.concat([this.#bytes, chunk.subarray(-MAX_BYTES)])
    this.#cut ||= chunk.length > MAX_BYTES || all.length > MAX_BYTES
    this.#bytes = all.subarray(-MAX_BYTES)
  }

  text(secrets: readonly string[]): string {
    const text = this.#clean(this.#bytes, secrets)
    // The first line may be incomplete, and could be part of a secret.
    const complete = this.#cut ? text.slice(text.indexOf('\n') + 1) : text
    const lines = complete.trimEnd().split('\n')
    const isWhole = !this.#cut && lines.length <= MAX_LINES
    // The last line of the beginning may be incomplete too.
    const first = isWhole
      ? []
      : [...this.#clean(this.#first, secrets).split('\n').slice(0, -1).slice(0, FIRST_LINES), '...']
    const last = lines
      .slice(first.length - MAX_LINES)
      .join('\n')
      .slice(-MAX_CHARACTERS)
    return [...first, last].join('\n')
  }

  #clean(bytes: Buffer, secrets: readonly string[]): string {
    return redact(clean(bytes.toString('utf8')), secrets)
  }
}
