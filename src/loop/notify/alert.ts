import { basename } from 'node:path'
import { count } from '../../../packages/core/src/count.ts'
import { errorAdvice } from '../../agents/error-advice.ts'
import type { State } from '../../core/journal/events.ts'
import type { LoopEvent } from '../../core/loop-event.ts'
import { endSentence } from '../../core/policy/ending-text.ts'
import type { RunEnd } from '../../core/run.ts'
import type { AlertKind } from '../../core/run-config.ts'
import type { Environment } from '../../system/environment.ts'
import { redact } from '../../system/redact.ts'

/** What a notification may use. */
export interface NotifyIo {
  /** The bell is written here, only if it is a terminal. */
  readonly stderr: { write(text: string): unknown; readonly isTTY?: boolean | undefined }
  readonly env: Environment
  readonly platform: string
  /** Folder of the workspace. */
  readonly workspace: string
  /** Another server for Telegram's API, for tests. */
  readonly telegram?: string
}

/** Something you may want to know while you are away. */
export interface Alert {
  /** What it is about, the most important first. It is sent if you chose one of them. */
  readonly kinds: readonly [AlertKind, ...AlertKind[]]
  readonly run: string
  readonly text: string
  readonly until?: number
  readonly end?: RunEnd
  /** What you can do about it. */
  readonly advice?: readonly string[]
}

/** The alert about an event of a run; undefined if it isn't worth one. */
export function alertFor(event: LoopEvent, run: string, config?: State['config']): Alert | undefined {
  switch (event.type) {
    case 'ended':
      return endAlert(event.end, config)
    case 'asking':
      return questionAlert(run, event)
    case 'waiting':
      return waitAlert(run, event)
    default:
      return undefined
  }
}

function endAlert(end: RunEnd, config: State['config']): Alert {
  const more: readonly AlertKind[] =
    end.ending === 'breaker' ? ['breaker'] : end.ending === 'needs-human' ? ['needs-you'] : []
  const text = `${endSentence(end)} (${count(end.iterations, 'iteration')})`
  const advice =
    end.cause === undefined ? {} : { advice: errorAdvice(end.cause, { ended: end, ...(config && { config }) }) }
  return { kinds: ['end', ...more], run: end.run, text, end, ...advice }
}

/** The menu of an open breaker waits for you. */
function questionAlert(run: string, { why, until, at }: Extract<LoopEvent, { type: 'asking' }>): Alert {
  const minutes = Math.round((until - at) / 60_000)
  const text = `${why}. Choose in the terminal within ${count(minutes, 'minute')}, or the run ends.`
  return { kinds: ['breaker', 'needs-you'], run, text }
}

/** Shorter waits are over before you could read about them. */
const SHORTEST_WAIT_MS = 60_000

/** A wait worth an alert: a provider's limit, or the cooldown of the breaker. */
function waitAlert(run: string, event: Extract<LoopEvent, { type: 'waiting' }>): Alert | undefined {
  const { until, cause, why, at } = event
  if (until === undefined || cause === undefined || until - at < SHORTEST_WAIT_MS) return undefined
  const text = `Waiting until ${localTime(until)}: ${why}.`
  return { kinds: [cause === 'breaker' ? 'breaker' : 'waiting'], run, text, until }
}

function localTime(at: number): string {
  const local = new Date(at - new Date(at).getTimezoneOffset() * 60_000)
  return local.toISOString().slice(0, 16).replace('T', ' ')
}

const MAX_LINE = 200
const MAX_MISSING = 20
const MAX_TEXT = 2_000

/** The alert in one line. Reasons can contain text from the agent, so control characters and secrets are removed. */
export function alertLine({ text, advice: [first] = [] }: Alert): string {
  const plain = redact(text)
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\s]+/gu, ' ')
    .trim()
  const line = plain.length <= MAX_LINE ? plain : `${plain.slice(0, MAX_LINE - 1)}…`
  return first === undefined ? line : `${line} ${first}`
}

/** The alert as JSON, without secrets. */
export function alertJson(alert: Alert, workspace: string): string {
  const { kinds, run, until, end, advice } = alert
  return JSON.stringify({
    event: kinds[0],
    run,
    workspace: basename(workspace),
    text: alertLine(alert),
    ...(until === undefined ? {} : { until: new Date(until).toISOString() }),
    ...(end === undefined ? {} : endFields(end)),
    ...(advice === undefined ? {} : { advice }),
  })
}

function endFields(end: RunEnd): object {
  const plain = (text: string): string => redact(text).slice(0, MAX_TEXT)
  return {
    outcome: end.outcome,
    ending: end.ending,
    reason: plain(end.reason),
    ...(end.cause === undefined ? {} : { cause: end.cause }),
    iterations: end.iterations,
    durationMs: end.endedAt - end.startedAt,
    missing: end.missing.slice(0, MAX_MISSING).map(plain),
    ...(end.said === undefined ? {} : { said: plain(end.said) }),
  }
}
