import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { root } from '../source-tree.ts'

const base = mkdtempSync(join(tmpdir(), 'exitgate-launch-'))
const workspace = join(base, 'workspace')
mkdirSync(workspace)
afterAll(() => rmSync(base, { recursive: true, force: true }))

const start = (folder: string, args: readonly string[], env: Readonly<Record<string, string>> = {}) =>
  spawnSync(process.execPath, [join(folder, 'cli.cjs'), ...args], { cwd: workspace, env, encoding: 'utf8' })
const built = join(root, 'dist/cli')

describe('the built program', () => {
  it('caches nothing, because an agent with the same user could replace the cache with its own code', () => {
    const home = join(base, 'home')
    mkdirSync(home)
    expect(start(built, ['check', '--no-record', '--evidence', evidence()], { HOME: home }).stderr).toBe('')
    expect(readdirSync(home, { recursive: true })).toEqual([])
  })

  it('has no file that uses another one before that is loaded', () => {
    const script = `const { readdirSync, writeSync } = require('node:fs'), problems = []
      process.setMaxListeners(0)
      process.emitWarning = (warning) => problems.push(String(warning))
      for (const file of readdirSync('.')) {
        for (const loaded of Object.keys(require.cache)) delete require.cache[loaded]
        try { require('./' + file) } catch (error) { problems.push(file + ': ' + error) }
      }
      writeSync(2, problems.join())
      process.exit()`
    const { stderr, status } = spawnSync(process.execPath, ['-e', script], { cwd: built, env: {}, encoding: 'utf8' })
    expect([stderr, status]).toEqual(['', 0])
  })

  it('reports which of its files is missing', () => {
    const broken = join(base, 'broken')
    cpSync(built, broken, { recursive: true })
    rmSync(join(broken, 'signals.cjs'))
    rmSync(join(broken, 'help.cjs'))
    for (const [args, file] of [
      [['check'], 'signals'],
      [['--help'], 'help'],
    ] as const) {
      const { status, stderr } = start(broken, args)
      expect([status, stderr]).toEqual([
        70,
        `error: A file of the program is missing. Reinstall exitgate. (Cannot find module './${file}.cjs')\n`,
      ])
    }
  })
})

function evidence(): string {
  const path = join(base, 'evidence.json')
  writeFileSync(path, '{"tests": {"answer": "yes"}}')
  return path
}
