import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { project } from './run-cli.ts'

const sample = (file: string) => readFileSync(new URL(`../../sample/${file}`, import.meta.url), 'utf8')

it('the demo rejects three claims, verifies the fourth, and does not change the sample', async () => {
  const before = ['PLAN.md', 'src/duration.js', 'test/duration.test.js'].map(sample)
  const { run } = project()
  const ran = await run(['demo', '--json'], { PATH: process.env.PATH ?? '' })
  const lines = ran.stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  const verdicts = lines.filter(({ type }) => type === 'decided').map(({ verdict }) => verdict)
  expect(verdicts.map(({ action, ending, gate }) => [action, ending, gate.claim, gate.proof])).toEqual([
    ['continue', undefined, 'yes', 'no'],
    ['continue', undefined, 'yes', 'no'],
    ['continue', undefined, 'yes', 'unknown'],
    ['stop', 'verified', 'yes', 'yes'],
  ])
  expect(verdicts[1].missing.join('\n')).toContain('is now skipped')
  expect(verdicts[2].missing.join('\n')).toContain('Different results for the same code')
  expect(lines.at(-1)).toMatchObject({ type: 'ended', outcome: 'completed', ending: 'verified', exitCode: 0 })
  expect(ran.code).toBe(0)
  expect(ran.stderr).toContain('Summary: verified after 4 iterations')
  expect(ran.stderr).toContain('3 of 4 claims rejected')
  expect(['PLAN.md', 'src/duration.js', 'test/duration.test.js'].map(sample)).toEqual(before)
})

it('the sample starts with open work', () => {
  expect(sample('src/duration.js')).toContain('not written yet')
  expect(sample('PLAN.md')).not.toContain('[x]')
  expect(() =>
    execFileSync('git', ['-C', new URL('../../sample/.git', import.meta.url).pathname, 'status'], { stdio: 'pipe' }),
  ).toThrow()
})
