import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { DONE, GREEN, project } from './run-cli.ts'

/** A damaged journal was archived with `reset`, and another run has ended since. */
async function afterDamage() {
  const work = project({ 'said.txt': DONE, 'green.json': GREEN })
  const check = () => work.run(['check', '--transcript', 'said.txt', '--evidence', 'green.json', '--new-run'])
  await check()
  await check()
  const { dir } = (await work.run(['state', '--json'])).json as { dir: string }
  const file = join(dir, 'journal.jsonl')
  const lines = readFileSync(file, 'utf8').split('\n')
  writeFileSync(file, lines.map((line, at) => (at === 1 ? line.replace('"at":', '"At":') : line)).join('\n'))
  const broken = await work.run(['label', 'last', 'good'])
  expect(broken).toMatchObject({ code: 70, stderr: expect.stringContaining('is damaged at line') })
  expect((await work.run(['reset'])).code).toBe(0)
  await check()
  return work
}

describe('with a damaged journal in the archive', () => {
  it.each<[readonly string[], number, string, string]>([
    [['label', 'last', 'good'], 0, 'Labelled run ', ''],
    [['label', '--list'], 0, 'completed/', ''],
    [['label', '--auto'], 0, 'unlabelled run', ''],
    [['learn'], 0, 'Not enough labels', ''],
    [['report', '--out', '-', '--format', 'markdown'], 0, 'verified', ''],
    [['history', '--stats'], 0, 'verified', ''],
    [['backtest', '--set', 'limits.iterations=1'], 0, '1 run with 1 iteration: 1 same', 'warning: Skipped '],
    [['replay'], 70, 'all the same', 'warning: Skipped '],
  ])('%j still works', async (args, code, stdout, stderr) => {
    const work = await afterDamage()
    const ran = await work.run(args)
    expect(ran.code, ran.stdout + ran.stderr).toBe(code)
    expect(ran.stdout).toContain(stdout)
    expect(ran.stderr).toContain(stderr)
  })
})
