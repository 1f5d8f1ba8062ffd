import { amountText, durationText } from '../../live/duration.ts'

const LATEST = 8.64e15

/** In the reader's own zone and manner. */
export function whenText(at: number): string {
  if (!(Math.abs(at) <= LATEST)) return 'an unknown time'
  return new Date(at).toLocaleString(undefined, { dateStyle: 'medium', timeStyle: 'medium' })
}

export const spanText = (ms: number): string =>
  ms < 10_000 ? `${(Math.max(0, ms) / 1000).toFixed(1)}s` : durationText(ms)
export const moneyText = (usd: number): string => `$${usd.toFixed(usd > 0 && usd < 0.1 ? 3 : 2)}`
export const tokensText = (tokens: number): string => `${amountText(tokens)} tokens`
export const plural = (n: number, one: string, many = `${one}s`): string =>
  `${n.toLocaleString('en')} ${n === 1 ? one : many}`
