import type { AgentError, Models, Scalar, Transcript } from '../core/types.ts'
import { EarlierLines } from './earlier.ts'
import { type JsonObject, listIn, numberIn, objectIn, scalarsOf, textIn } from './json-value.ts'

/** The start of the tool's answer if it recorded nothing. Anything may follow, even text of the agent. */
const REFUSED = /^\W*(?:exit_signal\W+|error\W+)?(?:the signal was not recorded|input validation error)\b/i

/** Whether the answer of the `exit_signal` tool is a rejection. Some CLIs report it as a success. */
export function isRefusal(answer: unknown): boolean {
  const text = textIn(answer)
  if (text !== undefined) return REFUSED.test(text)
  const { is_error, isError, content } = objectIn(answer)
  return is_error === true || isError === true || listIn(content).some((part) => isRefusal(objectIn(part).text))
}

/** Maximum characters of the final message; a longer one keeps its end. */
export const FINAL_LENGTH = 256 * 1024

const MAX_ENTRIES = 1000
const MAX_MODELS = 50

/** Collects what the readers of all formats find, within fixed limits. */
export class TranscriptBuilder {
  session: string | undefined
  finished = false
  tokens: number | undefined
  /** The tokens of single messages, if they have counts. */
  shown: number | undefined
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
  /** Requests to the model since the last tool call. */
  requests = 0
  #trouble: AgentError | undefined
  #message: string | undefined
  #words = ''

  /** Text of the agent. Parts of one message belong together; a new message makes the earlier text non-final. */
  addText(text: string, message?: string, joint = '\n'): void {
    if (message === undefined || message !== this.#message) this.#endText()
    this.#message = message
    this.#words = this.#words === '' ? text : this.#words + joint + text
    if (this.#words.length > 4 * FINAL_LENGTH) this.#shorten()
  }

  /** The text so far was not final: a tool was used. */
  endFinalText(): void {
    this.requests = 0
    this.#endText()
  }

  #endText(): void {
    if (this.#words !== '') this.earlier.addText(this.#words)
    this.#words = ''
    this.#message = undefined
  }

  /** The next text is another message. Until it comes, this text stays final. */
  closeMessage(): void {
    this.#message = undefined
  }

  get finalText(): string {
    return this.#words
  }

  /** An error that the agent may recover from, such as a retry. It counts only if no answer follows. */
  noteTrouble(error: AgentError): void {
    this.#trouble = error
  }

  clearTrouble(): void {
    this.#trouble = undefined
  }

  get trouble(): AgentError | undefined {
    return this.#trouble
  }

  /** An error that ended the agent's work. */
  fail(error: AgentError): void {
    this.#trouble = undefined
    const known = this.#errors.some((other) => other.kind === error.kind && other.message === error.message)
    if (!known && this.#errors.length < 50) this.#errors.push(error)
  }

  get hasFailed(): boolean {
    return this.#errors.length > 0
  }

  /** The agent finished with an answer, so earlier errors of the provider don't count. */
  clearProviderErrors(): void {
    this.clearTrouble()
    this.#errors = this.#errors.filter(({ kind }) => kind !== 'api' && kind !== 'limit' && kind !== 'auth')
  }

  /** Tokens of one model; without a name they count for the format. */
  count(model: string | undefined, input: unknown, cachedInput: unknown, output: unknown): void {
    const before = this.#models.get(model ?? '') ?? { input: 0, cachedInput: 0, output: 0 }
    if (this.#models.size >= MAX_MODELS && !this.#models.has(model ?? '')) return
    this.#models.set(model ?? '', {
      input: before.input + (numberIn(input) ?? 0),
      cachedInput: before.cachedInput + (numberIn(cachedInput) ?? 0),
      output: before.output + (numberIn(output) ?? 0),
    })
  }

  /** A new count that includes the earlier ones. */
  resetCounts(): void {
    this.#models.clear()
  }

  /** A call of the `exit_signal` tool counts once its result is there and is not an error. */
  call(id: string, input: unknown): void {
    if (this.#called.size < MAX_ENTRIES) this.#called.set(id, scalarsOf(input))
  }

  get awaitsResults(): boolean {
    return this.#called.size > 0
  }

  answer(id: string, succeeded: boolean): void {
    const input = this.#called.get(id)
    this.#called.delete(id)
    if (input !== undefined && succeeded && this.#signals.length < MAX_ENTRIES) this.#signals.push(input)
  }

  deny(tool: string, input: unknown, id?: string): void {
    const text = denialText(tool, objectIn(input))
    if (this.#denials.size < MAX_ENTRIES) this.#denials.set(id ?? `${this.#denials.size}`, text)
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
      usage: this.usage(format),
      errors: this.#errors,
      denials: [...this.#denials.values()],
      toolSignals: this.#signals,
      fields: this.fields,
      problems: this.#problems,
    }
  }

  /** What the agent has used so far. */
  usage(format: string): Transcript['usage'] {
    return {
      ...(this.tokens === undefined ? {} : { tokens: this.tokens }),
      ...(this.shown === undefined ? {} : { shown: this.shown }),
      ...(this.usd === undefined ? {} : { usd: this.usd }),
      ...(this.ms === undefined ? {} : { ms: this.ms }),
      ...(this.#models.size === 0 ? {} : { models: this.#modelsOf(format) }),
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

/** The last characters, without splitting a surrogate pair. */
export function lastCharacters(text: string, most: number): readonly [before: string, end: string] {
  if (text.length <= most) return ['', text]
  let at = text.length - most
  const first = text.charCodeAt(at)
  if (first >= 0xdc00 && first <= 0xdfff) at++
  return [text.slice(0, at), text.slice(at)]
}

/** In the form of a tool rule: `Bash(npm publish)`, or only the tool. */
function denialText(tool: string, input: JsonObject): string {
  const about = textIn(input.command) ?? textIn(input.file_path) ?? textIn(input.path) ?? textIn(input.url)
  const line = about?.trim().split('\n')[0]?.slice(0, 200)
  return line === undefined || line === '' ? tool : `${tool}(${line})`
}

/** Whether this is the tool that carries the claim; CLIs add their own prefix to the name of an MCP tool. */
export function isExitSignal(tool: unknown): boolean {
  return typeof tool === 'string' && /(?:^|_)exit_signal$/.test(tool)
}
