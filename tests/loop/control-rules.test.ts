import { describe, expect, it } from 'vitest'
import { type Circumstances, whyNot } from '../../src/loop/control/may-ask.ts'
import { proofName, readAsking } from '../../src/loop/control/request.ts'
import { ancestryOf, fromProc, fromPs, type ProcessOrigin } from '../../src/system/process-ancestry.ts'

const RUN_BEGAN = 1000
const kin = (pid: number, startedAt: number, more: Partial<ProcessOrigin> = {}): ProcessOrigin => ({
  pid,
  parent: 1,
  group: pid,
  session: pid,
  terminal: true,
  startedAt,
  variables: {},
  ...more,
})
const init = kin(1, 0, { parent: 0, terminal: false })
const manager = kin(50, 100, { terminal: false })
const window = kin(100, 200)
const runner = [kin(200, RUN_BEGAN), kin(150, 500), window, manager, init]

/** A second terminal next to the one of the run, unless a row says otherwise. */
const asks = (lineage: readonly ProcessOrigin[] | undefined, more: Partial<Circumstances> = {}): Circumstances => ({
  blind: false,
  lineage,
  runner,
  agent: new Set([300]),
  reaper: 50,
  since: RUN_BEGAN,
  allowRemote: false,
  ...more,
})
const young = kin(900, 5000)
const shell = kin(800, 4000)

describe('who may force a run', () => {
  const may: [string, Circumstances][] = [
    ['a new tab of the terminal that the run was started in', asks([young, shell, window, manager, init])],
    ['a shell that is older than the run', asks([young, kin(800, 900), manager, init])],
    ['somebody who logged in later', asks([young, shell, kin(700, 300), init])],
    ['somebody who came into the container from outside', asks([young, kin(800, 4000, { parent: 0 })])],
    [
      'the shell that is the first process of a container',
      asks([kin(900, 5000, { session: 1 }), init], { reaper: 1, runner: [kin(200, RUN_BEGAN), init] }),
    ],
    [
      'a process without a terminal, if that is allowed',
      asks([kin(900, 5000, { terminal: false }), window, init], { allowRemote: true }),
    ],
    [
      'a terminal that is as marked as the run itself',
      asks([kin(900, 5000, { variables: { EXITGATE_CHECK: 'outer' } }), window, init], {
        runner: [kin(200, RUN_BEGAN, { variables: { EXITGATE_CHECK: 'outer' } }), init],
      }),
    ],
    ['anybody on a system that cannot tell, if that is allowed', asks(undefined, { blind: true, allowRemote: true })],
  ]
  it.each(may)('%s', (_, about) => {
    expect(whyNot('force', about)).toBeUndefined()
  })

  const mayNot: [string, Circumstances, RegExp][] = [
    [
      'a process that says it is inside a run',
      asks([young, window, init], { inside: 'run-1' }),
      /it came from inside a run/,
    ],
    ['a process that can’t prove its identity', asks(undefined), /could not prove its identity/],
    ['a process that is gone', asks([]), /could not prove/],
    [
      'a child of the run',
      asks([young, kin(200, RUN_BEGAN), window, init]),
      /process 900 was started by the run itself/,
    ],
    [
      'a process with the mark of a run',
      asks([kin(900, 5000, { variables: { EXITGATE_RUN: 'run-1' } }), window, init]),
      /^process 900 was started by an agent or a check/,
    ],
    [
      'a process whose parent has the mark of a check',
      asks([young, kin(800, 4000, { variables: { EXITGATE_CHECK: 'x' } }), window, init]),
      /process 900, a child of process 800, was started by an agent or a check/,
    ],
    ['a child of the agent', asks([young, kin(300, 3000), manager, init]), /process 900 belongs to the agent/],
    [
      'a process without a terminal',
      asks([kin(900, 5000, { terminal: false }), window, init]),
      /has no terminal.*--allow-remote-control/,
    ],
    ['an orphan', asks([young, init]), /has no ancestor older than the run/],
    [
      'an orphan that was adopted by the manager of the session',
      asks([young, shell, manager, init]),
      /older than the run/,
    ],
    [
      'an orphan, even if no terminal is needed',
      asks([young, manager, init], { allowRemote: true }),
      /older than the run/,
    ],
    ['an orphan, if the reaper is unknown', asks([young, window, init], { reaper: undefined }), /older than the run/],
    [
      'an orphan in the group of the run, below the shell of a container',
      asks([kin(900, 5000, { session: 1, group: 200 }), init], { reaper: 1, runner: [kin(200, RUN_BEGAN), init] }),
      /older than the run/,
    ],
    ['a process whose ancestors could not be followed', asks([young, shell]), /older than the run/],
    [
      'any process on a system that can’t tell',
      asks(undefined, { blind: true }),
      /can't tell which process sent the request/,
    ],
    [
      'the inside on a system that cannot tell',
      asks(undefined, { blind: true, allowRemote: true, inside: 'r' }),
      /inside a run/,
    ],
  ]
  it.each(mayNot)('not %s', (_, about, why) => {
    expect(whyNot('force', about)).toMatch(why)
  })

  const orphan = asks([kin(900, 5000, { terminal: false }), init])
  it.each(['force', 'skip', 'reset-breaker', 'guidance', 'resume'] as const)('%s is not for orphans', (kind) => {
    expect(whyNot(kind, orphan)).toBeDefined()
  })
  it.each(['interrupt', 'pause', 'status'] as const)('%s is allowed for everyone except the agent', (kind) => {
    expect(whyNot(kind, orphan)).toBeUndefined()
    expect(whyNot(kind, asks(undefined, { blind: true }))).toBeUndefined()
  })
  it.each(['interrupt', 'pause', 'resume', 'guidance'] as const)('%s is not for the agent', (kind) => {
    expect(whyNot(kind, asks([young, kin(300, 3000), manager, init]))).toBeDefined()
  })
})

