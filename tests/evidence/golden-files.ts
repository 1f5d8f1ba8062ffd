import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect } from 'vitest'

const golden = fileURLToPath(new URL('../golden/', import.meta.url))

/** Names of the cases in a folder: every file with this ending, without the ending. */
export const goldenCases = (folder: string, ending: string): string[] =>
  readdirSync(join(golden, folder))
    .filter((name) => name.endsWith(ending))
    .map((name) => name.slice(0, -ending.length))
    .sort()

export const goldenText = (path: string): string => readFileSync(join(golden, path), 'utf8')

/** Compares with the stored file. UPDATE_GOLDEN=1 stores the new result instead; review it before you commit. */
export function expectGolden(path: string, actual: string): void {
  const file = join(golden, path)
  if (process.env.UPDATE_GOLDEN === '1') writeFileSync(file, actual)
  expect(existsSync(file), `${path} is missing: run once with UPDATE_GOLDEN=1 and read what it stored`).toBe(true)
  expect(actual).toBe(readFileSync(file, 'utf8'))
}
