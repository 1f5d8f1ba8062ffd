import { expect } from 'vitest'
import { readWithPatterns } from '../../src/core/signals/user-patterns.ts'
import type { ReadOptions, Signals, Transcript } from '../../src/core/types.ts'
import { transcript } from './transcript.ts'

/** A message, some of the signals in it, and what else the reader gets. */
export type More = ReadOptions & Partial<Transcript>
type Heard = { readonly [Key in keyof Signals]?: Signals[Key] | undefined }
export type Row = [name: string, message: string, heard: Heard, more?: More]

export const check = (_name: string, message: string, heard: Heard, more: More = {}) => {
  const signals = readWithPatterns(transcript(message, more), more)
  expect(Object.fromEntries(Object.keys(heard).map((key) => [key, signals[key as keyof Signals]]))).toEqual(heard)
}

export const YES = 'EXIT_STATUS: COMPLETE'
export const NO = 'EXIT_STATUS: CONTINUE'
export const fence = (text: string) => `\`\`\`\n${text}\n\`\`\``
export const CLAIMED = { claim: true, vetoes: [] as string[] }
export const SILENT = { claim: undefined, vetoes: [] as string[] }
