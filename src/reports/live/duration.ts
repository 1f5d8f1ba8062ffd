import type { Spent } from '../../core/types.ts'

const two = (value: number): string => String(value).padStart(2, '0')

/** `41s`, `3m 12s`, `2h 05m`, `3d 04h`: two steps of exactness are enough to wait by. */
export function durationText(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1000)) || 0
  if (seconds < 60) return `${seconds}s`
  if (seconds < 3600) return `${Math.floor(seconds / 60)}m ${two(seconds % 60)}s`
  if (seconds < 86_400) return `${Math.floor(seconds / 3600)}h ${two(Math.floor((seconds % 3600) / 60))}m`
  return `${Math.floor(seconds / 86_400)}d ${two(Math.floor((seconds % 86_400) / 3600))}h`
}

/** `14:05:09` on a clock so many minutes ahead of UTC; a time that is none gives none. */
export function clockText(at: number, zone: number): string {
  const date = new Date(at + zone * 60_000)
  return Number.isNaN(date.getTime()) ? '--:--:--' : date.toISOString().slice(11, 19)
}

/** `950`, `84k`, `1.2M`. */
export function amountText(value: number): string {
  if (value < 1000) return String(Math.round(value))
  if (value < 999_500) return `${Math.round(value / 1000)}k`
  return `${(value / 1_000_000).toFixed(1)}M`
}

/** `3m 12s, 84k tokens, $0.12`. An agent that does not report what it uses leaves zeros. */
export function spentText({ ms, tokens, usd }: Spent): string {
  const used = [durationText(ms), ...(tokens > 0 ? [`${amountText(tokens)} tokens`] : [])].join(', ')
  if (usd > 0) return `${used}, $${usd.toFixed(2)}`
  return `${used}, ${tokens > 0 ? 'cost' : 'tokens and cost'} unknown`
}
