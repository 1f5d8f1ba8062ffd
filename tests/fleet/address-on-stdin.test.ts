import { spawnSync } from 'node:child_process'
import { tmpdir } from 'node:os'
import { expect, it } from 'vitest'
import { program } from '../e2e/program.ts'

it.each([
  ['mysql://me:top-secret@h/x\nmore\n', '--db starts with mysql://. It must start with postgresql://.'],
  ['', 'No database. Pass --db postgresql://USER@HOST/NAME or set EXITGATE_FLEET_DB.'],
])('--db - reads the database address from standard input: %j', async (input, words) => {
  const ran = spawnSync(process.execPath, [await program(), 'fleet', 'status', '--db', '-'], {
    input,
    cwd: tmpdir(),
    env: { PATH: process.env.PATH ?? '', HOME: tmpdir() },
    encoding: 'utf8',
  })
  expect([ran.status, ran.stderr]).toEqual([64, expect.stringContaining(words)])
  expect(ran.stderr).not.toContain('top-secret')
})
