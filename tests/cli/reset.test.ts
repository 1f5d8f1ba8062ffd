import { mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openJournal } from '../../src/journal/log.ts'
import { readEvents, readJournal } from '../../src/journal/read.ts'
import { compile } from '../evidence/compiled.ts'
import { fixture, talkTo } from '../loop/talk.ts'
import { project, RED } from './run-cli.ts'

const room = realpathSync(mkdtempSync(join(tmpdir(), 'exitgate-room-')))
beforeAll(() => {
  compile(room, 'src/loop/control/server.ts')
  compile(room, 'src/loop/control/event-feed.ts')
})
afterAll(() => rmSync(room, { recursive: true, force: true }))

async function begun() {
  const work = project({ 'red.json': RED, 'said.txt': 'Still at it.\n' })
  expect((await work.run(['check', '--transcript', 'said.txt', '--evidence', 'red.json'])).code).toBe(10)
  const { dir } = (await work.run(['state', '--json'])).json as { dir: string }
  return { ...work, journal: dir, state: () => readJournal(dir).state, events: () => [...readEvents(dir)] }
}

const WAYS: string[][] = [['reset'], ['reset', '--breaker'], ['reset', '--force-unlock']]
const MARKS = ['EXITGATE_RUN', 'EXITGATE_CHECK', 'CLAUDECODE']
const rows = WAYS.flatMap((way) => MARKS.map((mark): [string[], string] => [way, mark]))

describe('reset', () => {
  it.each(rows)('%j is refused for a process with %s, and the attempt is recorded', async (way, mark) => {
    const work = await begun()
    const before = work.state().seq
    const done = await work.run([...way, '--reason', 'a fresh start'], { [mark]: 'run-1' })
    expect(done).toMatchObject({ code: 64, stdout: '' })
    expect(done.stderr).toMatch(
      /^error: Refused: (?:an agent or a check|the run's own agent) can't use exitgate reset.*\. Run it in your own terminal\.\n$/,
    )
    expect(work.state().seq).toBe(before + 1)
    expect(work.events().at(-1)).toMatchObject({
      type: 'note',
      text: `refused: ${way.join(' ')} by the user (a fresh start): it came from inside a run`,
    })
  })

  it.each(WAYS)('%s %s by an agent during a run is recorded by the loop, which keeps its lock', async (...way) => {
    const work = await begun()
    const loop = talkTo([process.execPath, fixture('controlled.mjs'), room, work.journal, '{"allowRemote":true}'])
    await loop.hears(/^ready/)
    const lock = openJournal(work.journal)
    const command = way.filter(Boolean)
    const done = await work.run([...command, '--reason', 'a fresh start'], { EXITGATE_RUN: 'run-1' })
    expect(done).toMatchObject({
      code: 64,
      stdout: '',
      stderr: expect.stringMatching(/^error: Refused: .* can't use exitgate reset/),
    })
    expect(await loop.hears(/^refused/)).toContain(`exitgate ${command.join(' ')}: a fresh start`)
    expect(loop.said()).not.toMatch(/^control/m)
    // Appending would fail if the lock were lost.
    lock.append([{ type: 'note', text: 'still here' }], Date.now())
    lock.close()
  })

  it("--force-unlock removes another process's lock and shows which process held it", async () => {
    const work = await begun()
    const lock = openJournal(work.journal)
    const done = await work.run(['reset', '--force-unlock', '--reason', 'it is gone'])
    expect(done).toMatchObject({
      code: 0,
      stderr: expect.stringMatching(/^Removed the lock of process \d+ \(since .*\)\.\n$/),
    })
    expect(done.stdout).toMatch(/^Started over\. The old journal \(\d+ events\) was archived to .*\.\n$/)
    lock.close()
  })

  it('an agent is refused even if the journal cannot be read', async () => {
    const work = await begun()
    work.write('../broken/journal.jsonl', 'no journal\n')
    const done = await work.run(['reset', '--state-dir', '../broken'], { EXITGATE_RUN: 'run-1' })
    expect(done).toMatchObject({
      code: 64,
      stderr: expect.stringMatching(/^error: Refused: .* can't use exitgate reset\./),
    })
  })
})
