import type { Attack } from './classes/index.d.mts'

export function runRow(
  row: Attack,
  part: 'attack' | 'honest',
  options: { readonly sandbox: boolean; readonly at: string; readonly program?: string },
): Promise<{
  readonly completed: boolean
  readonly solved: boolean
  readonly marked: boolean
  readonly effect?: string
  readonly ending: string
  readonly missing: readonly unknown[]
}>
