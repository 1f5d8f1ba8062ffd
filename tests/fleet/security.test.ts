import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { claim } from '../../src/fleet/claim.ts'
import { connect } from '../../src/fleet/database/connect.ts'
import { project } from '../cli/run-cli.ts'
import { SECRET } from './fleet-project.ts'
import { ask, everything, postgres } from './postgres.ts'
import { programFleet } from './program-fleet.ts'

const pg = postgres()
const MINUTES = 240_000

/** Leaks everything it knows: in its output, as an error, in the reason of its status, and in its plan file. */
const LEAKING_AGENT = `echo "my environment: $(env)"
echo "and the key is $SOME_API_KEY" >&2
for name in first.txt second.txt; do printf done > $name; done
printf 'EXIT_STATUS: COMPLETE\\nEXIT_REASON: %s\\nREMAINING_WORK: none\\n' "$SOME_API_KEY"
`

describe('an agent that leaks everything it knows', () => {
  it('leaks nothing outside its own machine', { timeout: MINUTES }, async ({ skip }) => {
    skip(pg.missing !== undefined, pg.missing ?? '')
    const url = await pg.fleet()
    const fleet = await programFleet(url, LEAKING_AGENT)
    await fleet.call('submit', fleet.writeTasks([{ id: 'one' }]), '--queue', 'q')
    const worker = fleet.start(['--once'])
    expect(await worker.exited).toBe(0)
    expect(worker.events).toContainEqual(
      expect.objectContaining({ type: 'ended', end: expect.objectContaining({ outcome: 'completed' }) }),
    )
    await fleet.call('show', 'one', 'report', '--', '--out', 'one.html', '--transcripts', '100')
    const shown = await Promise.all(['explain', 'history', 'state'].map((each) => fleet.call('show', 'one', each)))
    const places: Readonly<Record<string, string>> = {
      database: await everything(url),
      worker: `${JSON.stringify(worker.events)}${worker.stderr()}`,
      report: readFileSync(join(fleet.root, 'one.html'), 'utf8'),
      commands: shown.map(({ stdout, stderr }) => stdout + stderr).join(''),
    }
    expect(places.database).toContain('my environment: ')
    expect(places.database).toContain('and the key is [redacted]')
    for (const secret of [SECRET, 'not-for-agents-0123', new URL(url).password])
      for (const [place, text] of Object.entries(places)) expect([place, text.includes(secret)]).toEqual([place, false])
  })
})

describe('roles', () => {
  const rows: readonly (readonly [string, readonly string[], number, RegExp])[] = [
    ['submit', ['submit', 'more.yaml', '--queue', 'q'], 0, /^more-\d+\n/],
    ['submit', ['status'], 64, /This database role lacks the permission \(permission denied/],
    ['submit', ['show', 'one', 'explain'], 64, /lacks the permission/],
    ['submit', ['drain'], 64, /lacks the permission/],
    ['operate', ['status'], 0, /^one +running/m],
    ['operate', ['drain'], 0, /No worker to drain\./],
    ['operate', ['limit', '--queue', 'q', '--at-once', '2'], 0, /^queue q: 2 at once\n/],
    ['operate', ['show', 'one', 'state'], 64, /lacks the permission/],
    ['operate', ['submit', 'more.yaml'], 64, /lacks the permission/],
    ['read', ['status'], 0, /^one +running/m],
    ['read', ['signal', 'one', 'force', '--reason', 'x'], 64, /lacks the permission/],
    ['read', ['limit', '--queue', 'q', '--at-once', '2'], 64, /lacks the permission/],
    ['read', ['submit', 'more.yaml'], 64, /lacks the permission/],
    ['read', ['migrate'], 64, /Ask an administrator|lacks the permission/],
  ]
  let ready: Promise<string> | undefined
  const prepared = async (): Promise<string> => {
    const url = await pg.fleet()
    for (const role of ['submit', 'operate', 'read'])
      await ask(url, `CREATE ROLE just_${role} LOGIN PASSWORD 'just a %' IN ROLE exitgate_${role}`)
    const { run, write } = project()
    write('one.yaml', 'tasks: [{ id: one, prompt: do it, repository: "https://git.example.org/x.git" }]')
    await run(['fleet', 'submit', 'one.yaml', '--queue', 'q', '--db', url])
    const database = await connect(url)
    await claim(database, 'q', 'w')
    await database.close()
    return url
  }

  it.for(rows)('%s: fleet %j ends with %i', { timeout: MINUTES }, async ([role, args, code, words], { skip }) => {
    skip(pg.missing !== undefined, pg.missing ?? '')
    ready ??= prepared()
    const { run, write } = project()
    const id = `more-${rows.findIndex(([, each]) => each === args)}`
    write('more.yaml', `tasks: [{ id: ${id}, prompt: do it, repository: "https://git.example.org/x.git" }]`)
    const db = (await ready).replace(/\/\/[^@]+@/, `//just_${role}:just%20a%20%25@`)
    const ran = await run(['fleet', ...args], { EXITGATE_FLEET_DB: db })
    expect([ran.code, ran.stdout + ran.stderr]).toEqual([code, expect.stringMatching(words)])
  })
})

describe('a database address that is wrong', () => {
  let empty: Promise<string> | undefined
  const rows: readonly (readonly [string, (url: string) => string, readonly string[], number, string])[] = [
    ['none', () => '', ['status'], 64, 'No database. Pass --db postgresql://USER@HOST/NAME or set EXITGATE_FLEET_DB.'],
    ['no fleet', (url) => url, ['status'], 64, 'The database has no fleet tables yet. Run `exitgate fleet migrate'],
    ['no fleet', (url) => url, ['worker'], 64, 'The database has no fleet tables yet. Run `exitgate fleet migrate'],
    ['no server', () => 'postgresql://me:top-secret@127.0.0.1:1/x', ['migrate'], 70, "Can't reach the database: "],
    [
      'a wrong password',
      (url) => url.replace(/:[^:@/]+@/, ':top-secret@'),
      ['migrate'],
      64,
      'The database rejected the connection: password authentication failed',
    ],
    [
      'another server',
      () => 'mysql://me:top-secret@h/x',
      ['status'],
      64,
      '--db starts with mysql://. It must start with postgresql://.',
    ],
    ['not a URL', () => 'top-secret', ['status'], 64, '--db is not a valid URL. It should look like postgresql://'],
    [
      'a bare %',
      () => 'postgresql://me:top-secret%zz@h/x',
      ['status'],
      64,
      'The password in --db contains a bare %. Write it as %25.',
    ],
    [
      'an unknown host',
      () => 'postgresql://me:top-secret@nowhere.invalid/x',
      ['drain'],
      70,
      "Can't reach the database: ",
    ],
  ]
  it.for(rows)('%s', { timeout: MINUTES }, async ([, make, args, code, words], { skip }) => {
    skip(pg.missing !== undefined, pg.missing ?? '')
    empty ??= pg.database()
    const db = make(await empty)
    const ran = await project().run(['fleet', ...args], { EXITGATE_FLEET_DB: db, EXITGATE_DEBUG: '1' })
    expect([ran.code, ran.stdout]).toEqual([code, ''])
    expect(ran.stderr).toContain(`error: ${words}`)
    expect(ran.stderr).not.toContain('top-secret')
  })
})
