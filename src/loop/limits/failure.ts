import { HIDES } from '../../../packages/exitgate/src/run/hidden-paths.ts'
import { ownLines } from '../../agents/failures.ts'
import type { FailureCause } from '../../core/failure-cause.ts'
import type { AgentResult } from '../../core/run.ts'
import type { AgentError, Observation } from '../../core/types.ts'
import { decidingError, limitOf, needsPayment, oneLine } from './provider.ts'

export type Failure = Required<NonNullable<Observation['failed']>>

/** How and why the agent failed, with its own last error; undefined if it ended normally. */
export function failureOf(result: AgentResult): Failure | undefined {
  const { ended, problem, ms, ownSandbox } = result
  if (ownSandbox !== undefined && result.signals.claim !== true) return fail('setup', noOwnSandbox(ownSandbox))
  if (ended === 'not-started') return fail('setup', `the agent could not be started: ${problem ?? 'unknown reason'}`)
  const error = reportedError(result)
  if (result.noLogin && didNothing(result))
    return fail('login', `no login was found, and it did nothing in ${howLong(ms)}`)
  const lastError = error === undefined ? '' : `. Its last error: ${oneLine(error.message)}`
  const isOut = error !== undefined && causeOf(error, result) === 'outage'
  if (ended === 'deadline')
    return fail(isOut ? 'outage' : 'time', `the agent was stopped after ${howLong(ms)} (time limit)${lastError}`)
  if (ended === 'silence')
    return fail(
      isOut ? 'outage' : 'silence',
      `the agent was stopped because it printed nothing for too long${lastError}`,
    )
  if (ended === 'runaway') return fail('runaway', `${RUNAWAY}${lastError}`)
  if (error !== undefined)
    return fail(causeOf(error, result), `the agent reported an error: ${error.message.replace(/\s+/g, ' ')}`)
  if (ended === 'aborted') return fail('crash', 'exitgate stopped the agent')
  return cutOff(result) ?? (result.code === 0 ? quietEnd(result) : badExit(result))
}

/** The reason for a run that ends with this failure. */
export function fatalReason({ cause, reason }: Failure): string {
  const line = reason.replace(/^the agent reported an error: /, '')
  if (cause === 'login') return `the agent could not authenticate: ${line}`
  if (cause === 'payment') return `the provider requires payment: ${line}`
  return cause === 'model' ? `the provider rejects the model: ${line}` : reason
}

/** Another start would fail the same way. Without clear words, that is so only if the agent has never worked in this run. */
export function isHopeless({ cause, reason }: Failure, worked: boolean): boolean {
  if (cause === 'login' || cause === 'payment') return true
  return (cause === 'setup' && (!worked || USAGE.test(reason))) || (cause === 'model' && !worked)
}

const fail = (cause: FailureCause, reason: string): Failure => ({ cause, reason })

/** Requests to the model without a tool call. An agent in such a loop does nothing else. */
export const MOST_REQUESTS = 50
const noOwnSandbox = (why: string): string =>
  `the agent's own sandbox can't start in exitgate's: ${oneLine(why)}. Turn one of them off: pass --sandbox danger-full-access to codex, or --sandbox off to exitgate`

const RUNAWAY = `the agent was stopped after ${MOST_REQUESTS} requests to its model without a tool call`

const FAILURES: readonly AgentError['kind'][] = ['api', 'auth', 'limit', 'refusal', 'other']

/** Plain text with exit code 0 is the agent's message, even if it mentions errors. */
function reportedError(result: AgentResult): AgentError | undefined {
  if (result.format === 'text' && result.code === 0) return undefined
  const error = decidingError(result)
  return error !== undefined && FAILURES.includes(error.kind) ? error : undefined
}

