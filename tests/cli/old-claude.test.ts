import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { oldClaude } from '../../src/cli/doctor/old-claude.ts'
import { project } from './run-cli.ts'

/** A `claude` on the PATH, as npm installs it. */
function installed(manifest: object): { readonly dir: string; readonly PATH: string } {
  const { root, dir } = project()
  const folder = join(root, 'lib/node_modules/claude')
  const PATH = join(root, 'bin')
  for (const each of [folder, PATH]) mkdirSync(each, { recursive: true })
  writeFileSync(join(folder, 'package.json'), JSON.stringify(manifest))
  writeFileSync(join(folder, 'cli.js'), '', { mode: 0o755 })
  symlinkSync(join(folder, 'cli.js'), join(PATH, 'claude'))
  return { dir, PATH }
}

const name = '@anthropic-ai/claude-code'
const old = { name, version: '2.1.197', engines: { node: '>=18.0.0' } }

it.each<[about: string, manifest: object, node: string, expected: readonly string[]]>([
  [
    'an old version on the Node that npm chose it for',
    old,
    '20.19.0',
    ['Claude Code 2.1.197 is old: with Node 20, npm silently picks the last version that supports it'],
  ],
  ['a newer Node', old, '22.1.0', []],
  ['the newest version', { name, version: '2.1.325', engines: { node: '>=22.0.0' } }, '20.19.0', []],
  ['another program of this name', { ...old, name: 'claude' }, '20.19.0', []],
])('doctor and Claude Code: %s', (_about, manifest, node, expected) => {
  const { dir, PATH } = installed(manifest)
  const write = () => {}
  const io = { stdout: { write }, stderr: { write }, env: { PATH }, cwd: dir, home: dir, platform: 'linux' }
  expect(oldClaude(dir, { ...io, now: () => 0 }, node).map(({ text }) => text)).toEqual(expected)
})
