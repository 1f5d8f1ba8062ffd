import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { basename, join } from 'node:path'
import { afterEach, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { forceUnlock } from '../../src/journal/lock.ts'
import { openJournal, openJournalAsync } from '../../src/journal/log.ts'
import { readEvents, verifyJournal } from '../../src/journal/read.ts'
import { patience } from '../timing.ts'
import { compileJournal } from './compiled.ts'
import { journals } from './journals.ts'
import { note, tempFolder } from './samples.ts'

const { newDir } = journals()
const fixture = (name: string) => join(import.meta.dirname, 'fixtures', name)
const lockOf = (dir: string) => join(dir, 'lock')
let room: string
beforeAll(() => {
  room = compileJournal(join(tempFolder(), 'room'))
})

/** The content of a lock file whose owner is this process, except for the given fields. */
function lockFile(more: object): string {
  const dir = newDir()
  const journal = openJournal(dir)
  const mine = JSON.parse(readFileSync(lockOf(dir), 'utf8'))
  journal.close()
  return JSON.stringify({ ...mine, ...more })
}

function dirWithLock(text: string, secondsAgo = 0): string {
  const dir = newDir()
  mkdirSync(dir)
  writeFileSync(lockOf(dir), text)
  const then = Date.now() / 1000 - secondsAgo
  utimesSync(lockOf(dir), then, then)
  return dir
}

const GONE = 2 ** 22 + 1

describe('the lock', () => {
  it('identifies its owner', () => {
    const journal = openJournal(newDir())
    expect(JSON.parse(readFileSync(lockOf(journal.dir), 'utf8'))).toMatchObject({ pid: process.pid, host: hostname() })
    expect(() => openJournal(journal.dir)).toThrow(
      new RegExp(`is in use by process ${process.pid} \\(since 20.*Z\\)\\. Wait until it ends`),
    )
    journal.close()
    openJournal(journal.dir).close()
  })

  const stale: readonly [string, () => string, number][] = [
    ['its owner is dead', () => lockFile({ pid: GONE }), 0],
    ['its pid belongs to a later process', () => lockFile({ start: 'earlier' }), 0],
    ['it is empty and old', () => '', 10],
    ['it is truncated and old', () => lockFile({}).slice(0, 20), 10],
    ['its nonce would escape the folder', () => lockFile({ nonce: '../../x', pid: GONE }), 10],
    ['it is from the future and unreadable', () => '', -100],
  ]
  it.each(stale)('is replaced when %s', (_name, text, secondsAgo) => {
    const dir = dirWithLock(text(), secondsAgo)
    const journal = openJournal(dir, { waitMs: 0 })
    journal.append([note('n')], 1)
    journal.close()
    expect(readdirSync(dir)).toEqual(['journal.jsonl'])
  })

  it('is taken by a caller whose place in the queue was removed', async () => {
    const dir = newDir()
    const first = openJournal(dir)
    const second = openJournalAsync(dir, { waitMs: patience(60_000) })
    const queued = () => readdirSync(dir).filter((name) => name.startsWith('lock.wait-'))
    await expect.poll(queued).toHaveLength(1)
    for (const name of queued()) rmSync(join(dir, name))
    first.close()
    ;(await second).close()
    expect(readdirSync(dir)).toEqual(['journal.jsonl'])
  })

  const live: readonly [string, () => string, RegExp][] = [
    ['its owner is alive', () => lockFile({ pid: process.ppid, start: undefined }), /in use by process \d+ \(since/],
    ['it was made just now', () => '', /in use by an unknown process/],
    [
      'its owner is on another machine',
      () => lockFile({ host: 'far.away' }),
      /process \d+ on far\.away .* `exitgate reset --force-unlock`/,
    ],
  ]
  it.each(live)('is kept when %s', (_name, text, sentence) => {
    const dir = dirWithLock(text())
    // Another look must not make it old.
    const clock = vi.spyOn(Date, 'now').mockReturnValue(statSync(lockOf(dir)).mtimeMs)
    onTestFinished(() => clock.mockRestore())
    expect(() => openJournal(dir, { waitMs: 0 })).toThrow(sentence)
    expect(() => openJournal(dir, { waitMs: 0 })).toThrow(expect.objectContaining({ exitCode: 75 }))
    expect(readdirSync(dir)).toEqual(['lock'])
  })

  it('is replaced when the processes that wanted to replace it died as well', () => {
    const nonces = ['a', 'b', 'c'].map((letter) => letter.repeat(32))
    const [a, b, c] = nonces.map((nonce) => lockFile({ pid: GONE, nonce }))
    const dir = dirWithLock(a ?? '')
    writeFileSync(join(dir, `lock.claim-${nonces[0]}`), b ?? '')
    writeFileSync(join(dir, `lock.claim-${nonces[1]}`), c ?? '')
    writeFileSync(join(dir, `lock.${nonces[2]}`), c ?? '')
    openJournal(dir, { waitMs: 0 }).close()
    expect(readdirSync(dir)).toEqual(['journal.jsonl'])
  })

  it('waits for a live process that is replacing it', () => {
    const nonce = 'a'.repeat(32)
    const dir = dirWithLock(lockFile({ pid: GONE, nonce }))
    writeFileSync(join(dir, `lock.claim-${nonce}`), lockFile({ pid: process.ppid, start: undefined }))
    expect(() => openJournal(dir, { waitMs: 0 })).toThrow(`in use by process ${process.ppid}`)
    expect(readdirSync(dir).sort()).toEqual(['lock', `lock.claim-${nonce}`])
  })

  it('of a zombie process is replaced', async ({ skip }) => {
    skip(process.platform !== 'linux', 'zombies are told from the living by /proc')
    // The shell starts a child and becomes `sleep`, which never waits for the child.
    const child = spawn('sh', ['-c', 'sleep 60 & echo $!; exec sleep 60'], { env: { PATH: process.env.PATH } })
    const [line] = await once(child.stdout, 'data')
    const pid = Number(String(line))
    const dir = dirWithLock(lockFile({ pid, start: undefined }))
    expect(() => openJournal(dir, { waitMs: 0 })).toThrow(/in use by process/)
    process.kill(pid, 'SIGKILL')
    openJournal(dir, { waitMs: 10_000 }).close()
    child.kill('SIGKILL')
  })

  it('can be removed by the user, and its owner stops writing', () => {
    const dir = newDir()
    const first = openJournal(dir)
    first.append([note('first')], 1)
    expect(forceUnlock(dir)).toMatch(new RegExp(`^process ${process.pid} \\(since`))
    expect(forceUnlock(dir)).toBeUndefined()
    const second = openJournal(dir)
    expect(() => first.append([note('late')], 2)).toThrow(/is no longer locked by this process/)
    second.append([note('second')], 2)
    first.close()
    second.append([note('third')], 3)
    second.close()
    expect(verifyJournal(dir)).toMatchObject({ ok: true, events: 3 })
  })

  it('of a run fails immediately instead of waiting for its end', () => {
    const dir = dirWithLock(lockFile({ pid: process.ppid, start: undefined, command: 'run' }))
    expect(() => openJournal(dir, { waitMs: 600_000 })).toThrow(/in use by process \d+ \(exitgate run, since 20/)
    expect(() => openJournal(dir, { waitMs: 600_000 })).toThrow(expect.objectContaining({ exitCode: 75 }))
    expect(readdirSync(dir)).toEqual(['lock'])
  })

  it('goes to callers in the same process one after another', async () => {
    const dir = newDir()
    let open = 0
    const call = async (n: number) => {
      const journal = await openJournalAsync(dir, { command: 'check' })
      expect(++open).toBe(1)
      await new Promise((resolve) => setTimeout(resolve, 1))
      journal.append([note(`n${n}`)], n)
      open--
      journal.close()
    }
    await Promise.all(Array.from({ length: 12 }, (_, n) => call(n)))
    expect(verifyJournal(dir)).toMatchObject({ ok: true, events: 12 })
    expect(readdirSync(dir)).toEqual(['journal.jsonl'])
  })

  describe('with a fake clock', () => {
    beforeEach(() => void vi.useFakeTimers({ toFake: ['hrtime', 'setTimeout'] }))
    afterEach(() => void vi.useRealTimers())

    it('reports its holder after two seconds, and fails with 75 when the wait times out', async () => {
      const dir = dirWithLock(lockFile({ pid: process.ppid, start: undefined, command: 'check' }))
      const said: string[] = []
      const opening = openJournalAsync(dir, { waitMs: 5000, onWait: (text) => said.push(text) })
      const refused = expect(opening).rejects.toMatchObject({
        exitCode: 75,
        message: expect.stringMatching(
          /in use by process \d+ \(exitgate check, since .*\) and did not become free within 5 s\. Try/,
        ),
      })
      await vi.advanceTimersByTimeAsync(1900)
      expect(said).toEqual([])
      await vi.advanceTimersByTimeAsync(300)
      expect(said).toEqual([
        expect.stringMatching(
          /^waiting for process \d+ \(exitgate check, since .*\), which is using .*\. Giving up after 5 s\.$/,
        ),
      ])
      await vi.advanceTimersByTimeAsync(3000)
      await refused
      expect(readdirSync(dir)).toEqual(['lock'])
    })

    it('goes to the first caller, unless that one is dead or does not take it', async () => {
      const dir = newDir()
      mkdirSync(dir)
      const [dead, slow] = ['a', 'b'].map((letter) => letter.repeat(32))
      writeFileSync(join(dir, `lock.wait-000000000000001-${dead}`), lockFile({ pid: GONE, nonce: dead }))
      const first = join(dir, `lock.wait-000000000000002-${slow}`)
      writeFileSync(first, lockFile({ pid: process.ppid, start: undefined, nonce: slow }))
      let mine = false
      const opening = openJournalAsync(dir).then((journal) => {
        mine = true
        journal.close()
      })
      await vi.advanceTimersByTimeAsync(800)
      expect(mine).toBe(false)
      await vi.advanceTimersByTimeAsync(400)
      await opening
      expect(readdirSync(dir).sort()).toEqual(['journal.jsonl', basename(first)])
    })
  })

  it('of a killed owner goes to exactly one of eight contenders', async () => {
    for (let round = 0; round < 4; round++) {
      const dir = newDir()
      const killed = spawn(process.execPath, [fixture('appender.mjs'), room, dir, '1', 'die'], { env: {} })
      expect((await once(killed, 'close'))[1]).toBe('SIGKILL')
      const contenders = Array.from({ length: 8 }, () =>
        talkTo(spawn(process.execPath, [fixture('contender.mjs'), room, dir], { env: {} })),
      )
      for (const { line } of contenders) expect(await line(0)).toBe('ready')
      for (const { child } of contenders) child.stdin.write('go\n')
      const answers = await Promise.all(contenders.map(({ line }) => line(1)))
      expect(answers.filter((answer) => answer === 'mine')).toHaveLength(1)
      expect(answers.filter((answer) => /in use by process \d+/.test(answer))).toHaveLength(7)
      const winner = contenders[answers.indexOf('mine')]?.child.pid
      expect(JSON.parse(readFileSync(lockOf(dir), 'utf8')).pid).toBe(winner)
      for (const { child } of contenders) child.stdin.end()
      await Promise.all(contenders.map(({ child }) => child.exitCode ?? once(child, 'close')))
      openJournal(dir).close()
      expect(readdirSync(dir)).toEqual(['journal.jsonl'])
    }
  })

  it('admits many writers one after another, even if some die while holding it', {
    timeout: patience(120_000),
  }, async () => {
    const dir = newDir()
    const ends = Array.from({ length: 8 }, (_, i) => {
      const die = i % 2 === 0 ? 'die' : 'live'
      const child = spawn(process.execPath, [fixture('appender.mjs'), room, dir, '15', die], { env: {} })
      let faults = ''
      child.stderr.on('data', (chunk) => {
        faults += chunk
      })
      return once(child, 'close').then(([code, signal]) => [code ?? signal, faults])
    })
    const expected = Array.from({ length: 8 }, (_, i) => [i % 2 === 0 ? 'SIGKILL' : 0, ''])
    expect(await Promise.all(ends)).toEqual(expected)
    expect(verifyJournal(dir)).toMatchObject({ ok: true, events: 8 * 15 })
    expect(new Set([...readEvents(dir)].map((event) => (event.type === 'note' ? event.text : ''))).size).toBe(8 * 15)
  })
})

/** The lines a child prints, by number, as soon as they arrive. */
function talkTo(child: ChildProcessWithoutNullStreams) {
  let out = ''
  child.stdout.on('data', (chunk) => {
    out += chunk
  })
  const line = async (n: number): Promise<string> => {
    while (out.split('\n').length <= n + 1) await once(child.stdout, 'data')
    return out.split('\n')[n] ?? ''
  }
  return { child, line }
}