const MODEL =
  /\bmodels?\b.{0,80}\b(?:not found|does(?:n't| not) exist|may not exist|not (?:available|supported)|no access|unknown|invalid)|\b(?:no such|unknown|invalid|unsupported) model\b|issue with the selected model|no access to (?:this|the) model/i

function causeOf(error: AgentError, result: AgentResult): FailureCause {
  if (error.kind === 'refusal') return 'refusal'
  if (needsPayment(error)) return 'payment'
  if (error.kind === 'auth') return MODEL.test(error.message) ? 'model' : 'login'
  const limit = limitOf(result, 0)
  if (limit?.kind === 'overload') return 'outage'
  if (error.kind === 'limit') return limit === undefined ? 'budget' : 'limit'
  if (error.status === 404 || MODEL.test(error.message)) return 'model'
  if (error.kind === 'api') return 'request'
  if (LOGIN.test(error.message)) return 'login'
  if (EMPTY.test(error.message)) return 'empty'
  return USAGE.test(error.message) || didNothing(result) ? 'setup' : 'crash'
}

/** An agent that only reports an error prints less than this. */
const MOST_OF_AN_ERROR = 16 * 1024

/** It failed before it asked the model anything. */
const didNothing = ({ usage, signals, bytes, format, usedTools }: AgentResult): boolean =>
  format !== 'text' && !usedTools && !usage.tokens && signals.text.trim() === '' && bytes < MOST_OF_AN_ERROR

const EMPTY = /\b(?:empty (?:response|answer|message)|no (?:response|content|output))\b/i

/** Not errors: the agent worked until a limit of its own. */
function cutOff({ errors, signals, code }: AgentResult): Failure | undefined {
  const last = errors.at(-1)
  // What it claims counts if its CLI took the answer as complete.
  if ((signals.claim === true && code === 0) || last === undefined) return undefined
  if (last.kind === 'max-turns') return fail('turns', `the agent ran out of turns: ${oneLine(last.message)}`)
  if (last.kind !== 'truncated') return undefined
  return fail('length', `the answer is too long: ${oneLine(last.message)}`)
}

/** Some agents exit with code 0 when they are killed, but their stream has no end. */
function quietEnd({ finished, format, signals, lacks }: AgentResult): Failure | undefined {
  if (format === 'text' && lacks !== 'events') return undefined
  const isEmpty = signals.text.trim() === '' && signals.claim === undefined && signals.blocks.length === 0
  if (!finished) return fail(lacks === undefined ? 'cut' : 'empty', "the agent's output ended too early")
  return isEmpty ? fail('empty', "the agent's answer is empty") : undefined
}

/** How CLIs reject their arguments, their settings or the user that runs them. */
const USAGE =
  /\b(?:unknown|unrecogni[sz]ed|unexpected|unsupported|invalid|no such) (?:cli )?(?:options?|arguments?|flags?|switch|(?:sub)?commands?|values?|parameters?)\b|\b(?:argument|option|value) missing\b|\bmissing (?:required )?(?:arguments?|options?|values?)\b|\brequires? (?:an? )?(?:argument|value)\b|\btoo many arguments\b|\bcannot be used (?:with|together)\b|\bnot allowed (?:with|as|for)\b|\b(?:as|with|by) root\b|\broot (?:user|privileges)\b|\bcommand not found\b|\berror (?:loading|reading|parsing) (?:\S+ )?(?:config|settings)|\b(?:config(?:uration)?|settings) (?:file )?(?:is|are)? ?(?:invalid|broken|malformed)\b|rejects its arguments/i

const LOGIN =
  /\bnot (?:logged|signed) in\b|\b(?:log|sign) ?in\b|\/(?:login|auth)\b|\bapi[ _-]?keys?\b|_(?:api_)?(?:key|token)\b|\bcredentials?\b|\bauthenticat|\bunauthori[sz]ed\b|\bauth (?:method|token)\b/i

/** Shells say so with these codes. */
const CANNOT_RUN: readonly (number | null)[] = [126, 127]

function badExit(result: AgentResult): Failure {
  const { code, signal, stderr, lacks } = result
  const lines = errorLines(stderr)
  const [line = ''] = lines
  const how = code === null ? `was killed by ${signal ?? 'a signal'}` : `exited with code ${code}`
  const hidden = result.problems.find((each) => each.startsWith(HIDES))
  const reason = `the agent ${how}${line === '' ? '' : `: ${line}`}${hidden === undefined ? '' : `. ${hidden}`}`
  // `timeout` exits with 124, and a shell passes a signal on as 128 and its number.
  if (code === null || code === 124 || (code > 128 && code < 160) || (lacks === undefined && !didNothing(result)))
    return fail('crash', reason)
  if (USAGE.test(line)) return fail('setup', reason)
  const login = lines.find((each) => LOGIN.test(each))
  if (login !== undefined) return fail('login', login)
  return fail(lacks !== 'output' || CANNOT_RUN.includes(code) ? 'setup' : 'crash', reason)
}

const ERROR_WORDS =
  /\b(?:error|fatal|panic|exception|fail(?:ed|ure)?|cannot|can't|could not|unable|denied|refus\w+|missing|not found|no such|must|no \w+(?: \w+)? found)\b/i
/** Stack frames, the rest of a printed object, and lines of help. */
const NOISE = /^(?:at |\.\.\.|[{}[\]|^]|-{1,2}\w|\w+: (?:undefined|null|\d+|\[),?$|warning\b)/i

const HELP = /^\s*(?:usage|options|positionals|commands|flags):/im

/** The lines that may say what went wrong, the most likely one first. Some CLIs print all of their help after it. */
function errorLines(printed: string): readonly string[] {
  const all = ownLines(printed)
  const lines = all.filter((line) => !NOISE.test(line) || USAGE.test(line))
  const usage = lines.find((line) => USAGE.test(line))
  if (usage === undefined && HELP.test(printed)) return ['it printed its help instead, so it rejects its arguments']
  const found = usage ?? lines.findLast((line) => ERROR_WORDS.test(line)) ?? lines.at(-1)
  if (found === undefined) return []
  const next = found.endsWith(':') ? all[all.indexOf(found) + 1] : undefined
  return [next === undefined ? found : `${found} ${next}`, ...lines].map((line) => line.slice(0, 300))
}

const howLong = (ms: number): string =>
  ms < 120_000 ? `${Math.max(1, Math.round(ms / 1000))} seconds` : `${Math.round(ms / 60_000)} minutes`
