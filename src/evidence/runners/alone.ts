import { BY_CODE, goTests, unique } from '../../../packages/exitgate/src/frameworks/by-code.ts'
import type { OrderOptions } from '../../../packages/exitgate/src/frameworks/shuffle.ts'
import type { TestCase } from '../../../packages/test-output/src/types.ts'
import type { Detected } from '../types.ts'
import { hasOption, withOptions, withOptionsAfter } from './call.ts'

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

/** The command limited to the tests in these files, for runners to which a file can't be left out; undefined if there is no sure way. */
export function onlyFiles(
  detected: Detected,
  files: readonly string[],
  read: (path: string) => string | undefined = () => undefined,
): Detected | undefined {
  const { runner = '', cwd, command, behind } = detected
  const start = cwd === '' || cwd === '.' ? '' : `${cwd}/`
  const own = files.filter((file) => file.startsWith(start)).map((file) => file.slice(start.length))
  if (own.length === 0 || own.length > MOST_FILES || behind !== undefined) return undefined
  if (runner === 'go') {
    const folders = unique(own.map((path) => `./${path.includes('/') ? path.slice(0, path.lastIndexOf('/')) : ''}`))
    const names = goTests(own.map((path) => read(`${start}${path}`)))
    const named = names && withOptionsAfter(command, 'go', 'test', ['-run', `^(${names.join('|')})$`])
    const line = named ?? command
    if (/(?:^|\s)\.\/\.\.\.(?=\s|$)/.test(line))
      return { ...detected, command: line.replace('./...', () => folders.join(' ')) }
    return named === undefined ? undefined : { ...detected, command: named }
  }
  const options = BY_CODE[runner]?.(own)
  const limited = options && withOptions(detected, options)
  return limited === undefined ? undefined : { ...detected, command: limited }
}

/** The command with its tests in another order; undefined if the options would not get there, or if it has its own. */
export function inOrder(detected: Detected, { after, options }: OrderOptions): Detected | undefined {
  const { command, runner = '', behind, only = [] } = detected
  if (hasOption(detected, ...options.map((option) => option.replace(/=.*/, '')))) return undefined
  if (behind !== undefined)
    return after !== undefined || withOptions(detected, options) === undefined
      ? undefined
      : { ...detected, only: [...options, ...only] }
  const ordered =
    after === undefined ? withOptions(detected, options) : withOptionsAfter(command, runner, after, options)
  return ordered === undefined ? undefined : { ...detected, command: ordered }
}
