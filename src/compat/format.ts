import type { BreakerState } from '../core/types.ts'
import type { CompatInput } from './types.ts'

/** `2026-01-13T11:30:00Z`: the older tools write whole seconds in UTC. */
export const isoTime = (at: number): string => new Date(at).toISOString().replace(/\.\d+Z$/, 'Z')

/** `2026-01-13 11:30:00`, as in tables and logs for people. */
export const plainTime = (at: number): string => isoTime(at).replace('T', ' ').replace('Z', '')

/** Makes any text fit on one line. */
export const oneLine = (text: string): string =>
  text
    .replace(/[\u0000-\u001F\u007F-\u009F\u2028\u2029]+/g, ' ')
    .replace(/ {2,}/g, ' ')
    .trim()

export const json = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`

const BREAKER_NAMES: Readonly<Record<BreakerState, string>> = {
  closed: 'CLOSED',
  'half-open': 'HALF_OPEN',
  open: 'OPEN',
}
export const breakerName = (state: BreakerState): string => BREAKER_NAMES[state]

/** `1h 2m` of whole seconds. */
export const hoursAndMinutes = (seconds: number): string =>
  `${Math.floor(seconds / 3600)}h ${Math.floor((seconds % 3600) / 60)}m`

export type Json = Readonly<Record<string, unknown>>
export const isJson = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** The file of an earlier decision; empty if it is missing or broken. */
export function readJson(input: Pick<CompatInput, 'read'>, path: string): Json {
  try {
    const value: unknown = JSON.parse(input.read(path) ?? '')
    return isJson(value) ? value : {}
  } catch {
    return {}
  }
}

export const listIn = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])

/** Numbers of a list; the older tools wrote some as strings. */
export const numbersIn = (value: unknown): number[] =>
  listIn(value)
    .map((item) =>
      typeof item === 'number' || (typeof item === 'string' && item.trim() !== '') ? Number(item) : Number.NaN,
    )
    .filter(Number.isFinite)

export const taskOf = (input: CompatInput): string => oneLine(input.observation.task ?? input.state.task ?? '')

/** Whether the task or the phase completed. A review that sends the work back completes nothing. */
export const passed = ({ verdict, observation }: CompatInput): boolean => {
  if (verdict.action === 'stop') return verdict.outcome === 'completed'
  if (verdict.action !== 'advance') return false
  return observation.forced !== undefined || (verdict.gate.claim === 'yes' && verdict.gate.proof === 'yes')
}

/** Seconds since the run began. */
export const runSeconds = ({ state, at }: CompatInput): number =>
  Math.max(0, Math.floor((at - (state.startedAt ?? at)) / 1000))
