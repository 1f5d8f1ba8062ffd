import { execFileSync } from 'node:child_process'
import { mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeEach, expect, it, onTestFinished } from 'vitest'
import { connect } from '../../src/fleet/database/connect.ts'
import { submit } from '../../src/fleet/submit.ts'
import { sweepFleet } from '../../src/fleet/sweep.ts'
import type { FleetEvent } from '../../src/fleet/types.ts'
import { ask, postgres } from './postgres.ts'

const pg = postgres()
beforeEach(({ skip }) => skip(pg.missing !== undefined, pg.missing ?? ''))

const git = (cwd: string, ...args: readonly string[]): string =>
  execFileSync('git', ['-c', 'user.name=test', '-c', 'user.email=test@localhost', ...args], { cwd, encoding: 'utf8' })

/** A bare repository with one commit on main. */
function bare(root: string, name: string): string {
  const dir = join(root, name)
  git(root, 'init', '-q', '--bare', '-b', 'main', dir)
  const tree = git(dir, 'hash-object', '-t', 'tree', '-w', '/dev/null').trim()
  git(dir, 'update-ref', 'refs/heads/main', git(dir, 'commit-tree', '-m', 'start', tree).trim())
  return dir
}

/** Ended runs of dead workers, whose refs are still in the remotes. The last remote is always reachable. */
async function leftoverFleet(unreachable: readonly string[]) {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'exitgate-sweep-')))
  onTestFinished(() => rmSync(root, { recursive: true, force: true }))
  const remotes = [...unreachable.map((name) => join(root, name)), bare(root, 'good.git')]
  const url = await pg.fleet()
  const task = { prompt: 'do it', after: [], priority: 0, limits: {} }
  const tasks = remotes.map((repository, at) => ({ ...task, id: `t${at}`, title: `t${at}`, repository }))
  await submit(url, { tasks, limits: {} }, { queue: 'q' })
  const database = await connect(url)
  onTestFinished(() => database.close())
  const warnings: string[] = []
  const emit = (event: FleetEvent): void => {
    if (event.type === 'warning') warnings.push(event.text)
  }
  const reported = new Set<string>()
  const env = { PATH: process.env.PATH ?? '' }
  return {
    root,
    url,
    warnings,
    good: join(root, 'good.git'),
    sweep: () => sweepFleet(database, { queue: 'q', env, emit, now: () => 0 }, 'me', reported),
    /** Ended runs of a task. */
    addRuns: (name: string, count: number) =>
      ask(
        url,
        `INSERT INTO exitgate.runs (id, task, queue, epoch, worker, standing, work, branch, started_at)
         SELECT name || '-' || n, id, 'q', 1, 'dead', 'ended', '{}', 'exitgate/x', now() - make_interval(days => 9 - id::int, mins => n)
         FROM exitgate.tasks, generate_series(1, ${count}) n WHERE name = '${name}'`,
      ),
    left: async () =>
      (await ask(url, 'SELECT id FROM exitgate.runs WHERE work IS NOT NULL ORDER BY id')).map(({ id }) => id),
  }
}

/** What stops the sweep of one remote, and what the worker reports. */
const unreachable: readonly (readonly [
  string,
  { readonly runs: number; readonly entry?: string; readonly says: RegExp },
])[] = [
  [
    'cannot be reached',
    {
      runs: 2,
      says: /^Can't remove leftover refs of 2 ended runs from .*\/gone\.git: .* They do no harm, and other repositories are not affected\. The worker tries again every 10 minutes\.$/s,
    },
  ],
  ['has more runs than a sweep handles', { runs: 25, says: /^Can't remove leftover refs of 20 ended runs / }],
  [
    'belongs to a task that is not valid',
    {
      runs: 1,
      entry: '{',
      says: /^Can't remove leftover refs of 1 ended run from .*The task "t0" in the database is not valid/,
    },
  ],
]

it.each(unreachable)(
  'a remote that %s is reported once, and the others are swept',
  async (_, { runs, entry, says }) => {
    const fleet = await leftoverFleet(['gone.git'])
    await fleet.addRuns('t1', 1)
    await fleet.addRuns('t0', runs)
    // The runs of the remote that fails are the newer ones.
    await ask(fleet.url, "UPDATE exitgate.runs SET started_at = now() WHERE id LIKE 't0-%'")
    if (entry !== undefined) await ask(fleet.url, `UPDATE exitgate.tasks SET entry = '${entry}' WHERE name = 't0'`)
    git(fleet.good, 'update-ref', 'refs/exitgate/t1-1/1/work', 'main')
    await fleet.sweep()
    expect(git(fleet.good, 'for-each-ref', '--format=%(refname)')).toBe('refs/heads/main\n')
    expect(await fleet.left()).toHaveLength(runs)
    expect(fleet.warnings).toEqual([expect.stringMatching(says)])
    await fleet.sweep()
    expect(fleet.warnings).toHaveLength(1)
  },
)

it('a remote that can be reached again is swept, and its next failure is reported', async () => {
  const fleet = await leftoverFleet(['gone.git'])
  await fleet.addRuns('t0', 1)
  await fleet.sweep()
  const remote = bare(fleet.root, 'gone.git')
  await fleet.sweep()
  expect(await fleet.left()).toEqual([])
  rmSync(remote, { recursive: true })
  await ask(fleet.url, "UPDATE exitgate.runs SET work = '{}'")
  await fleet.sweep()
  expect(fleet.warnings).toHaveLength(2)
})
