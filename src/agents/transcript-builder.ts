import type { AgentError, Models, Scalar, Transcript } from '../core/types.ts'
import { EarlierLines } from './earlier.ts'
import { type JsonObject, listIn, numberIn, objectIn, scalarsOf, textIn } from './json-value.ts'

/** How the tool says that it recorded nothing. It stands at the beginning: behind it anything may, also the agent's own words. */
const REFUSED = /^\W*(?:exit_signal\W+|error\W+)?(?:the signal was not recorded|input validation error)\b/i

/** Whether the answer of the `exit_signal` tool is a refusal in its own words or marks. Some hosts report such a one as a success. */
export function isRefusal(answer: unknown): boolean {
  const text = textIn(answer)
  if (text !== undefined) return REFUSED.test(text)
  const { is_error, isError, content } = objectIn(answer)
  return is_error === true || isError === true || listIn(content).some((part) => isRefusal(objectIn(part).text))
}

/** The agent's final words are kept up to this many characters; of a longer message the end. */
export const FINAL_LENGTH = 256 * 1024

const MOST_ENTRIES = 1000
const MOST_MODELS = 50

/** A transcript in the making: what the readers of all formats tell about the agent, kept small whatever comes. */
export class TranscriptBuilder {
  session: string | undefined
  finished = false
  tokens: number | undefined
  usd: number | undefined
  ms: number | undefined
  fields: Readonly<Record<string, Scalar>> = {}
  readonly #problems: string[] = []
  readonly earlier = new EarlierLines()
  #errors: AgentError[] = []
  readonly #denials = new Map<string, string>()
  readonly #signals: Readonly<Record<string, Scalar>>[] = []
  #called = new Map<string, Readonly<Record<string, Scalar>>>()
  #models = new Map<string, Models[string]>()
  #trouble: AgentError | undefined
  #message: string | undefined
  #words = ''

  /** The agent's own words. Parts of one message belong together; another message makes those before it earlier ones. */
  addText(text: string, message?: string, joint = '\n'): void {
    if (message === undefined || message !== this.#message) this.endFinalText()
    this.#message = message
    this.#words = this.#words === '' ? text : this.#words + joint + text
    if (this.#words.length > 4 * FINAL_LENGTH) this.#shorten()
  }

  /** The words so far were not the final ones: a tool was used, or another message came. */
  endFinalText(): void {
    if (this.#words !== '') this.earlier.addText(this.#words)
    this.#words = ''
    this.#message = undefined
  }

  /** What is said next is another message, though these words stay the final ones until it comes. */
  closeMessage(): void {
    this.#message = undefined
  }

  get finalText(): string {
    return this.#words
  }

  /** Trouble that the agent may still get over by itself, such as a retry. It counts only if nothing better follows. */
  noteTrouble(error: AgentError): void {
    this.#trouble = error
  }

  clearTrouble(): void {
    this.#trouble = undefined
  }

  get trouble(): AgentError | undefined {
    return this.#trouble
  }

  /** What the agent gave up on. */
  fail(error: AgentError): void {
    this.#trouble = undefined
    const known = this.#errors.some((other) => other.kind === error.kind && other.message === error.message)
    if (!known && this.#errors.length < 50) this.#errors.push(error)
  }

  /** The agent closed with an answer after all: what the provider refused before that was got over. */
  clearProviderErrors(): void {
    this.clearTrouble()
    this.#errors = this.#errors.filter(({ kind }) => kind !== 'api' && kind !== 'limit' && kind !== 'auth')
  }

  /** Tokens of one model; those of one without a name go to the format's. */
  count(model: string | undefined, input: unknown, cachedInput: unknown, output: unknown): void {
    const before = this.#models.get(model ?? '') ?? { input: 0, cachedInput: 0, output: 0 }
    if (this.#models.size >= MOST_MODELS && !this.#models.has(model ?? '')) return
    this.#models.set(model ?? '', {
      input: before.input + (numberIn(input) ?? 0),
      cachedInput: before.cachedInput + (numberIn(cachedInput) ?? 0),
      output: before.output + (numberIn(output) ?? 0),
    })
  }

  /** Another count of the same: what was counted before is contained in it. */
  resetCounts(): void {
    this.#models.clear()
  }

  /** A call of the `exit_signal` tool counts once its result is there and no error. */
  call(id: string, input: unknown): void {
    if (this.#called.size < MOST_ENTRIES) this.#called.set(id, scalarsOf(input))
  }

  get awaitsResults(): boolean {
    return this.#called.size > 0
  }

  answer(id: string, succeeded: boolean): void {
    const input = this.#called.get(id)
    this.#called.delete(id)
    if (input !== undefined && succeeded && this.#signals.length < MOST_ENTRIES) this.#signals.push(input)
  }

  deny(tool: string, input: unknown, id?: string): void {
    const text = denialText(tool, objectIn(input))
    if (this.#denials.size < MOST_ENTRIES) this.#denials.set(id ?? `${this.#denials.size}`, text)
  }

  report(problem: string): void {
    if (!this.#problems.includes(problem) && this.#problems.length < 50) this.#problems.push(problem)
  }

  finish(format: string, bytes: number): Transcript {
    this.#shorten()
    if (this.#trouble !== undefined) this.fail(this.#trouble)
    return {
      format,
      final: this.#words,
      earlier: this.earlier.lines(),
      bytes,
      finished: this.finished,
      ...(this.session === undefined ? {} : { session: this.session }),
      usage: {
        ...(this.tokens === undefined ? {} : { tokens: this.tokens }),
        ...(this.usd === undefined ? {} : { usd: this.usd }),
        ...(this.ms === undefined ? {} : { ms: this.ms }),
        ...(this.#models.size === 0 ? {} : { models: this.#modelsOf(format) }),
      },
      errors: this.#errors,
      denials: [...this.#denials.values()],
      toolSignals: this.#signals,
      fields: this.fields,
      problems: this.#problems,
    }
  }

  #modelsOf(format: string): Models {
    return Object.fromEntries([...this.#models].map(([model, counts]) => [model === '' ? format : model, counts]))
  }

  #shorten(): void {
    const [before, end] = lastCharacters(this.#words, FINAL_LENGTH)
    if (before !== '') this.earlier.addText(before)
    this.#words = end
  }
}

/** Cuts off the last so many characters without tearing one of two halves apart. */
export function lastCharacters(text: string, most: number): readonly [before: string, end: string] {
  if (text.length <= most) return ['', text]
  let at = text.length - most
  const first = text.charCodeAt(at)
  if (first >= 0xdc00 && first <= 0xdfff) at++
  return [text.slice(0, at), text.slice(at)]
}

/** As the hosts write a tool rule: `Bash(npm publish)`, or the tool alone. */
function denialText(tool: string, input: JsonObject): string {
  const about = textIn(input.command) ?? textIn(input.file_path) ?? textIn(input.path) ?? textIn(input.url)
  const line = about?.trim().split('\n')[0]?.slice(0, 200)
  return line === undefined || line === '' ? tool : `${tool}(${line})`
}

/** Whether a tool is the one that carries the claim; hosts put their own prefix before an MCP tool's name. */
export function isExitSignal(tool: unknown): boolean {
  return typeof tool === 'string' && /(?:^|_)exit_signal$/.test(tool)
}