describe('a line is a request only when it is whole', () => {
  const good = { kind: 'force', by: 'Ada', reason: 'I looked at it', pid: 12 }
  it('with everything in it', () => {
    expect(readAsking(JSON.stringify(good))).toEqual({
      request: { kind: 'force', by: 'Ada', reason: 'I looked at it' },
      pid: 12,
    })
  })
  it('and nothing in it can steer a terminal', () => {
    const said = readAsking(JSON.stringify({ ...good, reason: ' \u001b[2Jdone\u202e ', inside: 'run\u0007' }))
    expect(said).toMatchObject({ request: { reason: '�[2Jdone�' }, inside: 'run�' })
  })
  const bad: [string, RegExp][] = [
    ['', /the request is not JSON/],
    ['force', /the request is not JSON/],
    ['null', /JSON object/],
    ['[]', /JSON object/],
    ['{}', /"kind" must be one of interrupt, force/],
    [JSON.stringify({ ...good, kind: 'complete' }), /"kind"/],
    [JSON.stringify({ ...good, kind: '__proto__' }), /"kind"/],
    [JSON.stringify({ ...good, by: ' ' }), /"by"/],
    [JSON.stringify({ ...good, by: 'x'.repeat(201) }), /"by"/],
    [JSON.stringify({ ...good, reason: undefined }), /"reason"/],
    [JSON.stringify({ ...good, reason: 7 }), /"reason"/],
    [JSON.stringify({ ...good, reason: 'x'.repeat(8001) }), /"reason"/],
    [JSON.stringify({ ...good, pid: 0 }), /"pid"/],
    [JSON.stringify({ ...good, pid: '12' }), /"pid"/],
    [JSON.stringify({ ...good, pid: 1.5 }), /"pid"/],
  ]
  it.each(bad)('not %j', (line, why) => {
    expect(readAsking(line)).toMatch(why)
  })
})

describe('a proof', () => {
  const request = { kind: 'pause', by: 'Ada', reason: 'lunch' } as const
  const name = proofName('/state', 'n1', request)
  const others: [string, string][] = [
    ['another folder', proofName('/other', 'n1', request)],
    ['another connection', proofName('/state', 'n2', request)],
    ['another request', proofName('/state', 'n1', { ...request, kind: 'force' })],
    ['another reason', proofName('/state', 'n1', { ...request, reason: 'done' })],
    ['another name', proofName('/state', 'n1', { ...request, by: 'Bob' })],
  ]
  it.each(others)('is not the one of %s', (_, other) => {
    expect(other).not.toBe(name)
  })
  it('is the same for what is sent and what is understood', () => {
    expect(proofName('/state', 'n1', { ...request, reason: ' lun\u001bch ' })).toBe(
      proofName('/state', 'n1', { ...request, reason: 'lun�ch' }),
    )
  })
})

describe('lineages', () => {
  it('end at the first process, through /proc and through ps alike', ({ skip }) => {
    skip(process.platform !== 'linux', '/proc is only on Linux')
    const proc = ancestryOf(process.pid, fromProc([]))
    const ps = ancestryOf(process.pid, fromPs([]))
    expect(ps.map(({ pid, parent, group, terminal }) => [pid, parent, group, terminal])).toEqual(
      proc.map(({ pid, parent, group, terminal }) => [pid, parent, group, terminal]),
    )
    // `ps` speaks in whole seconds.
    for (const [i, { startedAt }] of proc.entries())
      expect(Math.abs(startedAt - (ps[i]?.startedAt ?? 0))).toBeLessThan(2500)
    expect(proc.at(-1)?.parent).toBe(0)
  })

  it('end when there is no new process', () => {
    const circle = (pid: number) => kin(pid, 0, { parent: pid === 7 ? 8 : 7 })
    expect(ancestryOf(7, circle).length).toBeLessThanOrEqual(1000)
    expect(ancestryOf(2 ** 22 + 5, () => undefined)).toEqual([])
  })
})
