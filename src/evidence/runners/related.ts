import { existsSync } from 'node:fs'
import { dirname, join, posix } from 'node:path'
import { isRunnerConfig } from '../../../packages/exitgate/src/frameworks/test-files.ts'
import type { Detected, RunOptions, Workspace } from '../types.ts'
import { argumentsOf, callWord, hasOption, withOptions } from './call.ts'

export interface RelatedContext {
  readonly workspace: Workspace
  /** Paths that changed since the baseline, relative to the workspace. */
  readonly changed: readonly string[]
  /** The commit at the start of the run. */
  readonly head?: string | undefined
  readonly limits: RunOptions
}

/** Longer lists of arguments may not fit, and then most of the project changed anyway. */
const MOST_FILES = 200

/**
 * The command limited to the tests that depend on the changes, with the runner's own means. Undefined if the runner has none, or if
 * it is not sure that they work here.
 */
export async function relatedTests(detected: Detected, context: RelatedContext): Promise<Detected | undefined> {
  // With other settings, any test may give another result.
  if (
    context.changed.some((path) => isRunnerConfig(path) || /(?:^|\/)(?:package\.json|go\.(?:mod|sum|work))$/.test(path))
  )
    return undefined
  switch (detected.runner) {
    case 'vitest':
      return vitest(detected, context)
    case 'jest':
      return jest(detected, context)
    case 'pytest':
      return testmon(detected, context)
    case 'go':
      return goPackages(detected, context)
    default:
      return undefined
  }
}

const withOnly = (detected: Detected, only: readonly string[]): Detected | undefined =>
  withOptions(detected, only) === undefined ? undefined : { ...detected, only }

/** It asks git which files changed, committed or not. */
function vitest(detected: Detected, { head }: RelatedContext): Detected | undefined {
  if (head === undefined || hasOption(detected, '--changed', 'related')) return undefined
  return withOnly(detected, [`--changed=${head}`, '--passWithNoTests'])
}

function jest(detected: Detected, { workspace, changed }: RelatedContext): Detected | undefined {
  const set = ['--findRelatedTests', '--onlyChanged', '-o', '--changedSince', '--runTestsByPath']
  const files = changed.filter((path) => /\.[cm]?[jt]sx?$/.test(path) && existsSync(join(workspace.dir, path)))
  if (files.length > MOST_FILES || hasOption(detected, ...set)) return undefined
  const words = files.map((path) => `./${posix.relative(detected.cwd || '.', path)}`)
  return withOnly(detected, ['--passWithNoTests', '--findRelatedTests', ...words])
}

/** pytest-testmon keeps what each test uses in a file. Without that file the project doesn't use it. */
function testmon(detected: Detected, { workspace }: RelatedContext): Detected | undefined {
  if (!existsSync(join(workspace.dir, detected.cwd, '.testmondata'))) return undefined
  if (hasOption(detected, '--testmon', '--no-testmon')) return undefined
  const command = withOptions(detected, ['--testmon'])
  return command === undefined ? undefined : { ...detected, command }
}

/** Packages with a changed file, and those whose tests import one of them. */
async function goPackages(detected: Detected, context: RelatedContext): Promise<Detected | undefined> {
  const { workspace, changed, limits } = context
  const all = './...'
  if (detected.behind !== undefined || !argumentsOf(detected).includes(all)) return undefined
  const listed = await workspace.run(['go', 'list', '-e', '-test', '-f', FORMAT, all], {
    ...limits,
    cwd: detected.cwd,
    separate: true,
  })
  if (listed.ended !== 'exit' || listed.code !== 0) return undefined
  const packages = (listed.stdout ?? '').split('\n').flatMap((line) => {
    const [name = '', dir = '', deps = ''] = line.split('|')
    return name === '' ? [] : [{ name: bare(name), dir, deps: deps.split(',').map(bare) }]
  })
  const folders = new Map(packages.filter(({ name }) => !name.endsWith('.test')).map(({ dir, name }) => [dir, name]))
  const touched = new Set(changed.flatMap((path) => packageOf(join(workspace.dir, path), folders) ?? []))
  const affected = packages.flatMap(({ name, deps }) => {
    const own = name.endsWith('.test') ? name.slice(0, -'.test'.length) : undefined
    return own !== undefined && (touched.has(own) || deps.some((dep) => touched.has(dep))) ? [own] : []
  })
  if (affected.length === 0 || affected.length > MOST_FILES) return undefined
  const names = [...new Set(affected)].map(callWord).join(' ')
  return { ...detected, command: detected.command.replace(all, () => names) }
}

const FORMAT = '{{.ImportPath}}|{{.Dir}}|{{join .Deps ","}}'
/** `example.com/a [example.com/b.test]` is `example.com/a`, built for a test. */
const bare = (name: string): string => name.replace(/ \[.*$/, '')

/** Data next to the code belongs to the package above it. */
function packageOf(path: string, folders: ReadonlyMap<string, string>): string | undefined {
  for (let dir = dirname(path); ; dir = dirname(dir)) {
    const name = folders.get(dir)
    if (name !== undefined || dir === dirname(dir)) return name
  }
}
