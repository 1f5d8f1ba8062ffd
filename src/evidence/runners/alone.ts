import type { TestCase } from '../../../packages/test-output/src/types.ts'
import type { Detected } from '../types.ts'
import { withOptions, withOptionsAfter } from './call.ts'

/** Runners that take files at the end of their call. */
const BY_FILE = new Set(['vitest', 'jest', 'mocha', 'ava', 'tap', 'node', 'pytest', 'rspec', 'bats', 'bun'])
/** A longer command line may be refused by the system. */
const MOST_FILES = 100

/** The command that runs only the files or functions of these tests; undefined if the runner has no sure way to do it. */
export function alone(detected: Detected, tests: readonly TestCase[]): Detected | undefined {
  const { runner, cwd, behind } = detected
  if (runner === 'go' && behind === undefined) {
    const names = tests.map(({ name }) => /(?:^|> )((?:Test|Example|Fuzz)[^/\s]*)[^>]*$/.exec(name)?.[1])
    if (names.some((name) => name === undefined)) return undefined
    const command = withOptionsAfter(detected.command, 'go', 'test', ['-run', `^(${[...new Set(names)].join('|')})$`])
    return command === undefined ? undefined : { ...detected, command }
  }
  if (runner === undefined || !BY_FILE.has(runner)) return undefined
  const start = cwd === '' || cwd === '.' ? '' : `${cwd}/`
  const files = [...new Set(tests.map(({ file }) => file))]
  if (files.length > MOST_FILES) return undefined
  const own = files.map((file) => (file?.startsWith(start) === true ? file.slice(start.length) : undefined))
  if (own.some((file) => file === undefined || file === '' || file.startsWith('-') || file.startsWith('/')))
    return undefined
  const command = withOptions(detected, own as readonly string[])
  if (command === undefined) return undefined
  return behind === undefined ? { ...detected, command } : { ...detected, only: own as readonly string[] }
}
