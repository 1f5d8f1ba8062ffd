import { spawnSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { readShell } from '../../src/system/shell/commands.ts'
import { exitStatuses } from '../../src/system/shell/exit-status.ts'
import { patience } from '../timing.ts'
import { shellRows } from './shell-rows.ts'

const bash = spawnSync('bash', ['--version']).status === 0

const home = mkdtempSync(join(tmpdir(), 'exitgate-shell-'))
afterAll(() => rmSync(home, { recursive: true, force: true }))
const bin = join(home, 'bin')
const ran = join(home, 'ran')
mkdirSync(bin)
for (const [name, code] of [
  ['X', '"$X_CODE"'],
  ['other', '"$OTHER_CODE"'],
] as const) {
  writeFileSync(join(bin, name), `#!/bin/sh\n${name === 'X' ? `: > ${ran}\n` : ''}exit ${code}\n`)
  chmodSync(join(bin, name), 0o755)
}

/** The exit code of a line in bash, and whether X ran. */
function inBash(line: string, x: number, other: number) {
  rmSync(ran, { force: true })
  const dir = mkdtempSync(join(home, 'dir-'))
  const { status } = spawnSync('bash', ['-c', line], {
    cwd: dir,
    env: { PATH: `${bin}:${process.env.PATH}`, X_CODE: String(x), OTHER_CODE: String(other), HOME: dir },
    timeout: patience(20_000),
    input: '',
  })
  return { ok: status === 0, started: existsSync(ran) }
}

/** Every exit code of a line when X fails (1) or passes (0), for any result of the other command. */
const inBashAtAll = (line: string, x: number) =>
  (line.includes('other') ? [0, 1] : [0]).map((other) => inBash(line, x, other))

const ours = (line: string, x: number) =>
  exitStatuses(readShell(line), ([name]) => {
    if (name === 'X') return [x === 0 ? 'pass' : 'lost']
    return name === 'other' ? ['pass', 'fail'] : ['pass']
  }) ?? []

describe('exit codes of shell lines, compared with bash', () => {
  it('covers more than 200 lines', () => {
    expect(new Set(shellRows).size).toBe(shellRows.length)
    expect(shellRows.length).toBeGreaterThan(300)
  })

  it.for(shellRows)('whether the line can succeed when X fails: %j', (line, { skip }) => {
    skip(!bash, 'bash is not there')
    const truth = inBashAtAll(line, 1).some(({ ok, started }) => ok && started)
    expect(ours(line, 1).some(({ ok, failed }) => ok && failed)).toBe(truth)
  })

  it.for(shellRows)('every exit code when X passes: %j', (line, { skip }) => {
    skip(!bash, 'bash is not there')
    const ends = inBashAtAll(line, 0).map(({ ok }) => ok)
    expect(ours(line, 0).map(({ ok }) => ok)).toEqual(expect.arrayContaining(ends))
  })
})
