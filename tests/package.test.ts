import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { basename, join, posix } from 'node:path'
import { describe, expect, it } from 'vitest'
import { root } from './source-tree.ts'

interface Manifest {
  readonly bin: Readonly<Record<string, string>>
  readonly exports: Readonly<Record<string, string | Readonly<Record<string, string>>>>
  readonly engines: { readonly node: string }
  readonly license: string
  readonly type: string
}
interface Locked {
  readonly version: string
  readonly resolved?: string
  readonly integrity?: string
  readonly link?: boolean
  readonly optionalDependencies?: Readonly<Record<string, string>>
}

const manifest: Manifest = JSON.parse(read('package.json'))
const locked: Readonly<Record<string, Locked>> = JSON.parse(read('package-lock.json')).packages

function read(path: string): string {
  return readFileSync(join(root, path), 'utf8')
}

/** npm as the one that started this run, else the one on the path; its warnings about the user's own settings are not ours. */
function npm(args: readonly string[]): string {
  const script = process.env.npm_execpath
  const viaNode = script !== undefined && basename(script).startsWith('npm')
  const [command, first] = viaNode ? [process.execPath, [script]] : ['npm', []]
  return execFileSync(command, [...first, ...args], {
    cwd: root,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  })
}

describe('what ships', () => {
  const packed: readonly { readonly files: readonly { readonly path: string; readonly mode: number }[] }[] = JSON.parse(
    npm(['pack', '--dry-run', '--json', '--ignore-scripts']),
  )
  const files = packed[0]!.files.map(({ path }) => path)

  it('is the built code, the schema, the sample and the docs, and nothing else', () => {
    const meant =
      /^(dist\/[\w./-]+\.(js|cjs|d\.ts)|sample\/[\w./-]+\.(js|json|md)|man\/exitgate\.1|docs\/[\w-]+\.md|config\.schema\.json|package\.json|README\.md|CHANGELOG\.md|LICENSE|THIRD-PARTY\.md)$/
    expect(files.filter((path) => !meant.test(path))).toEqual([])
  })

  const targets = [
    ...Object.values(manifest.bin),
    ...Object.values(manifest.exports).flatMap((target) =>
      typeof target === 'string' ? [target] : Object.values(target),
    ),
    'LICENSE',
    'README.md',
    'CHANGELOG.md',
    'sample/agent.js',
    'docs/install.md',
    'man/exitgate.1',
  ].map((path) => path.replace(/^\.\//, ''))
  it.each([...new Set(targets)])('has %s (built by npm test, before vitest)', (path) => {
    expect(files).toContain(path)
  })

  it('starts the command with a shebang, so that it runs when installed', () => {
    expect(read(manifest.bin.exitgate!).split('\n')[0]).toBe('#!/usr/bin/env node')
  })

  it('has every file that a part of the program or of the library asks for', () => {
    const missing = files
      .filter((path) => /^dist\/.*\.c?js$/.test(path))
      .flatMap((path) =>
        [...read(path).matchAll(/(?:\b(?:require|import)\(|\bfrom ?)[`"'](\.{1,2}\/[^`"']+)[`"']/g)]
          .map(([, target = '']) => posix.join(posix.dirname(path), target))
          .filter((target) => !files.includes(target))
          .map((target) => `${path}: ${target}`),
      )
    expect(missing).toEqual([])
  })

  it('asks for libraries by require: import() would start the ES module loader too', () => {
    const parts = files.filter((path) => path.startsWith('dist/cli/'))
    expect(parts.filter((path) => /\bimport\([`"'][\w@]/.test(read(path)))).toEqual([])
    const address = 'postgresql://nobody@127.0.0.1:1/none'
    const asked = spawnSync(
      process.execPath,
      [join(root, manifest.bin.exitgate!), 'fleet', 'status', '--db', address],
      {
        encoding: 'utf8',
      },
    )
    expect([asked.status, asked.stderr]).toEqual([70, expect.stringContaining("Can't reach the database")])
  })
})

describe('package.json', () => {
  it('says what it is', () => {
    expect(manifest).toMatchObject({ type: 'module', license: 'MIT', engines: { node: '>=20.19' } })
    expect(manifest.bin).toEqual({ exitgate: 'dist/cli/cli.cjs' })
    expect(manifest.exports['.']).toEqual({ types: './dist/index.d.ts', default: './dist/index.js' })
    expect(read('LICENSE')).toContain('MIT License')
  })
})

describe('package-lock.json', () => {
  const entries = Object.entries(locked).filter(([path, { link }]) => path !== '' && !link)

  it('names no registry, and knows every package by its hash', () => {
    expect(entries.filter(([, { resolved }]) => resolved !== undefined).map(([path]) => path)).toEqual([])
    expect(entries.filter(([, { integrity }]) => integrity === undefined).map(([path]) => path)).toEqual([])
  })

  // A lock written where a platform's binary could not be had leaves that platform without it for good.
  it('holds the binaries of every platform', () => {
    const names = new Set(entries.map(([path]) => path.split('node_modules/').at(-1)))
    const wanted = entries.flatMap(([, { optionalDependencies }]) => Object.keys(optionalDependencies ?? {}))
    expect(wanted.filter((name) => !names.has(name))).toEqual([])
  })
})

describe('files in git', () => {
  // Put together from halves, because this file is read as well.
  const foreign = [
    ['a path of one machine', new RegExp(String.raw`(?<![\w.~/-])/(wo${'rk'}|ro${'ot'})/`)],
    ['a registry host', new RegExp(`regis${'try'}\\.[a-z]+js|npm\\.pkg\\.github|registry\\.yarn${'pkg'}`)],
  ] as const

  it.for(foreign)('contain no %s', ([, pattern], { skip }) => {
    skip(!existsSync(join(root, '.git')), 'this is a copy without its git history')
    const listed = execFileSync('git', ['ls-files', '-z'], { cwd: root, encoding: 'utf8' }).split('\0').filter(Boolean)
    const present = listed.filter((path) => existsSync(join(root, path)))
    expect(present.length).toBeGreaterThan(20)
    expect(present.filter((path) => pattern.test(read(path)))).toEqual([])
  })

  const samples: [string, boolean][] = [
    [`cd /wo${'rk'}/main`, true],
    [`"/ro${'ot'}/.npmrc"`, true],
    ['/home/runner/work/exitgate', false],
    ['src/root/a.ts', false],
    [`https://regis${'try'}.npmjs.org/x`, true],
  ]
  it.each(samples)('%s: seen %s', (text, seen) => {
    expect(foreign.some(([, pattern]) => pattern.test(text))).toBe(seen)
  })
})
