import fs, {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, describe, expect, it, onTestFinished } from 'vitest'
import { type Address, addressOf, environmentOf } from '../../src/inbox/attempt.ts'
import { closeInbox, openInbox, readInbox } from '../../src/inbox/inbox.ts'
import { postSignal } from '../../src/inbox/post.ts'
import { forgetSessionSignals, postSessionSignal, takeSessionSignals } from '../../src/inbox/session-inbox.ts'
import { project } from '../cli/run-cli.ts'

const base = mkdtempSync(join(tmpdir(), 'exitgate-inbox-'))
afterAll(() => rmSync(base, { recursive: true, force: true }))
let count = 0
const newState = (): string => join(base, `state-${count++}`)
const inboxOf = (state = newState()): Address => openInbox(state, { run: 'r-1', iteration: 3 })

/** A line as an honest agent's tool writes it, with the differences of a row. */
const line = (address: Address, other: Readonly<Record<string, unknown>> = {}): string => {
  const { run, iteration, nonce } = address
  return `${JSON.stringify({ v: 1, at: 5, id: `id-${count++}`, run, iteration, nonce, status: 'complete', ...other })}\n`
}

describe('the inbox', () => {
  it('delivers a signal from the agent to the loop', () => {
    const address = inboxOf()
    const signal = { status: 'complete', reason: 'all of it', remaining_work: 'none', confidence: 'high' }
    expect(postSignal(address, signal, 5)).toBeUndefined()
    expect(readInbox(address.inbox, address)).toEqual({ signals: [signal], refused: [] })
  })

  it('is private, empty at first, and the only one in its folder', () => {
    const state = newState()
    const first = inboxOf(state)
    const second = inboxOf(state)
    expect(second.nonce).not.toBe(first.nonce)
    expect(statSync(second.inbox).mode & 0o777).toBe(0o600)
    expect(statSync(join(state, 'inbox')).mode & 0o777).toBe(0o700)
    expect(readdirSync(join(state, 'inbox'))).toEqual([`${second.nonce}.jsonl`])
    expect(readInbox(second.inbox, second)).toEqual({ signals: [], refused: [] })
    closeInbox(second.inbox)
    closeInbox(second.inbox)
    expect(existsSync(second.inbox)).toBe(false)
  })

  it('of an earlier attempt accepts nothing, and reports it', () => {
    const state = newState()
    const old = inboxOf(state)
    const now = inboxOf(state)
    expect(postSignal(old, { status: 'complete' }, 5)).toMatch(/is gone, because that start of the agent has ended$/)
    // A leftover process that found the new inbox still has the old nonce.
    expect(postSignal({ ...old, inbox: now.inbox }, { status: 'complete' }, 5)).toBeUndefined()
    expect(readInbox(now.inbox, now)).toEqual({
      signals: [],
      refused: ['A signal was rejected: it has the nonce of another start of the agent.'],
    })
  })

  const refusals: [string, (address: Address) => string, RegExp][] = [
    ['of another run', (a) => line(a, { run: 'r-0' }), /another run \("r-0"\)\.$/],
    ['of another iteration', (a) => line(a, { iteration: 2 }), /another iteration \("2"\)\.$/],
    ['with the iteration as a text', (a) => line(a, { iteration: '3' }), /another iteration/],
    ['with another nonce', (a) => line(a, { nonce: 'x' }), /nonce of another start/],
    ['without a nonce', (a) => line(a, { nonce: undefined }), /nonce of another start/],
    ['without an id', (a) => line(a, { id: undefined }), /has no id\.$/],
    ['without a time', (a) => line(a, { at: undefined }), /too long ago\.$/],
    ['without a status', (a) => line(a, { status: undefined }), /it has no status\.$/],
    ['with a status nobody knows', (a) => line(a, { status: 'done' }), /its status is "done", which must be one of/],
    ['with a list for a status', (a) => line(a, { status: ['complete'] }), /its status is "an object"/],
    ['that is not JSON', () => 'EXIT_STATUS: COMPLETE\n', /not a JSON object\.$/],
    ['that is cut off', (a) => line(a).slice(0, 40), /not a JSON object\.$/],
    ['that is a list', (a) => `[${line(a).trim()}]\n`, /not a JSON object\.$/],
    ['that is null', () => 'null\n', /not a JSON object\.$/],
    ['that is too long', (a) => line(a, { reason: 'x'.repeat(20_000) }), /characters long, the maximum is 16384\.$/],
    ['in bytes that are not text', () => '\ufffd\u0000\n', /not a JSON object\.$/],
  ]
  it.each(refusals)('refuses a signal %s', (_name, write, reason) => {
    const address = inboxOf()
    writeFileSync(address.inbox, write(address))
    const { signals, refused } = readInbox(address.inbox, address)
    expect(signals).toEqual([])
    expect(refused).toEqual([expect.stringMatching(reason)])
  })

  it('rejects a copy of a line it has read', () => {
    const address = inboxOf()
    const one = line(address)
    writeFileSync(address.inbox, one + line(address, { status: 'continue' }) + one)
    expect(readInbox(address.inbox, address)).toEqual({
      signals: [{ status: 'complete' }, { status: 'continue' }],
      refused: ['A signal was rejected: it is a copy of an earlier signal.'],
    })
  })

  const evidence = [
    { tests: 'pass' },
    { evidence: { tests: { answer: 'yes' } } },
    { 'tests.total': 9 },
    { claim: true },
  ]
  it.each(evidence)('accepts no evidence: %j', (fields) => {
    const address = inboxOf()
    writeFileSync(address.inbox, line(address, fields))
    const { signals, refused } = readInbox(address.inbox, address)
    expect(signals).toEqual([{ status: 'complete' }])
    expect(refused).toEqual([
      expect.stringMatching(/^A signal was accepted, but its field ".*" is ignored: exitgate gathers evidence itself/),
    ])
  })

  const exchanged: [string, (path: string) => void, RegExp][] = [
    ['removed', (path) => rmSync(path), /was removed while the agent ran\.$/],
    [
      'exchanged for a link',
      (path) => {
        rmSync(path)
        symlinkSync(join(base, 'elsewhere'), path)
      },
      /was replaced with a link\.$/,
    ],
    [
      'exchanged for a folder',
      (path) => {
        rmSync(path)
        mkdirSync(path)
      },
      /is no longer a regular file\.$/,
    ],
  ]
  it.each(exchanged)('that was %s gives only a message', (_name, tamper, reason) => {
    writeFileSync(join(base, 'elsewhere'), 'nothing\n')
    const address = inboxOf()
    tamper(address.inbox)
    expect(readInbox(address.inbox, address)).toEqual({ signals: [], refused: [expect.stringMatching(reason)] })
  })

  it('that was flooded is read from its end', () => {
    const address = inboxOf()
    for (let i = 0; i < 100; i++) appendFileSync(address.inbox, `${'x'.repeat(10_000)}\n`)
    appendFileSync(address.inbox, line(address, { status: 'blocked', reason: 'no key' }))
    const { signals, refused } = readInbox(address.inbox, address)
    expect(signals).toEqual([{ status: 'blocked', reason: 'no key' }])
    expect(refused[0]).toMatch(/^The first \d+ bytes of the signals were skipped/)
  })

  it('limits what it reports about rejected signals', () => {
    const address = inboxOf()
    for (let i = 0; i < 200; i++) appendFileSync(address.inbox, line(address, { run: `x-${i}` }))
    const { refused } = readInbox(address.inbox, address)
    expect(refused).toHaveLength(21)
    expect(refused.at(-1)).toBe('180 more signals were rejected.')
  })

  it('never throws, and finds no signal in noise', () => {
    const address = inboxOf()
    fc.assert(
      fc.property(fc.oneof(fc.uint8Array({ maxLength: 300 }), fc.json().map(Buffer.from)), (bytes) => {
        writeFileSync(address.inbox, bytes)
        expect(readInbox(address.inbox, address).signals).toEqual([])
      }),
    )
  })
})

