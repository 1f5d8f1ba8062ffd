import { cpSync, mkdirSync, rmSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { verifyJournal } from '../../src/journal/read.ts'
import { root } from '../source-tree.ts'
import { decisionsOf, endOf, runHostile, SHELL_KIT } from './hostile-run.ts'
import { program } from './program.ts'
import { runProject } from './run-project.ts'

const DELETE = 'cd /; rm -r "$WORK"'
const LINK = 'ln -s "$ROOT/elsewhere" "$WORK"'

describe('an agent that, in the last iteration, claims and', () => {
  it.each([
    ['deletes the workspace', DELETE, /The workspace folder is gone/, 'aborted/fatal'],
    [
      'replaces it with a link to a finished one',
      `work; cp -R . "$ROOT/elsewhere"; ${DELETE}; ${LINK}`,
      /The workspace .*work was replaced with a link to .*elsewhere/,
      'aborted/fatal',
    ],
    [
      'replaces it with a file',
      `${DELETE}; : > "$WORK"`,
      /was replaced with something that is not a folder/,
      'aborted/fatal',
    ],
    [
      'does the work and moves the repository away',
      'work; mv .git "$ROOT/git"',
      /The git repository is gone or unreadable since the start/,
      'aborted/iterations',
    ],
  ])('%s does not complete the run', async (_name, agent, said, end) => {
    const { project, ran, seen } = await runHostile(`${agent}\nclaim`)
    expect(ran.code, seen).toBe(2)
    expect(endOf(project)).toBe(end)
    expect(seen).toMatch(said)
    // The decision about this iteration was the limit of iterations.
    if (end !== 'aborted/fatal') return
    rmSync(project.dir, { recursive: true, force: true })
    mkdirSync(project.dir)
    const { stdout } = await project.run(['explain'])
    expect(stdout).toMatch(/^Stopped: the agent can't run\. The workspace .*\n\nThe last decision before that:\n/)
    expect(stdout).toMatch(said)
    expect(JSON.parse((await project.run(['explain', '--json'])).stdout)).toMatchObject({ ended: { ending: 'fatal' } })
  })
})

describe('an agent that', () => {
  const rows: readonly [string, string, RegExp][] = [
    ['deletes the workspace', DELETE, /The workspace folder is gone: .*work\./],
    [
      'moves it and leaves a link',
      `cd /; mv "$WORK" "$ROOT/elsewhere"; ${LINK}`,
      /was replaced with a link to .*elsewhere/,
    ],
  ]
  it.each(rows)('%s ends the run after that iteration, and the journal is intact', async (_name, agent, said) => {
    const { project, ran, seen } = await runHostile(agent, { args: ['--max-iterations', '5'] })
    expect(ran.code, seen).toBe(2)
    expect(endOf(project)).toBe('aborted/fatal')
    expect(seen).toMatch(said)
    expect(decisionsOf(project)).toHaveLength(1)
    expect(verifyJournal(project.journalDir())).toMatchObject({ ok: true, problems: [] })
  })
})

it('a run started before the agent overwrote the files of exitgate decides as before', async () => {
  await program()
  const project = runProject()
  const installed = join(project.root, 'installed')
  mkdirSync(installed)
  for (const part of ['dist/cli', 'package.json']) cpSync(join(root, part), join(installed, part), { recursive: true })
  symlinkSync(join(root, 'node_modules'), join(installed, 'node_modules'))
  const overwrite = 'for name in "$ROOT"/installed/dist/cli/*; do echo "process.exit(0)" > "$name"; done'
  const agent = project.agent(`${SHELL_KIT}${overwrite}\nclaim`)
  const args = ['run', '--plain', '--max-iterations', '1', '--', ...agent]
  const ran = await project.run(args, {}, join(installed, 'dist/cli/cli.cjs'))
  expect(ran.code, ran.stdout + ran.stderr).toBe(2)
  expect(endOf(project)).toBe('aborted/iterations')
})
