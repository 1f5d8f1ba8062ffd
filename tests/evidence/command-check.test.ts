import { describe, expect, it } from 'vitest'
import type { Answer } from '../../src/core/types.ts'
import { type CommandCheckOptions, commandCheck, scriptLinesOf } from '../../src/evidence/checks/command.ts'
import type { CheckContext, CommandResult } from '../../src/evidence/types.ts'
import { openWorkspace } from '../../src/evidence/workspace.ts'
import { type FakeOptions, fakeWorkspace } from '../fakes/workspace.ts'
import { folder } from './folders.ts'

const context = (workspace: CheckContext['workspace']): CheckContext => {
  return { workspace, claim: false, tree: 't', taskTexts: [], deadlineMs: 60_000 }
}
async function asked(fake: FakeOptions, options: Omit<CommandCheckOptions, 'name'>) {
  const [evidence] = await commandCheck({ name: 'build', ...options }).collect(context(fakeWorkspace(fake)))
  return evidence!
}

const ends: [name: string, ran: Partial<CommandResult>, answer: Answer, says: RegExp][] = [
  ['exit 0', { code: 0 }, 'yes', /^"make x" exited with 0\.$/],
  ['exit 1', { code: 1, output: 'a\n\nb  \n' }, 'no', /^"make x" exited with 1\.\na\nb$/],
  ['exit 1 in silence', { code: 1 }, 'no', /exited with 1\.$/],
  ['not found', { code: 127, output: 'sh: make: not found' }, 'unknown', /could not be found or run\.\nsh: make/],
  ['not executable', { code: 126 }, 'unknown', /could not be found or run/],
  ['killed', { code: null }, 'unknown', /killed by a signal/],
  ['too slow', { code: null, ended: 'deadline' }, 'unknown', /did not finish within 60 s and was stopped/],
  ['interrupted', { code: null, ended: 'aborted' }, 'unknown', /was interrupted/],
  ['not started', { code: null, ended: 'not-started', problem: 'no folder' }, 'unknown', /not be started: no folder\./],
  ['colours', { code: 2, output: '\u001b[31mred\u001b[0m\r\n' }, 'no', /\nred$/],
  ['a secret', { code: 2, output: 'API_TOKEN=abc123 refused' }, 'no', /API_TOKEN=\[redacted\] refused/],
]

describe('a command', () => {
  it.each(ends)('%s', async (_name, ran, answer, says) => {
    const evidence = await asked({ runs: { 'make x': ran } }, { command: 'make x' })
    expect(evidence).toMatchObject({ check: 'build', answer, tree: 't' })
    expect(evidence.detail).toMatch(says)
  })

  it('shows the end of a long output', async () => {
    const output = Array.from({ length: 1000 }, (_, n) => `line ${n}`).join('\n')
    const { detail } = await asked({ runs: { x: { code: 1, output } } }, { command: 'x' })
    expect(detail.split('\n')).toHaveLength(21)
    expect(detail.endsWith('line 999')).toBe(true)
    const wide = await asked({ runs: { x: { code: 1, output: 'y'.repeat(100_000) } } }, { command: 'x' })
    expect(wide.detail.length).toBeLessThan(2_100)
  })

  it('passes its options on', async () => {
    const workspace = fakeWorkspace({ files: { 'a/b': '' }, runs: () => ({}) })
    const options = { command: ['x', 'y'], cwd: 'a', env: { A: '1' }, deadlineMs: 5 }
    await commandCheck({ name: 'lint', ...options }).collect(context(workspace))
    expect(workspace.ran).toEqual([{ command: ['x', 'y'], options: { deadlineMs: 5, cwd: 'a', env: { A: '1' } } }])
  })
})

describe('a masked command', () => {
  const package_ = (scripts: object) => ({ 'package.json': JSON.stringify({ scripts }) })
  const rows: [name: string, command: string, files: Record<string, string>, says: RegExp | undefined][] = [
    ['itself', 'make x || true', {}, /its exit code means nothing: "\|\| true" turns every failure into success\.$/],
    ['a script', 'npm run build', package_({ build: 'tsc || true' }), /in "tsc \|\| true", "\|\| true" turns/],
    ['a script of a script', 'pnpm build', package_({ build: 'npm run a', a: 'tsc; exit 0' }), /hides the exit code/],
    ['a target', 'make build', { Makefile: 'build: a\n\tcc x.c || true\n' }, /turns every failure/],
    ['a target that goes on', 'make build', { Makefile: 'build:\n\t@echo x\n\t-cc x.c\n' }, /turns every failure/],
    ['another target', 'make build', { Makefile: 'build:\n\tcc x.c\nclean:\n\t-rm x\n' }, undefined],
    ['a plain script', 'yarn run build', package_({ build: 'tsc' }), undefined],
    ['no script', 'npm run build', { 'package.json': '{' }, undefined],
  ]
  it.each(rows)('%s', async (_name, command, files, says) => {
    const { answer, detail } = await asked({ files, runs: () => ({ code: 0 }) }, { command })
    expect(answer).toBe(says === undefined ? 'yes' : 'unknown')
    if (says !== undefined) expect(detail).toMatch(says)
  })

  it('has failed if it fails', async () => {
    expect((await asked({ runs: () => ({ code: 1 }) }, { command: 'x || true' })).answer).toBe('no')
  })

  it('is detected in the folder where it runs', async () => {
    const files = { 'package.json': '{"scripts": {"b": "x || true"}}', 'a/package.json': '{"scripts": {"b": "x"}}' }
    expect((await asked({ files, runs: () => ({}) }, { command: 'npm run b', cwd: 'a' })).answer).toBe('yes')
  })

  it('does not lead to an endless loop', () => {
    const read = () => '{"scripts": {"a": "npm run b", "b": "npm run a"}}'
    expect(scriptLinesOf('npm run a', read).length).toBeLessThan(10)
  })
})

it('really runs', async () => {
  const workspace = openWorkspace(folder({ 'ok.sh': 'exit 0', 'bad.sh': 'echo "3 errors" >&2; exit 2' }))
  const run = async (command: string | string[]) =>
    (await commandCheck({ name: 'build', command }).collect(context(workspace)))[0]!
  expect(await run('sh ok.sh')).toMatchObject({ answer: 'yes' })
  expect(await run(['sh', 'bad.sh'])).toMatchObject({ answer: 'no', detail: '"sh bad.sh" exited with 2.\n3 errors' })
  expect(await run(['exitgate-no-such'])).toMatchObject({ answer: 'unknown' })
  expect(await run('exitgate-no-such')).toMatchObject({ answer: 'unknown' })
})
