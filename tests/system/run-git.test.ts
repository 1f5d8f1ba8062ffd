import { mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type GitCall, type GitRun, runGit } from '../../src/system/run-git.ts'
import { patience } from '../timing.ts'

let root = ''
beforeAll(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'exitgate-run-git-')))
})
afterAll(() => rmSync(root, { recursive: true, force: true }))

/** Runs a script as git. */
function run(script: string, args: readonly string[] = [], call: Partial<GitCall> = {}): Promise<GitRun> {
  const bin = mkdtempSync(join(root, 'bin-'))
  writeFileSync(join(bin, 'git'), `#!/bin/sh\n${script}\n`, { mode: 0o755 })
  const cwd = join(root, 'here')
  mkdirSync(cwd, { recursive: true })
  const env = { PATH: `${bin}:/usr/bin:/bin`, ...call.env }
  return runGit(args, { cwd, input: undefined, encoding: 'latin1', ...call, env })
}

describe('a run of git', () => {
  type Row = [parameters: Parameters<typeof run>, found: Partial<Record<keyof GitRun, unknown>>]
  const rows: Readonly<Record<string, Row>> = {
    'output on both streams': [['echo out; echo said >&2'], { out: 'out\n', said: 'said\n', code: 0 }],
    'output without a line break at its end': [['printf out'], { out: 'out', code: 0 }],
    'bytes that are not UTF-8': [["printf '\\377\\376\\0'"], { out: '\u00ff\u00fe\0' }],
    'an exit code': [['echo no >&2; exit 128'], { said: 'no\n', code: 128 }],
    'a signal': [['kill -9 $$'], { code: null }],
    'closed input': [['cat; echo end'], { out: 'end\n' }],
    input: [['cat', [], { input: Buffer.from('typed') }], { out: 'typed' }],
    'arguments as they are': [
      ['for each; do printf "<%s>" "$each"; done', ["it's", '', '$HOME', '-n']],
      { out: "<it's><><$HOME><-n>" },
    ],
    'the variables of the call': [['printf %s "$A"', [], { env: { A: "it's $HOME" } }], { out: "it's $HOME" }],
    'a missing folder': [
      ['echo started', [], { cwd: '/nowhere/at/all' }],
      { code: null, error: expect.objectContaining({ code: 'ENOENT' }) },
    ],
    'a missing program': [
      ['echo started', [], { env: { PATH: '/nowhere' } }],
      { code: null, error: expect.objectContaining({ code: 'ENOENT' }) },
    ],
  }
  it.each(Object.entries(rows))('%s', async (_name, [parameters, found]) => {
    expect(await run(...parameters)).toMatchObject(found)
  })

  it('that takes too long is ended with all it started', async ({ skip }) => {
    skip(process.platform !== 'linux', 'it reads processes from /proc')
    const place = join(root, 'pids')
    const script = `sleep 600 & echo $$ $! > '${place}'; wait`
    expect(await run(script, [], { deadlineMs: patience(1_000) })).toMatchObject({ code: null, cut: 'late' })
    const pids = readFileSync(place, 'utf8').trim().split(' ')
    await expect.poll(() => pids.filter((pid) => readdirSync('/proc').includes(pid))).toEqual([])
  })
})
