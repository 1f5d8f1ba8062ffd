import { execFileSync } from 'node:child_process'
import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { workOf } from '../../src/cli/report/run-work.ts'
import { safeTextWith } from '../../src/reports/page/safe-text.ts'
import type { Report, RunWork } from '../../src/reports/page/types.ts'
import { patience } from '../timing.ts'
import { project } from './run-cli.ts'

const ENV = {
  ...process.env,
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_CONFIG_SYSTEM: '/dev/null',
  GIT_EDITOR: 'echo Taken >',
  GIT_AUTHOR_NAME: 'user',
  GIT_AUTHOR_EMAIL: 'user@localhost',
  GIT_COMMITTER_NAME: 'user',
  GIT_COMMITTER_EMAIL: 'user@localhost',
}
const DONE = 'EXIT_STATUS: COMPLETE\\nEXIT_REASON: done\\nREMAINING_WORK: none\\n'

/** A repository with a failing test, and an agent that needs two iterations. */
function repository(agent: readonly string[]) {
  const made = project({
    'sum.js': 'export const sum = () => 0\n',
    'sum.test.js': [
      "import assert from 'node:assert/strict'",
      "import { test } from 'node:test'",
      "import { sum } from './sum.js'",
      "test('adds two numbers', () => assert.equal(sum(1, 2), 3))",
      '',
    ].join('\n'),
    'package.json': '{ "type": "module", "scripts": { "test": "node --test" } }\n',
    'old name.txt': 'bye\n',
    'agent.sh': agent.join('\n'),
  })
  const shell = (line: string): string =>
    execFileSync('sh', ['-c', line], { cwd: made.dir, env: ENV, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] })
  shell('git init -q -b main && git add -A && git commit -qm start')
  const path = { PATH: process.env.PATH ?? '' }
  return {
    ...made,
    shell,
    loop: (...flags: readonly string[]) =>
      made.run(['run', '--quiet', '--anyway', '--max-iterations', '3', ...flags, '--', 'sh', 'agent.sh'], path),
    async report(...flags: readonly string[]): Promise<Report & { work: RunWork }> {
      const { stdout } = await made.run(['report', '--json', ...flags], path)
      return JSON.parse(stdout)
    },
  }
}

const WRONG_THEN_RIGHT = [
  "if grep -q 'a - b' sum.js",
  "then echo 'export const sum = (a, b) => a + b' > sum.js && rm 'old name.txt' && printf 'TOKEN=abcdef0123456789\\n' > note.txt",
  "else echo 'export const sum = (a, b) => a - b' > sum.js",
  'fi',
  `printf '${DONE}'`,
]

