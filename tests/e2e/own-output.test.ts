import { execFileSync } from 'node:child_process'
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { outputFiles } from '../../src/evidence/callers-files.ts'
import { patience } from '../timing.ts'
import { program } from './program.ts'
import { CLAIM, linesOf, runProject, WORK } from './run-project.ts'

/** Every event is a line, also while the checks copy files and run tests. */
const ROWS: readonly (readonly [name: string, shell: string, file: string, hasGit: boolean])[] = [
  ['a pipe to tee', '"$@" | tee out.json > /dev/null', 'out.json', true],
  ['a pipe to tee, in a folder without git', '"$@" | tee out.json > /dev/null', 'out.json', false],
  [
    'a pipe to tee, in a new folder',
    'mkdir results; "$@" | tee results/out.jsonl > /dev/null',
    'results/out.jsonl',
    true,
  ],
  ['a redirection', '"$@" > out.json', 'out.json', true],
  ['a redirection to a file of the repository', '"$@" > old.json', 'old.json', true],
]

async function runInto(
  shell: string,
  agent: string,
  hasGit: boolean,
  settings: Readonly<Record<string, string>> = {},
  files: Readonly<Record<string, string>> = {},
) {
  const made = runProject({ 'old.json': '{}\n', ...files })
  if (!hasGit) rmSync(join(made.dir, '.git'), { recursive: true })
  const command = ['run', '--json', '--max-iterations', '2', '--', ...made.agent(agent)]
  const line = ['-c', shell, 'sh', process.execPath, await program(), ...command]
  execFileSync('/bin/sh', line, { cwd: made.dir, env: { ...made.env, ...settings }, stdio: 'pipe' })
  return made
}

describe('the output of exitgate goes to a file of the project', { timeout: patience(60_000) }, () => {
  it.each(ROWS)('%s: an honest claim is verified in a clean room', async (_, shell, file, hasGit) => {
    const made = await runInto(shell, `${WORK}\n${CLAIM}`, hasGit)
    expect(linesOf(made.text(file)).at(-1)).toMatchObject({ end: { outcome: 'completed', iterations: 1 } })
    expect(made.events().find(({ type }) => type === 'iteration.decided')).toMatchObject({
      observation: {
        evidence: {
          tests: { answer: 'yes', ranIn: { cleanRoom: true } },
          changed: { detail: 'Changed: first.txt, second.txt.' },
        },
      },
    })
  })

  it.each(ROWS)('%s: it is the same without a clean room', async (_, shell, file, hasGit) => {
    const { text } = await runInto(shell, `${WORK}\n${CLAIM}`, hasGit, { EXITGATE_EVIDENCE_CLEAN_ROOM: 'off' })
    expect(linesOf(text(file)).at(-1)).toMatchObject({ end: { outcome: 'completed', iterations: 1 } })
  })

  it.each(ROWS)('%s: it is not the work of an agent that does nothing', async (_, shell, file, hasGit) => {
    const done = { 'first.txt': 'done\n', 'second.txt': 'done\n' }
    const { text } = await runInto(`${shell}; :`, CLAIM, hasGit, {}, done)
    const end = {
      outcome: 'aborted',
      missing: expect.arrayContaining([expect.stringMatching(/^files changed: No changes since the start/)]),
    }
    expect(linesOf(text(file)).at(-1)).toMatchObject({ end })
  })
})

describe('a file that contains the name of the run', () => {
  it.each([
    ['is output', 'out.json', false, true],
    ['is not output if it is source code', 'out.ts', false, false],
    ['is not output if it sets up a test runner', 'vitest.config.json', false, false],
    ['is not output if it belongs to the repository', 'data.json', true, false],
  ])('%s: %s', (_, name, isTracked, expected) => {
    const dir = realpathSync(mkdtempSync(join(tmpdir(), 'exitgate-output-')))
    onTestFinished(() => rmSync(dir, { recursive: true }))
    writeFileSync(join(dir, name), '{"run":"20260101-000000-1"}')
    const outputs = outputFiles({ run: '20260101-000000-1' }, [join(dir, name)], () => isTracked)
    expect([outputs.has(join(dir, name)), outputs.known.size]).toEqual([expected, expected ? 1 : 0])
  })
})
