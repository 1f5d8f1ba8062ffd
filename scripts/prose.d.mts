import type { Prose } from './lint-prose.mjs'

export function proseIn(file: string, source?: string): readonly Prose[]
