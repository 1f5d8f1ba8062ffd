import { describe, expect, it } from 'vitest'
import {
  cycles,
  endsProcess,
  endsProcessWithLiteral,
  importsOf,
  looksAway,
  numbersOutcomes,
  reachesOut,
} from './source-code.ts'
import { type Source, sources } from './source-tree.ts'

interface Module {
  readonly name: string
  readonly paths: readonly string[]
  /** No clock, no chance, no environment, and only the packages listed. */
  readonly pure?: true
  readonly packages?: readonly string[]
  /** Modules above it in the list that it may not import all the same. */
  readonly not?: readonly string[]
}

/**
 * Every module may import those above it in this list, values and types alike, and none below. The longest path that fits a
 * file is its module; a new folder needs a row before it may hold code. Packages come first: they import nothing from `src/`.
 */
const modules: readonly Module[] = [
  { name: 'packages/core', paths: ['packages/core/'], pure: true },
  { name: 'test-output', paths: ['packages/test-output/'], pure: true, packages: ['saxes'], not: ['packages/core'] },
  { name: 'tree', paths: ['packages/exitgate/src/tree/'], pure: true },
  { name: 'code', paths: ['packages/exitgate/src/code/'], pure: true },
  { name: 'frameworks', paths: ['packages/exitgate/src/frameworks/'], pure: true },
  { name: 'agent-output', paths: ['packages/exitgate/src/agents/'], pure: true },
  { name: 'hook-hosts', paths: ['packages/exitgate/src/hooks/'] },
  { name: 'checks', paths: ['packages/exitgate/src/checks/'], pure: true },
  { name: 'completion', paths: ['packages/exitgate/src/cli/'], pure: true },
  { name: 'run', paths: ['packages/exitgate/src/run/'], pure: true },
  {
    name: 'types',
    paths: ['types', 'failure-cause', 'config', 'run-config', 'preset'].map((name) => `src/core/${name}.ts`),
    pure: true,
  },
  { name: 'accepting', paths: ['src/core/accepting.ts'], pure: true },
  { name: 'own-parts', paths: ['src/core/own-parts.ts'], pure: true },
  { name: 'signals', paths: ['src/core/signals/'], pure: true, packages: ['re2js'] },
  { name: 'policy', paths: ['src/core/policy/'], pure: true },
  { name: 'presets', paths: ['src/core/presets/'], pure: true },
  { name: 'core', paths: ['src/core/'], pure: true },
  { name: 'agents', paths: ['src/agents/'], pure: true, packages: ['jsonc-parser'], not: ['policy', 'presets'] },
  { name: 'backlog', paths: ['src/backlog/'], pure: true, packages: ['yaml'] },
  { name: 'backtest', paths: ['src/backtest/'], pure: true },
  { name: 'learning', paths: ['src/learning/'], pure: true },
  { name: 'compat', paths: ['src/compat/'], pure: true },
  { name: 'reports', paths: ['src/reports/'], pure: true, packages: ['uplot', 'diff', 'prismjs'] },
  { name: 'system', paths: ['src/system/'], not: ['signals', 'policy', 'presets', 'agents', 'reports', 'test-output'] },
  { name: 'config', paths: ['src/config/'] },
  { name: 'journal', paths: ['src/journal/'] },
  { name: 'inbox', paths: ['src/inbox/'] },
  { name: 'evidence', paths: ['src/evidence/'], not: ['signals', 'policy', 'presets', 'agents', 'journal', 'reports'] },
  { name: 'loop', paths: ['src/loop/'], not: ['reports', 'backtest', 'learning', 'backlog'] },
  { name: 'parallel', paths: ['src/parallel/'] },
  { name: 'fleet', paths: ['src/fleet/'] },
  { name: 'hooks', paths: ['src/hooks/'], not: ['parallel', 'fleet'] },
  { name: 'mcp', paths: ['src/mcp/'], not: ['parallel', 'fleet', 'hooks'] },
  { name: 'ci', paths: ['src/ci/'], not: ['parallel', 'fleet', 'hooks'] },
  { name: 'watch', paths: ['src/watch/'], not: ['parallel', 'fleet', 'hooks'] },
  { name: 'library', paths: ['src/index.ts', 'src/library/'], not: ['parallel', 'fleet', 'hooks', 'watch'] },
  { name: 'cli', paths: ['src/cli/'] },
]

const tree = [...sources('packages'), ...sources('src')]
const rows = tree.map((source) => ({ ...source, module: moduleOf(source.path) }))

function moduleOf(path: string): Module | undefined {
  const fits = (start: string) => path === start || (start.endsWith('/') && path.startsWith(start))
  const length = (module: Module) => Math.max(0, ...module.paths.filter(fits).map((start) => start.length))
  const best = modules.toSorted((a, b) => length(b) - length(a))[0]
  return best !== undefined && length(best) > 0 ? best : undefined
}

/** `name` or `@scope/name`, without the path of a file in it. */
const packageOf = (target: string): string => /^(?:@[^/]+\/)?[^/]+/.exec(target)?.[0] ?? target

