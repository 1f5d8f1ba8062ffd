import { describe, expect, it } from 'vitest'
import {
  endsProcess,
  endsProcessWithLiteral,
  importsOf,
  looksAway,
  numbersOutcomes,
  reachesOut,
  type Source,
  sources,
} from './source-tree.ts'

interface Room {
  readonly name: string
  /** A path of the room begins with one of these. */
  readonly paths: readonly string[]
  readonly pure: boolean
  /** Other rooms it may know. */
  readonly knows: readonly string[]
  /** Packages it may use; pure rooms only, since an edge may use what it needs. */
  readonly packages?: readonly string[]
}

const nouns = ['types', 'config/types']
const core = [...nouns, 'signals', 'agents', 'test-output', 'policy', 'presets', 'fold', 'loop/types', 'reports']
const edges = [...core, 'config', 'journal', 'evidence']

/** The journal's own pure half: what happened, its fold, and deciding it again. */
const fold = ['events', 'reduce', 'before', 'happenings', 'replay'].map((name) => `src/journal/${name}.ts`)

/** The first row that fits a path is its room. A new folder needs a row here before it may hold code. */
const rooms: readonly Room[] = [
  { name: 'types', paths: ['src/types.ts'], pure: true, knows: [] },
  { name: 'config/types', paths: ['src/config/types.ts'], pure: true, knows: ['types'] },
  { name: 'signals', paths: ['src/signals/'], pure: true, knows: ['types'], packages: ['re2js'] },
  { name: 'agents', paths: ['src/agents/'], pure: true, knows: ['types', 'signals'] },
  {
    name: 'test-output',
    paths: ['src/evidence/test-output/'],
    pure: true,
    knows: ['types'],
    packages: ['saxes', 'tap-parser'],
  },
  { name: 'policy', paths: ['src/policy/'], pure: true, knows: [...nouns, 'signals'] },
  { name: 'presets', paths: ['src/presets/'], pure: true, knows: [...nouns, 'signals', 'policy'] },
  { name: 'fold', paths: fold, pure: true, knows: [...nouns, 'policy'] },
  { name: 'loop/types', paths: ['src/loop/types.ts'], pure: true, knows: [...nouns, 'fold'] },
  {
    name: 'page',
    paths: ['src/reports/page/client/'],
    pure: true,
    knows: ['types', 'reports'],
    packages: ['uplot'],
  },
  {
    name: 'reports',
    paths: ['src/reports/'],
    pure: true,
    knows: ['page', ...nouns, 'signals', 'policy', 'presets', 'fold', 'loop/types', 'backtest', 'learning', 'backlog'],
  },
  { name: 'config', paths: ['src/config/'], pure: false, knows: [...nouns, 'presets'] },
  { name: 'journal', paths: ['src/journal/'], pure: false, knows: [...nouns, 'fold'] },
  { name: 'evidence', paths: ['src/evidence/'], pure: false, knows: [...nouns, 'test-output'] },
  { name: 'inbox', paths: ['src/integrations/signals/'], pure: false, knows: [...nouns, 'journal'] },
  { name: 'loop', paths: ['src/loop/'], pure: false, knows: [...edges, 'inbox'] },
  { name: 'backtest', paths: ['src/backtest/'], pure: true, knows: [...nouns, 'policy', 'fold'] },
  { name: 'learning', paths: ['src/learning/'], pure: true, knows: [...nouns, 'policy', 'fold', 'backtest'] },
  { name: 'backlog', paths: ['src/backlog/'], pure: true, knows: [...nouns, 'loop/types'], packages: ['yaml'] },
  { name: 'parallel', paths: ['src/parallel/'], pure: false, knows: [...edges, 'loop', 'backlog'] },
  { name: 'fleet', paths: ['src/fleet/'], pure: false, knows: [...edges, 'loop', 'backlog', 'parallel'] },
  {
    name: 'watch page',
    paths: ['src/integrations/watch/client/'],
    pure: false,
    knows: ['types', 'reports', 'page'],
  },
  {
    name: 'integrations',
    paths: ['src/integrations/'],
    pure: false,
    knows: [...edges, 'loop', 'inbox', 'page', 'watch page'],
  },
  { name: 'index', paths: ['src/index.ts'], pure: false, knows: [...edges, 'loop', 'backtest', 'learning'] },
  {
    name: 'cli',
    paths: ['src/cli/'],
    pure: false,
    knows: [...edges, 'loop', 'backtest', 'learning', 'backlog', 'parallel', 'fleet', 'inbox', 'integrations', 'index'],
  },
]

/** Longer than the rest, each with its reason. */
const longFiles: Readonly<Record<string, { readonly lines: number; readonly why: string }>> = {
  'src/types.ts': { lines: 340, why: 'the nouns are read side by side, and there is no code among them' },
}

const tree = sources('src')
const rows = tree.map((source) => ({ ...source, room: roomOf(source.path) }))