describe('the work in a report', () => {
  it(
    'is a diff in total and by iteration, with the command to take it and the one to throw it away',
    async () => {
      const { loop, report, shell, run, dir, root } = repository(WRONG_THEN_RIGHT)
      const before = shell('git rev-parse HEAD').trim()
      expect((await loop('--checkpoint')).code).toBe(0)
      const { work, proven, refusals, end, run: name } = await report()
      expect(end?.ending).toBe('verified')
      expect(work.total).toMatchObject({ added: 2, removed: 2 })
      expect(work.total?.files).toEqual([
        { path: 'note.txt', status: 'added', added: 1, removed: 0, hunks: '@@ -0,0 +1,1 @@\n+TOKEN=[redacted]\n' },
        { path: 'old name.txt', status: 'deleted', added: 0, removed: 1, hunks: '@@ -1,1 +0,0 @@\n-bye\n' },
        {
          path: 'sum.js',
          status: 'modified',
          added: 1,
          removed: 1,
          hunks: '@@ -1,1 +1,1 @@\n-export const sum = () => 0\n+export const sum = (a, b) => a + b\n',
        },
      ])
      expect(work.iterations.map(({ n, added, removed, files }) => [n, added, removed, files.length])).toEqual([
        [2, 2, 2, 3],
        [1, 1, 1, 1],
      ])
      expect(proven[0]).toEqual({
        title: 'Tests',
        detail: '1 of 1 test passes (run twice, 1 newly fixed).',
        tests: ['adds two numbers'],
      })
      expect(refusals).toMatchObject([{ first: 1, last: 1, times: 1 }])
      expect(work.pullRequest).toBeUndefined()

      // The commands do what the report says, in a real repository.
      shell(work.discard?.command ?? '')
      expect(shell('git status --porcelain')).toBe('')
      expect(readFileSync(join(dir, 'sum.js'), 'utf8')).toBe('export const sum = () => 0\n')
      expect(existsSync(join(dir, 'note.txt'))).toBe(false)
      shell('git stash pop -q')
      writeFileSync(join(dir, 'mine.txt'), 'not part of the run')
      const later = (await report()).work
      expect(later.note).toBe(
        'Files have changed since the last claim of this run. The diff shows them as they are now.',
      )
      shell(work.take?.command ?? '')
      expect(shell('git status --porcelain')).toBe('?? mine.txt\n')
      expect(shell('git show --stat --format=%s HEAD')).toMatch(/^Taken\n[\s\S]*3 files changed/)

      const committed = (await report()).work
      expect(committed.take).toEqual({ text: 'Commits 1 file to main.', command: 'git add -- mine.txt && git commit' })
      shell('rm mine.txt')
      const now = (await report()).work
      expect(now.take).toEqual({ text: 'The work is already committed to main.' })
      shell(now.discard?.command ?? '')
      expect(shell('git rev-parse HEAD').trim()).toBe(before)

      // The Markdown is made of the same, and gh opens a pull request where it is installed.
      shell('git switch -qc work && git reset -q --keep ORIG_HEAD && git remote add origin /nowhere')
      writeFileSync(join(root, 'gh'), '#!/bin/sh\n')
      chmodSync(join(root, 'gh'), 0o755)
      const markdown = (await run(['report', '--format', 'markdown'], { PATH: `${root}:${process.env.PATH}` })).stdout
      expect(markdown).toContain('```sh\ngit switch main && git merge work\n```')
      expect(markdown).toContain(
        '```sh\ngit push --set-upstream origin work && gh pr create --base main --head work --fill\n```',
      )
      expect(markdown).toContain('```diff\n@@ -1,1 +1,1 @@\n-export const sum = () => 0\n+export const sum')

      // A later run replaces the stored baseline. The checkpoints are still there.
      await loop('--max-iterations', '1')
      const past = (await report('--run', name)).work
      expect(past.total?.files.map(({ path }) => path)).toEqual(['note.txt', 'old name.txt', 'sum.js'])
      expect(past).not.toHaveProperty('take')
    },
    patience(60_000),
  )

  it(
    'lists the commits of an agent that commits, and how to undo them',
    async () => {
      const { loop, report, shell } = repository([
        `echo 'export const sum = (a, b) => a + b' > sum.js`,
        'git add -A && git -c user.name=a -c user.email=a@localhost commit -qm "Add the numbers"',
        `printf '${DONE}'`,
      ])
      const before = shell('git rev-parse HEAD').trim()
      await loop()
      const { work } = await report()
      expect(work.commits.map(({ subject }) => subject)).toEqual(['Add the numbers'])
      expect(work.discard?.command).toBe(`git reset --keep ${before.slice(0, 12)}`)
    },
    patience(60_000),
  )

  it('that was not kept is a sentence', async () => {
    const { dir, state } = project()
    const record = { run: 'r', ended: true, baselineId: 'another', checkpoints: [] }
    const place = { workspace: dir, dir: state, env: {} }
    expect(
      await workOf(
        place,
        record,
        safeTextWith((text) => text),
      ),
    ).toEqual({
      why: 'A later run replaced the stored files of this one. With --checkpoint, exitgate keeps every iteration.',
      iterations: [],
      commits: [],
    })
  })
})
