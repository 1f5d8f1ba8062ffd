import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { status } from '../../src/fleet/status.ts'
import type { FleetEvent } from '../../src/fleet/types.ts'
import { CONFIG, fleetProject } from './fleet-project.ts'
import { ask, postgres } from './postgres.ts'

const pg = postgres()
const MINUTES = 240_000
/** A secret that the worker has and its agents don't get. */
const OTHERS = 'not-for-agents-0123'

type Fleet = Awaited<ReturnType<typeof fleetProject>>

const endOf =
  (run: string) =>
  (event: FleetEvent): boolean =>
    event.type === 'ended' && event.run === run

/** A branch of the remote with other files than the main branch. */
function branch(fleet: Fleet, name: string, files: Readonly<Record<string, string>>): void {
  const dir = join(fleet.root, `branch-${name}`)
  fleet.git('worktree', 'add', '-q', '-b', name, dir, 'main')
  for (const [file, text] of Object.entries(files)) writeFileSync(join(dir, file), text)
  fleet.git('-C', dir, 'add', '-A')
  fleet.git('-C', dir, 'commit', '-qm', name)
  fleet.git('worktree', 'remove', '--force', dir)
}

const quoted = (text: string): string => `'${text.replaceAll("'", "''")}'`

describe('a worker with hostile tasks', () => {
  it('ends each of them with a reason and continues', { timeout: MINUTES }, async ({ skip }) => {
    skip(pg.missing !== undefined, pg.missing ?? '')
    const url = await pg.fleet()
    const fleet = await fleetProject(url)
    branch(fleet, 'broken', { 'exitgate.config.json': '{ "evidence": 1' })
    await fleet.submit([
      fleet.task('helper', { repository: `ext::touch ${join(fleet.root, 'touched')}` }),
      fleet.task('option', { repository: '--upload-pack=touch' }),
      fleet.task('gone', { base: 'no-such-branch' }),
      fleet.task('broken', { base: 'broken' }),
    ])
    // A role that may submit can insert rows without our program.
    const [lane] = await ask(url, 'SELECT id FROM exitgate.lanes LIMIT 1')
    const rows: readonly (readonly [string, string])[] = [
      ['no-json', 'nothing'],
      ['no-table', 'null'],
      ['no-fields', '{}'],
      ['no-list', JSON.stringify({ ...fleet.task('no-list'), after: [{}] })],
      ['no-limits', JSON.stringify({ ...fleet.task('no-limits'), limits: 7 })],
      ['other-name', JSON.stringify(fleet.task('one'))],
    ]
    for (const [name, entry] of rows)
      await ask(
        url,
        `INSERT INTO exitgate.tasks (backlog, queue, name, lane, priority, entry, standing, open_needs)
         VALUES (1, 'q', ${quoted(name)}, ${lane?.id}, 5, ${quoted(entry)}, 'ready', 0)`,
      )
    await fleet.submit([fleet.task('good')])
    const worker = fleet.worker()
    const { run } = (await worker.until((event) => event.type === 'ended' && event.run.startsWith('good'))) as {
      run: string
    }
    expect(run).toMatch(/^good-\d+$/)
    const { queues, runs } = await status(url)
    expect(queues).toMatchObject([{ completed: 1, failed: 10, running: 0, ready: 0 }])
    expect(runs.filter(({ end }) => end?.outcome !== 'completed').map(({ end }) => end?.ending)).toEqual(
      Array(10).fill('fatal'),
    )
    expect(runs.find(({ task }) => task === 'no-json')?.end?.reason).toContain('is not valid')
    expect(existsSync(join(fleet.root, 'touched'))).toBe(false)
  })

  it('keeps all its secrets out of reasons and baselines', { timeout: MINUTES }, async ({ skip }) => {
    skip(pg.missing !== undefined, pg.missing ?? '')
    const url = await pg.fleet()
    const fleet = await fleetProject(url)
    branch(fleet, 'setup', {
      'exitgate.config.json': JSON.stringify({ ...CONFIG, run: { setup: `echo found ${OTHERS}; exit 3` } }),
    })
    branch(fleet, 'tests', {
      'test.sh': `echo 'TAP version 13'\necho 1..1\necho 'not ok 1 - found ${OTHERS}'\necho '  ---'\necho '  message: found ${OTHERS}'\necho '  ...'\nexit 1\n`,
    })
    await fleet.submit([
      fleet.task('setup', { base: 'setup' }),
      fleet.task('tests', { base: 'tests', limits: { iterations: 1 } }),
    ])
    const worker = fleet.worker()
    expect(await worker.until(endOf('setup-1'))).toMatchObject({
      end: { outcome: 'aborted', ending: 'fatal', reason: expect.stringContaining('found [redacted]') },
    })
    await worker.until(endOf('tests-2'))
    if (process.platform === 'linux')
      expect(readFileSync(`/proc/${worker.child.pid}/cmdline`, 'utf8')).toMatch(/^exitgate fleet worker\0*$/)
    expect(JSON.stringify(worker.events)).not.toContain(OTHERS)
    const lines = await ask(url, 'SELECT run, text FROM exitgate.lines')
    expect(
      lines.filter(({ text }) => String(text).includes(OTHERS)).map(({ text }) => String(text).slice(0, 300)),
    ).toEqual([])
    const kept = await ask(url, 'SELECT reason, result, verdict, plan FROM exitgate.runs')
    expect(JSON.stringify(kept)).not.toContain(OTHERS)
  })

  it('retries while a remote is unavailable for a moment', { timeout: MINUTES }, async ({ skip }) => {
    skip(pg.missing !== undefined, pg.missing ?? '')
    const url = await pg.fleet()
    const fleet = await fleetProject(url)
    await fleet.submit([fleet.task('one')])
    renameSync(fleet.bare, `${fleet.bare}.away`)
    mkdirSync(fleet.bare)
    const worker = fleet.worker()
    await worker.until(
      (event) => event.type === 'loop' && event.event.type === 'warning' && event.event.text.startsWith('Retrying: '),
    )
    renameSync(`${fleet.bare}.away`, fleet.bare)
    expect(await worker.until(endOf('one-1'))).toMatchObject({ end: { outcome: 'completed', branch: 'exitgate/one' } })
  })
})