describe('the environment of the agent', () => {
  const address: Address = { run: 'r-1', iteration: 3, nonce: 'n', inbox: '/tmp/i' }
  it('names the inbox for signals', () => expect(addressOf(environmentOf(address))).toEqual(address))

  const halves: [string, Record<string, string | undefined>, unknown][] = [
    ['nothing', {}, undefined],
    ['an empty run', { EXITGATE_RUN: '' }, undefined],
    [
      'no inbox',
      { EXITGATE_INBOX: undefined },
      expect.stringMatching(/but not EXITGATE_INBOX; pass the agent's whole environment on/),
    ],
    ['no nonce', { EXITGATE_NONCE: '' }, expect.stringMatching(/but not EXITGATE_NONCE/)],
    ['a word for a number', { EXITGATE_ITERATION: 'x' }, expect.stringMatching(/EXITGATE_ITERATION is "x"; it must/)],
  ]
  it.each(halves)('with %s', (name, other, expected) => {
    const env = name === 'nothing' ? {} : { ...environmentOf(address), ...other }
    expect(addressOf(env)).toEqual(expected)
  })
})

describe('the inbox of a session without a run', () => {
  it('keeps a signal for the next stop only', () => {
    const state = newState()
    expect(takeSessionSignals(state, 10)).toEqual({ signals: [], refused: [] })
    expect(postSessionSignal(state, { status: 'complete' }, 5)).toBeUndefined()
    expect(postSessionSignal(state, { status: 'continue' }, 6)).toBeUndefined()
    expect(takeSessionSignals(state, 10).signals).toEqual([{ status: 'complete' }, { status: 'continue' }])
    expect(takeSessionSignals(state, 10)).toEqual({ signals: [], refused: [] })
    expect(readdirSync(join(state, 'inbox'))).toEqual([])
  })

  it('forgets signals of an earlier session, and rejects old ones', () => {
    const state = newState()
    postSessionSignal(state, { status: 'complete' }, 5)
    forgetSessionSignals(state)
    expect(takeSessionSignals(state, 10).signals).toEqual([])
    postSessionSignal(state, { status: 'complete' }, 5)
    expect(takeSessionSignals(state, 5 + 2 * 60 * 60_000)).toEqual({
      signals: [],
      refused: ['A signal was rejected: it was sent too long ago.'],
    })
  })

  it('is not removed by a run', () => {
    const state = newState()
    postSessionSignal(state, { status: 'complete' }, 5)
    inboxOf(state)
    expect(takeSessionSignals(state, 10).signals).toEqual([{ status: 'complete' }])
  })
})

describe('an inbox that is read between the opening and the write of a signal', () => {
  function beforeNextWrite(act: () => void): void {
    const { writeSync } = fs
    const restore = (): void => {
      fs.writeSync = writeSync
      syncBuiltinESMExports()
    }
    fs.writeSync = ((...args: Parameters<typeof writeSync>) => {
      restore()
      act()
      return writeSync(...args)
    }) as typeof writeSync
    syncBuiltinESMExports()
    onTestFinished(restore)
  }

  it('of a session keeps the signal for the next stop', () => {
    const state = newState()
    beforeNextWrite(() => expect(takeSessionSignals(state, 10).signals).toEqual([]))
    expect(postSessionSignal(state, { status: 'complete' }, 5)).toBeUndefined()
    expect(takeSessionSignals(state, 10).signals).toEqual([{ status: 'complete' }])
  })

  it('of a run has ended, and the agent hears it', () => {
    const address = inboxOf()
    beforeNextWrite(() => closeInbox(address.inbox))
    expect(postSignal(address, { status: 'complete' }, 5)).toMatch(
      /is gone, because that start of the agent has ended$/,
    )
  })
})

describe('exitgate signal', () => {
  it('reaches the inbox of the run', async () => {
    const { run, state } = project()
    const address = openInbox(state, { run: 'r-1', iteration: 3 })
    const args = ['signal', 'continue', '--reason', 'more to do', '--remaining', 'the API', '--confidence', 'HIGH']
    const ran = await run(args, environmentOf(address))
    expect([ran.code, ran.stderr]).toEqual([0, ''])
    expect(ran.stdout).toBe('Recorded for iteration 3. exitgate checks the project when the iteration ends.\n')
    expect(readInbox(address.inbox, address)).toEqual({
      signals: [{ status: 'continue', reason: 'more to do', remaining_work: 'the API', confidence: 'high' }],
      refused: [],
    })
  })

  it('has JSON output', async () => {
    const { run, state } = project()
    const ran = await run(['signal', 'complete', '--json'], environmentOf(openInbox(state, { run: 'r', iteration: 1 })))
    expect(ran.json).toEqual({ recorded: true, run: 'r', iteration: 1, status: 'complete' })
  })

  const wrong: [string, string[], Record<string, string>, number, RegExp][] = [
    [
      'outside a run',
      ['complete'],
      {},
      64,
      /EXITGATE_RUN is not set: exitgate signal works only inside a run\. Start the agent with exitgate run\./,
    ],
    [
      'half an environment',
      ['complete'],
      { EXITGATE_RUN: 'r' },
      64,
      /but not EXITGATE_ITERATION, EXITGATE_NONCE, EXITGATE_INBOX/,
    ],
    ['no word', [], {}, 64, /Missing argument: exitgate signal takes one of complete, continue, blocked\./],
    ['another word', ['done'], {}, 64, /Unexpected argument "done": exitgate signal takes one of/],
    ['an unknown option', ['complete', '--tests', 'pass'], {}, 64, /Unknown option --tests\./],
    [
      'an inbox that is gone',
      ['complete'],
      { EXITGATE_RUN: 'r', EXITGATE_ITERATION: '1', EXITGATE_NONCE: 'n', EXITGATE_INBOX: join(base, 'none') },
      70,
      /The status was not recorded: the inbox .* is gone/,
    ],
    [
      'a confidence of its own',
      ['complete', '--confidence', 'sure'],
      { EXITGATE_RUN: 'r', EXITGATE_ITERATION: '1', EXITGATE_NONCE: 'n', EXITGATE_INBOX: join(base, 'none') },
      64,
      /--confidence must be one of low, medium, high, not "sure"\./,
    ],
  ]
  it.each(wrong)('with %s reports the problem', async (_name, args, env, code, said) => {
    const { run } = project()
    const ran = await run(['signal', ...args], env)
    expect(ran.code).toBe(code)
    expect(ran.stderr).toMatch(said)
    expect(ran.stdout).toBe('')
  })

  it('makes no file if there is no inbox', async () => {
    const { run, dir } = project()
    const inbox = join(dir, 'mine.jsonl')
    const env = { EXITGATE_RUN: 'r', EXITGATE_ITERATION: '1', EXITGATE_NONCE: 'n', EXITGATE_INBOX: inbox }
    expect((await run(['signal', 'complete'], env)).code).toBe(70)
    expect(existsSync(inbox)).toBe(false)
    writeFileSync(inbox, '')
    expect((await run(['signal', 'complete'], env)).code).toBe(0)
    expect(readFileSync(inbox, 'utf8')).toContain('"status":"complete"')
  })
})
