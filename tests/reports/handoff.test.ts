import { expect, it } from 'vitest'
import { handoffs, type RepositoryFacts } from '../../src/reports/page/handoff.ts'

const facts: RepositoryFacts = {
  since: 'a'.repeat(40),
  head: 'a'.repeat(40),
  branch: 'main',
  commits: 0,
  uncommitted: ['src/a.ts'],
  cleanBefore: true,
  canOpenPullRequest: false,
}
const committed = { ...facts, head: 'b'.repeat(40), commits: 2, uncommitted: [] }
const onBranch = { ...committed, branch: 'work', target: { branch: 'main' } }

type Row = readonly [
  name: string,
  facts: Partial<RepositoryFacts>,
  take: string | undefined,
  discard: string | undefined,
  pull?: string,
]
const rows: readonly Row[] = [
  [
    'uncommitted files',
    facts,
    'git add -- src/a.ts && git commit',
    "git stash push --include-untracked --message 'exitgate r-1' -- src/a.ts",
  ],
  [
    'names that a shell would read',
    { ...facts, uncommitted: ["it's $HOME.md", '-rf'] },
    "git add -- 'it'\\''s $HOME.md' '-rf' && git commit",
    "git stash push --include-untracked --message 'exitgate r-1' -- 'it'\\''s $HOME.md' '-rf'",
  ],
  [
    'many files',
    { ...facts, uncommitted: Array.from({ length: 13 }, (_, n) => `${n}.ts`) },
    'git add --all && git commit',
    "git stash push --include-untracked --message 'exitgate r-1'",
  ],
  ['commits on the main branch', committed, undefined, 'git reset --keep aaaaaaaaaaaa'],
  ['commits on another branch', onBranch, 'git switch main && git merge work', 'git reset --keep aaaaaaaaaaaa'],
  [
    'commits in a worktree',
    { ...onBranch, target: { branch: 'main', folder: '/home/me/my project' } },
    "git -C '/home/me/my project' merge work",
    'git reset --keep aaaaaaaaaaaa',
  ],
  [
    'a remote, and gh',
    { ...onBranch, canOpenPullRequest: true },
    'git switch main && git merge work',
    'git reset --keep aaaaaaaaaaaa',
    'git push --set-upstream origin work && gh pr create --base main --head work --fill',
  ],
  ['gh on the main branch', { ...committed, canOpenPullRequest: true }, undefined, 'git reset --keep aaaaaaaaaaaa'],
  [
    'commits and uncommitted files',
    { ...onBranch, uncommitted: ['a'] },
    'git add -- a && git commit && git switch main && git merge work',
    "git stash push --include-untracked --message 'exitgate r-1' -- a && git reset --keep aaaaaaaaaaaa",
  ],
]
it.each(rows.map((row) => ({ row, name: row[0] })))('$name', ({ row }) => {
  const [, repository, take, discard, pull] = row
  const made = handoffs({ run: 'r-1', repository: { ...facts, ...repository } })
  expect([made.take?.command, made.discard?.command, made.pullRequest?.command]).toEqual([take, discard, pull])
})

const texts: readonly (readonly [string, Partial<RepositoryFacts>, string])[] = [
  ['a clean start', {}, 'Undoes the run. `git stash pop` brings it back.'],
  [
    'your own changes before',
    { cleanBefore: false },
    'Undoes the run. `git stash pop` brings it back. The stash includes what you had changed in these files before.',
  ],
  [
    'checkpoints',
    { ...committed, checkpoints: 'exitgate/r-1' },
    'Undoes the run. `git reset --keep bbbbbbbbbbbb` brings it back. The branch exitgate/r-1 keeps every iteration.',
  ],
]
it.each(texts)('discarding says how to get it back: %s', (_name, repository, text) => {
  expect(handoffs({ run: 'r-1', repository: { ...facts, ...repository } }).discard?.text).toBe(text)
})

it('in another folder starts with that folder, and without git gives no command', () => {
  expect(handoffs({ run: 'r-1', folder: '/tmp/task 1', repository: facts }).take?.command).toMatch(
    /^cd '\/tmp\/task 1' && git add/,
  )
  expect(handoffs({ run: 'r-1' })).toEqual({
    take: { text: 'The work is in the folder already. There is no git repository to commit it to.' },
    discard: { text: "Without git, exitgate can't restore the files. Use your backup." },
  })
})
