import { appendFileSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { EventInput } from '../../src/core/journal/events.ts'
import { NO_BASELINE } from '../../src/evidence/run-changes.ts'
import { openJournal } from '../../src/journal/log.ts'
import { resetJournal } from '../../src/journal/reset.ts'
import { markOf } from '../../src/loop/agent/leftovers.ts'
import { writePlace } from '../../src/loop/control/place.ts'
import { startedCommand } from '../../src/system/processes.ts'
import { Followed } from '../../src/watch/follow.ts'
import { Reports } from '../../src/watch/reports.ts'
import { Runs } from '../../src/watch/runs.ts'
import { keptToken, newToken, sameToken } from '../../src/watch/token.ts'
import { DONE, decided, note, started } from '../journal/samples.ts'
import { patience } from '../timing.ts'
import { listen, serve, serveOnLowPort, stateFolder } from './watch-server.ts'

const NAME = 'parser-0123456789ab'
const ENDED: EventInput = {
  type: 'run.ended',
  outcome: 'completed',
  ending: 'verified',
  reason: 'all done',
  iteration: 2,
}
const control = (kind: string): EventInput => ({ type: 'control', kind, by: 'a person', reason: 'a look' })

describe('a journal that is followed', () => {
  it('is read further, through an end and a new run', () => {
    const { write } = stateFolder()
    const dir = write(NAME, [started()])
    const followed = new Followed(dir)
    expect(followed.look()).toBe(true)
    expect(followed.row).toMatchObject({ project: 'parser', status: 'idle', iteration: 0, seq: 1 })
    expect(followed.look()).toBe(false)
    write(NAME, [decided(1)], 2000)
    expect(followed.look()).toBe(true)
    expect(followed.row).toMatchObject({ iteration: 1, claim: 'no', proof: 'no', reason: 'a reason', seenAt: 2000 })
    write(NAME, [decided(2, DONE, 'yes'), ENDED], 3000)
    followed.look()
    expect(followed.row).toMatchObject({ status: 'ended', outcome: 'completed', ending: 'verified', missing: [] })
    write(NAME, [started({ run: 'r2' })], 4000)
    followed.look()
    expect(followed.row).toMatchObject({ status: 'idle', run: 'r2', iteration: 0 })
  })

  it('waits for the rest of a line', () => {
    const { write, root } = stateFolder()
    write('other', [started()])
    const whole = write('other', [decided(1)], 2000)
    const [first = '', line = ''] = readFileSync(join(whole, 'journal.jsonl'), 'utf8').split('\n')
    const dir = join(root, NAME)
    mkdirSync(dir)
    writeFileSync(join(dir, 'journal.jsonl'), `${first}\n`)
    const followed = new Followed(dir)
    followed.look()
    appendFileSync(join(dir, 'journal.jsonl'), line.slice(0, 100))
    expect(followed.look()).toBe(false)
    expect(followed.row).toMatchObject({ seq: 1, status: 'idle' })
    appendFileSync(join(dir, 'journal.jsonl'), `${line.slice(100)}\n`)
    expect(followed.look()).toBe(true)
    expect(followed.row).toMatchObject({ seq: 2, iteration: 1 })
  })

  const replacements: readonly (readonly [string, (dir: string, other: string) => void])[] = [
    ['replaced by another file', (dir, other) => renameSync(join(other, 'journal.jsonl'), join(dir, 'journal.jsonl'))],
    [
      'written over in its place by a longer one',
      (dir, other) => writeFileSync(join(dir, 'journal.jsonl'), readFileSync(join(other, 'journal.jsonl'))),
    ],
    [
      'reset by a person',
      (dir) => {
        resetJournal(dir, { by: 'a person', reason: 'anew', at: 5000 })
        const journal = openJournal(dir)
        journal.append([started({ run: 'new' }), decided(1), decided(2), decided(3)], 6000)
        journal.close()
      },
    ],
  ]
  it.each(replacements)('is read from the start when it was %s', (_name, replace) => {
    const { write } = stateFolder()
    const dir = write(NAME, [started(), decided(1)])
    const other = write('other', [started({ run: 'new' }), decided(1), decided(2), decided(3), note('x'.repeat(3000))])
    const followed = new Followed(dir)
    followed.look()
    replace(dir, other)
    expect(followed.look()).toBe(true)
    expect(followed.row).toMatchObject({ run: 'new', iteration: 3 })
  })

  it('is shown as unreadable when it is damaged, and comes back when it is repaired', () => {
    const { write } = stateFolder()
    write(NAME, [started()])
    write(NAME, [decided(1)], 2000)
    const dir = write(NAME, [decided(2)], 3000)
    const file = join(dir, 'journal.jsonl')
    const good = readFileSync(file)
    const followed = new Followed(dir)
    followed.look()
    rmSync(join(dir, 'state.json'), { force: true })
    writeFileSync(file, good.toString('latin1').replace('a reason', 'another reason'), 'latin1')
    expect(followed.look()).toBe(true)
    expect(followed.row?.status).toBe('unreadable')
    expect(followed.row?.reason).toMatch(/is damaged at line 2/)
    rmSync(file)
    expect(followed.look()).toBe(true)
    expect(followed.row).toBeUndefined()
    writeFileSync(file, good)
    followed.look()
    expect(followed.row).toMatchObject({ status: 'idle', iteration: 2 })
  })

  it('distinguishes a run with a live loop from an abandoned one and a paused one', () => {
    const { write } = stateFolder()
    const dir = write(NAME, [started(), decided(1), control('pause')])
    const place = { path: join(dir, 'socket'), folder: dir, run: 'r1', pid: process.pid }
    const followed = new Followed(dir)
    followed.look()
    expect(followed.row).toMatchObject({ status: 'idle', answers: false })
    writeFileSync(join(dir, 'control.json'), JSON.stringify(place))
    // A new loop is unlikely there, so it is checked only now and then.
    for (let looks = 0; looks < 5; looks++) followed.look()
    expect(followed.row).toMatchObject({ status: 'held', answers: true })
    write(NAME, [control('resume'), { type: 'iteration.started', iteration: 2 }], 2000)
    followed.look()
    expect(followed.row).toMatchObject({ status: 'running', iteration: 2 })
    rmSync(join(dir, 'control.json'))
    expect(followed.look()).toBe(true)
    expect(followed.row).toMatchObject({ status: 'idle', answers: false })
    expect(followed.row).not.toHaveProperty('crashed')
    // A loop that ends in order takes its note with it. No process has this number.
    writeFileSync(join(dir, 'control.json'), JSON.stringify({ ...place, pid: 2 ** 30 }))
    for (let looks = 0; looks < 5; looks++) followed.look()
    expect(followed.row).toMatchObject({ status: 'idle', answers: false, crashed: true })
    write(NAME, [started({ run: 'r2' })], 3000)
    followed.look()
    expect(followed.row, 'the note of another run').not.toHaveProperty('crashed')
  })

  it.each([
    ['of the first run', []],
    ['after another run', [started(), decided(1), ENDED]],
  ])('shows a run that takes its baseline: %s', (_name, before) => {
    const { write } = stateFolder()
    const dir = write(NAME, before)
    const followed = new Followed(dir)
    writePlace(dir, { path: join(dir, 'socket'), folder: dir, run: 'r2', pid: process.pid })
    expect(followed.look()).toBe(true)
    expect(followed.row).toMatchObject({
      run: 'r2',
      status: 'running',
      answers: true,
      iteration: 0,
      findings: [],
      seq: 0,
    })
    expect(followed.look()).toBe(false)
    write(NAME, [started({ run: 'r2' })], 2000)
    expect(followed.look()).toBe(true)
    expect(followed.row).toMatchObject({ run: 'r2', status: 'running', answers: true, startedAt: 2000 })
    expect(followed.row?.seq).toBeGreaterThan(0)
  })

  it.each([
    ['of the first run', [], undefined],
    ['after another run', [started(), decided(1), ENDED], 'r1'],
  ])('shows no run whose process died in its baseline: %s', (_name, before, run) => {
    const { write } = stateFolder()
    const dir = write(NAME, before)
    const followed = new Followed(dir)
    writePlace(dir, { path: join(dir, 'socket'), folder: dir, run: 'r2', pid: process.pid })
    followed.look()
    writePlace(dir, { path: join(dir, 'socket'), folder: dir, run: 'r2', pid: 2 ** 30 })
    expect(followed.look()).toBe(true)
    expect(followed.row?.run).toBe(run)
  })

  const mine = markOf(startedCommand(process.pid, 'a1')).since
  const elsewhen: readonly (readonly [string, { readonly loop?: string; readonly agent?: string }, object])[] = [
    ['a later process has the pid of its loop', { loop: 'earlier' }, { status: 'idle', answers: false, crashed: true }],
    [
      'a later process has the pid of its agent',
      { agent: `${mine?.split(':')[0]}:1` },
      { status: 'idle', answers: false },
    ],
    ['its agent still runs', { loop: 'earlier', ...(mine && { agent: mine }) }, { status: 'running', answers: false }],
  ]
  it.for(elsewhen)('is not taken for another process: %s', ([, { loop, agent }, row], { skip }) => {
    skip(process.platform !== 'linux', 'only Linux reports the start time of an agent')
    const { write, root } = stateFolder()
    const ran = { type: 'agent.started' as const, iteration: 1, attempt: 1, pid: process.pid, id: 'a1' }
    const work: readonly EventInput[] = [
      { type: 'iteration.started', iteration: 1 },
      ...(agent === undefined ? [] : [{ ...ran, since: agent }]),
    ]
    const dir = write(NAME, [started(), ...work])
    const journal = openJournal(join(root, 'other'))
    const lock = JSON.parse(readFileSync(join(root, 'other', 'lock'), 'utf8'))
    journal.close()
    if (loop !== undefined) {
      writePlace(dir, { path: join(dir, 'socket'), folder: dir, run: 'r1', pid: process.pid })
      writeFileSync(join(dir, 'lock'), JSON.stringify({ ...lock, start: loop }))
    }
    const followed = new Followed(dir)
    followed.look()
    expect(followed.row).toMatchObject(row)
  })

  it('gives the same row whether it was followed or read at once', () => {
    const happening = fc.constantFrom<EventInput>(
      decided(1),
      decided(2, DONE, 'yes'),
      ENDED,
      control('pause'),
      control('resume'),
      note('a note'),
      started({ run: 'r2' }),
      { type: 'iteration.started', iteration: 3 },
    )
    fc.assert(
      fc.property(fc.array(fc.array(happening, { minLength: 1, maxLength: 3 }), { maxLength: 6 }), (appends) => {
        const { write } = stateFolder()
        const dir = write(NAME, [started()])
        const followed = new Followed(dir)
        followed.look()
        for (const [n, each] of appends.entries()) {
          write(NAME, each, 2000 + n)
          followed.look()
        }
        const fresh = new Followed(dir)
        fresh.look()
        expect(followed.row).toEqual(fresh.row)
      }),
      { numRuns: 25 },
    )
  })
})

describe('the list of runs', () => {
  it('has the runs of this project, or of all projects', () => {
    const { write, root } = stateFolder()
    const dir = write(NAME, [started()])
    write('lexer-0123456789ac', [started()])
    mkdirSync(join(root, 'empty'))
    writeFileSync(join(root, 'watch-7007.token'), 'x')
    const ids = (all: boolean): readonly string[] => {
      const runs = new Runs({ dir, all })
      runs.look()
      return runs.rows().map(({ id }) => id)
    }
    expect(ids(false)).toEqual([NAME])
    expect([...ids(true)].sort()).toEqual(['lexer-0123456789ac', NAME])
  })

  it('has the earlier runs of a journal too, each with its own report', async () => {
    const { write, dirOf } = stateFolder()
    const dir = write(NAME, [started({ run: 'one', task: 'the first' }), decided(1), ENDED])
    write(NAME, [started({ run: 'two' }), decided(1), decided(2)], 2000)
    write(NAME, [started({ run: 'three' })], 3000)
    const watch = await serve(dir)
    const heard = await listen(watch.port, watch.token)
    const { rows } = await heard.until((event) => event.rows.some(({ earlier }) => earlier !== undefined))
    expect(rows.map(({ id, run, status, earlier }) => [id, run, status, earlier])).toEqual([
      [`${NAME}/1`, 'one', 'ended', 1],
      [`${NAME}/2`, 'two', 'idle', 2],
    ])
    const ask = async (path: string, more: Record<string, string>) =>
      (await watch.ask(`${path}?${new URLSearchParams(more)}`, { headers: watch.bearer })).body
    const runs = new Runs({ dir, all: false })
    runs.look()
    await expect.poll(() => runs.row(`${NAME}/1`)).toBeDefined()
    const made = await new Reports(runs, () => 0).made(`${NAME}/1`)
    expect(made?.report).toMatchObject({ run: 'one', project: 'parser', task: 'the first', next: [] })
    expect(made?.report.iterations.map(({ n }) => n)).toEqual([1])
    expect(JSON.parse(await ask('/iteration', { journal: `${NAME}/2`, run: 'two', n: '2' }))).toMatchObject({ n: 2 })
    expect(await ask('/iteration', { journal: `${NAME}/2`, run: 'one', n: '1' })).toContain('there is no such run')
    expect(await ask('/iteration', { journal: `${NAME}/3`, run: 'three', n: '1' })).toContain('there is no such run')
    expect(JSON.parse(await ask('/diff', { journal: `${NAME}/1`, run: 'one' }))).toMatchObject({
      why: NO_BASELINE,
    })
    // A button of an earlier run must not reach the newer run in the same folder.
    const body = JSON.stringify({ journal: `${NAME}/1`, kind: 'pause', reason: 'a look' })
    const headers = { ...watch.bearer, 'content-type': 'application/json' }
    expect(JSON.parse((await watch.ask('/control', { method: 'POST', headers, body })).body)).toEqual({
      taken: false,
      text: 'This run is over. A later run has started in its project.',
    })
    write(NAME, [started({ run: 'four' })], 4000)
    const later = await heard.until((event) => event.rows.some(({ earlier }) => earlier === 3))
    expect(later.rows.map(({ id }) => id)).toEqual([`${NAME}/3`])
    rmSync(dirOf(NAME), { recursive: true })
    expect([...(await heard.until(({ gone }) => gone.includes(`${NAME}/2`))).gone].sort()).toEqual(
      [1, 2, 3].map((n) => `${NAME}/${n}`),
    )
    heard.close()
  })

  it('sends only what changed after a number, and everything to a new client', () => {
    const { write, dirOf } = stateFolder()
    const dir = write(NAME, [started()])
    write('lexer-0123456789ac', [started()])
    const runs = new Runs({ dir, all: true })
    runs.look()
    const first = runs.since(undefined)
    expect(first).toMatchObject({ all: true, gone: [] })
    expect(first.rows).toHaveLength(2)
    expect(runs.since(first.id)).toEqual({ all: false, rows: [], gone: [], id: first.id })
    write(NAME, [decided(1)], 2000)
    rmSync(dirOf('lexer-0123456789ac'), { recursive: true })
    runs.look()
    const second = runs.since(first.id)
    expect(second).toMatchObject({ all: false, gone: ['lexer-0123456789ac'] })
    expect(second.rows.map(({ id, iteration }) => [id, iteration])).toEqual([[NAME, 1]])
    for (const stranger of [
      '',
      'x',
      '0.0',
      `${first.id}9`,
      `${first.id.split('.')[0]}.-1`,
      'a.b.c',
      `${'9'.repeat(400)}`,
    ])
      expect(runs.since(stranger).all).toBe(true)
  })
})

describe('listeners', () => {
  it('get everything once, even many of them, and continue after a restart of the server', async () => {
    const { write } = stateFolder()
    const dir = write(NAME, [started()])
    const watch = await serveOnLowPort(dir)
    const all = await Promise.all(Array.from({ length: 30 }, () => listen(watch.port, watch.token)))
    for (const each of all) expect((await each.until((event) => event.all)).rows).toHaveLength(1)
    write(NAME, [decided(1)], 2000)
    for (const each of all) await each.until(({ rows }) => rows[0]?.iteration === 1)
    for (const { events } of all) expect(events.map((event) => event.all)).toEqual([true, false])
    const [one] = all
    const last = one?.events.at(-1)?.id ?? ''
    one?.close()
    write(NAME, [decided(2)], 3000)
    const again = await listen(watch.port, watch.token, last)
    expect(await again.until(() => true)).toMatchObject({ all: false, rows: [{ iteration: 2 }] })
    await watch.close()
    const next = await serve(dir, { port: watch.port, token: watch.token })
    const later = await listen(next.port, next.token, last)
    expect(await later.until(() => true)).toMatchObject({ all: true, rows: [{ iteration: 2 }] })
    later.close()
  })

  it('are limited in number', async () => {
    const { write } = stateFolder()
    const watch = await serve(write(NAME, [started()]))
    const all = await Promise.all(Array.from({ length: 64 }, () => listen(watch.port, watch.token)))
    expect(all.map(({ status }) => status)).toEqual(all.map(() => 200))
    expect((await watch.ask('/events', { headers: watch.bearer })).status).toBe(503)
    expect((await watch.ask('/')).status).toBe(200)
    all[0]?.close()
    await expect
      .poll(
        async () => {
          const tried = await listen(watch.port, watch.token)
          tried.close()
          return tried.status
        },
        { timeout: patience(30_000) },
      )
      .toBe(200)
  })
})

describe('the token', () => {
  it('is different every time, and the same again for a chosen port', () => {
    const { root } = stateFolder()
    expect(newToken()).not.toBe(newToken())
    const kept = keptToken(root, 7007)
    expect(keptToken(root, 7007)).toBe(kept)
    expect(keptToken(root, 7008)).not.toBe(kept)
  })

  it.each([
    ['too short', 'abc', 0o600],
    ['readable by others', 'a'.repeat(43), 0o644],
    ['too long', 'a'.repeat(44), 0o600],
  ])('is created again when the stored one is %s', (_name, text, mode) => {
    const { root } = stateFolder()
    writeFileSync(join(root, 'watch-7007.token'), text, { mode })
    const made = keptToken(root, 7007)
    expect(made).not.toBe(text)
    expect(keptToken(root, 7007)).toBe(made)
  })

  it('is compared as a whole', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (one, other) => {
        expect(sameToken(one, other)).toBe(one === other)
      }),
    )
  })
})
