import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
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
    ['continue', undefined, 'yes', 'no'],
    ['stop', 'verified', 'yes', 'yes'],
  ])
  expect(verdicts[1].missing.join('\n')).toContain('is now skipped')
  expect(verdicts[2].missing.join('\n')).toContain('passes only because it was changed')
  expect(lines.at(-1)).toMatchObject({ type: 'ended', outcome: 'completed', ending: 'verified', exitCode: 0 })
  expect(ran.code).toBe(0)
  expect(ran.stderr).toContain('Summary: verified after 4 iterations')
  expect(ran.stderr).toContain('3 of 4 claims rejected')
  expect(['PLAN.md', 'src/duration.js', 'test/duration.test.js'].map(sample)).toEqual(before)
})

const printed = async (env: Readonly<Record<string, string>>) => {
  const { run } = project()
  return (await run(['demo'], { PATH: process.env.PATH ?? '', ...env })).stdout
}

it('the demo shows what the agent says, and ends with what to do in your project', async () => {
  const text = await printed({ npm_command: 'exec' })
  expect(text).toContain('| parse is strict now and no test fails any more.')
  expect(text).not.toMatch(/git diff|exitgate explain|--resume/)
  expect(text).toMatch(/\n\nNow in your project: npx exitgate doctor\n$/)
})

it('the demo says how to install it, if it was started from a clone', async () => {
  // Where Node is, an installed exitgate may be too.
  const bin = mkdtempSync(join(tmpdir(), 'exitgate-bin-'))
  onTestFinished(() => rmSync(bin, { recursive: true }))
  for (const name of ['node', 'npm', 'git'])
    symlinkSync(execFileSync('sh', ['-c', `command -v ${name}`], { encoding: 'utf8' }).trim(), join(bin, name))
  const line = await printed({ PATH: `${bin}:/usr/bin:/bin`, npm_command: 'start' })
  expect(line).toMatch(/\n\nFirst: npm i -g \/\S+\nNow in your project: exitgate doctor\n$/)
})

it('the sample starts with open work', () => {
  expect(sample('src/duration.js')).toContain('not written yet')
  expect(sample('PLAN.md')).not.toContain('[x]')
  expect(() =>
    execFileSync('git', ['-C', new URL('../../sample/.git', import.meta.url).pathname, 'status'], { stdio: 'pipe' }),
  ).toThrow()
})