function roomOf(path: string): Room | undefined {
  return rooms.find((room) =>
    room.paths.some((start) => path === start || (start.endsWith('/') && path.startsWith(start))),
  )
}

/** Imports a room has no business with. */
function strangers(source: Source, room: Room): string[] {
  return importsOf(source).filter((target) => {
    if (!target.startsWith('src/')) return room.pure && !(room.packages ?? []).includes(target)
    const other = roomOf(target)
    return other === undefined || (other !== room && !room.knows.includes(other.name))
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

describe('the rooms', () => {
  it('hold every file: a new folder needs a row in this test', () => {
    expect(rows.filter(({ room }) => room === undefined).map(({ path }) => path)).toEqual([])
  })

  it.each(rooms)('$name knows only the rooms it may', (room) => {
    const own = rows.filter((row) => row.room === room)
    expect(offences(own, (source) => strangers(source, room))).toEqual({})
  })

  it.each(rooms.filter(({ pure }) => pure))('$name needs no clock, no chance and no surroundings', (room) => {
    const own = rows.filter((row) => row.room === room)
    expect(offences(own, reachesOut)).toEqual({})
  })

  it('leave exit codes to the cli', () => {
    const others = rows.filter(({ room }) => room?.name !== 'cli')
    expect(offences(others, (source) => [...numbersOutcomes(source), ...endsProcess(source)])).toEqual({})
  })

  it('keep exit codes in one file of the cli', () => {
    const own = rows.filter(({ room, path }) => room?.name === 'cli' && path !== 'src/cli/exit-codes.ts')
    expect(offences(own, (source) => [...numbersOutcomes(source), ...endsProcessWithLiteral(source)])).toEqual({})
  })
})

describe('every file of src', () => {
  it('is short', () => {
    const tooLong = ({ path, text }: Source) => {
      const lines = text.split('\n').length - 1
      return lines > (longFiles[path]?.lines ?? 250) ? [`${lines} lines`] : []
    }
    expect(offences(tree, tooLong)).toEqual({})
  })

  it('hides nothing from the compiler', () => {
    expect(offences(tree, looksAway)).toEqual({})
  })

  it('has a name that says what is in it', () => {
    expect(
      tree.map(({ path }) => path).filter((path) => /\/(utils?|helpers?|misc|common)(\.ts|\/)/.test(path)),
    ).toEqual([])
  })
})

describe('the list of long files', () => {
  it.each(Object.entries(longFiles))('%s still needs its place there', (path, { lines }) => {
    const length = tree.find((source) => source.path === path)?.text.split('\n').length ?? 0
    expect(length).toBeGreaterThan(250)
    expect(length).toBeLessThanOrEqual(lines)
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
    ['const a = import.meta.url', ['1: import.meta.url']],
    ['setTimeout(go, 1)', ['1: setTimeout']],
    ['// Date.now() and process.env are for the edge\nconst a = "Math.random()"', []],
    ['const a = job.process\nconst b = { fetch: 1 }', []],
  ]
  it.each(reached)('out of %j', (text, found) => {
    expect(reachesOut({ path: 'src/policy/a.ts', text })).toEqual(found)
  })

  const imported: [string, string, string[]][] = [
    ['src/policy/a.ts', "import fs from 'node:fs'", ['node:fs']],
    ['src/policy/a.ts', "const fs = await import('node:fs')", ['node:fs']],
    ['src/policy/rules/a.ts', "import type { P } from '../../presets/index.ts'", ['src/presets/index.ts']],
    ['src/policy/a.ts', "export * from '../journal/log.ts'", ['src/journal/log.ts']],
    ['src/policy/a.ts', "import { fold } from '../journal/reduce.ts'", ['src/journal/reduce.ts']],
    ['src/policy/a.ts', "import { main } from '../cli/main.ts'", ['src/cli/main.ts']],
    ['src/policy/a.ts', "import { x } from '../attic/x.ts'", ['src/attic/x.ts']],
    ['src/policy/a.ts', "import type { Config } from '../config/types.ts'\nimport { b } from './b.ts'", []],
    ['src/policy/a.ts', "import { load } from '../config/load.ts'", ['src/config/load.ts']],
    ['src/signals/a.ts', "import { decide } from '../policy/decide.ts'", ['src/policy/decide.ts']],
    ['src/signals/a.ts', "import { RE2JS } from 're2js'", []],
    ['src/presets/a.ts', "import { load } from '../config/load.ts'", ['src/config/load.ts']],
    ['src/presets/a.ts', "import * as v from 'valibot'", ['valibot']],
    ['src/loop/a.ts', "import { main } from '../cli/main.ts'", ['src/cli/main.ts']],
    ['src/evidence/checks/a.ts', "import fs from 'node:fs'", []],
  ]
  it.each(imported)('in %s: %s', (path, text, found) => {
    expect(strangers({ path, text }, roomOf(path)!)).toEqual(found)
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