/** Imports a module may not have. */
function forbidden(source: Source, module: Module): string[] {
  return importsOf(source).filter((target) => {
    if (!/^(?:src|packages)\//.test(target))
      return module.pure === true && !(module.packages ?? []).includes(packageOf(target))
    const other = moduleOf(target)
    if (other === undefined) return true
    return modules.indexOf(other) > modules.indexOf(module) || (module.not ?? []).includes(other.name)
  })
}

/** What a look at every file brought up, by path; files without a finding are left out. */
function offences(
  files: readonly Source[],
  look: (source: Source) => readonly string[],
): Record<string, readonly string[]> {
  return Object.fromEntries(
    files.map((file) => [file.path, look(file)] as const).filter(([, found]) => found.length > 0),
  )
}

describe('the modules', () => {
  it('hold every file: a new folder needs a row in this test', () => {
    expect(rows.filter(({ module }) => module === undefined).map(({ path }) => path)).toEqual([])
  })

  it.each(modules)('$name imports only what is above it', (module) => {
    const own = rows.filter((row) => row.module === module)
    expect(offences(own, (source) => forbidden(source, module))).toEqual({})
  })

  it.each(modules.filter(({ pure }) => pure))('$name needs no clock, no chance and no environment', (module) => {
    const own = rows.filter((row) => row.module === module)
    expect(offences(own, reachesOut)).toEqual({})
  })

  it('have no import cycles between files', () => {
    expect(cycles(rows)).toEqual([])
  })

  it('leave exit codes to the cli', () => {
    const others = rows.filter(({ module }) => module?.name !== 'cli')
    expect(offences(others, (source) => [...numbersOutcomes(source), ...endsProcess(source)])).toEqual({})
  })

  it('keep exit codes in one file of the cli', () => {
    const own = rows.filter(({ module, path }) => module?.name === 'cli' && path !== 'src/cli/exit-codes.ts')
    expect(offences(own, (source) => [...numbersOutcomes(source), ...endsProcessWithLiteral(source)])).toEqual({})
  })
})

describe('every file', () => {
  it('hides nothing from the compiler', () => {
    expect(offences(tree, looksAway)).toEqual({})
  })

  it('has a name that says what is in it', () => {
    expect(
      tree.map(({ path }) => path).filter((path) => /\/(utils?|helpers?|misc|common)(\.ts|\/)/.test(path)),
    ).toEqual([])
  })
})

describe('this test sees what it looks for', () => {
  const reached: [string, string[]][] = [
    ['const a = Date.now()', ['1: Date.now']],
    ['const a = new Date()', ['1: new Date()']],
    ['const a = new Date(at)', []],
    ['const a = Math.random()', ['1: Math.random']],
    ['\nconst a = process.env.HOME', ['2: process']],
    ['const a = { process }', ['1: process']],
    ['const a: Buffer = Buffer.alloc(1)', ['1: Buffer']],
    ['const a = import.meta.url', ['1: import.meta.url']],
    ['setTimeout(go, 1)', ['1: setTimeout']],
    ['// Date.now() and process.env are for the edge\nconst a = "Math.random()"', []],
    ['const a = job.process\nconst b = { fetch: 1 }', []],
  ]
  it.each(reached)('out of %j', (text, found) => {
    expect(reachesOut({ path: 'src/core/policy/a.ts', text })).toEqual(found)
  })

  const imported: [string, string, string[]][] = [
    ['src/core/policy/a.ts', "import fs from 'node:fs'", ['node:fs']],
    ['src/core/policy/a.ts', "const fs = await import('node:fs')", ['node:fs']],
    ['src/core/policy/rules/a.ts', "import type { P } from '../../presets/index.ts'", ['src/core/presets/index.ts']],
    ['src/core/policy/a.ts', "export * from '../journal/reduce.ts'", ['src/core/journal/reduce.ts']],
    ['src/core/policy/a.ts', "import { main } from '../../cli/main.ts'", ['src/cli/main.ts']],
    ['src/core/policy/a.ts', "import { x } from '../../attic/x.ts'", ['src/attic/x.ts']],
    ['src/core/policy/a.ts', "import type { Config } from '../config.ts'\nimport { b } from './b.ts'", []],
    ['src/core/signals/a.ts', "import { decide } from '../policy/decide.ts'", ['src/core/policy/decide.ts']],
    ['src/core/signals/a.ts', "import { RE2JS } from 're2js'", []],
    ['src/core/presets/a.ts', "import * as v from 'valibot'", ['valibot']],
    ['src/loop/a.ts', "import { main } from '../cli/main.ts'", ['src/cli/main.ts']],
    ['src/loop/a.ts', "import type { Model } from '../reports/page/model.ts'", ['src/reports/page/model.ts']],
    ['src/evidence/checks/a.ts', "import fs from 'node:fs'", []],
    ['packages/core/src/a.ts', "import { x } from '../../../src/core/types.ts'", ['src/core/types.ts']],
  ]
  it.each(imported)('in %s: %s', (path, text, found) => {
    expect(forbidden({ path, text }, moduleOf(path)!)).toEqual(found)
  })

  it('cycles', () => {
    const file = (path: string, target: string) => ({ path, text: `import type { X } from '${target}'` })
    expect(cycles([file('src/a.ts', './b.ts'), file('src/b.ts', './c.ts'), file('src/c.ts', './b.ts')])).toEqual([
      ['src/b.ts', 'src/c.ts'],
    ])
  })

  it('any, and comments that silence the compiler', () => {
    const text = 'let a: any\n// @ts-ignore\nlet b = "any"\n// any\n'
    expect(looksAway({ path: 'src/a.ts', text })).toEqual(['1: any', '2: @ts comment'])
  })

  it('exit codes', () => {
    const text = 'const codes = { completed: 0, stuck: 1 }\nprocess.exit(3)\nprocess.exitCode = codes.stuck\n'
    const source = { path: 'src/loop/a.ts', text }
    expect(numbersOutcomes(source)).toEqual(['1: { completed: 0, stuck: 1 }'])
    expect(endsProcess(source)).toEqual(['2: process.exit', '3: process.exitCode'])
    expect(endsProcessWithLiteral(source)).toEqual(['2: process.exit(3)'])
    expect(numbersOutcomes({ path: 'src/a.ts', text: 'const seen = { completed: 1, total: 2 }' })).toEqual([])
  })
})
