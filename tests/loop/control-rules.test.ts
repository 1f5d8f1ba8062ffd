import { describe, expect, it } from 'vitest'
import { type Circumstances, whyNot } from '../../src/loop/control/may-ask.ts'
import { proofName, readAsking } from '../../src/loop/control/request.ts'
import { ancestryOf, fromProc, fromPs, type ProcessOrigin } from '../../src/system/process-ancestry.ts'

const RUN_BEGAN = 1000
const ancestor = (pid: number, startedAt: number, more: Partial<ProcessOrigin> = {}): ProcessOrigin => ({
  pid,
  parent: 1,
  group: pid,
  session: pid,
  terminal: true,
  startedAt,
  variables: {},
  ...more,
})
const init = ancestor(1, 0, { parent: 0, terminal: false })
const manager = ancestor(50, 100, { terminal: false })
const window = ancestor(100, 200)
const runner = [ancestor(200, RUN_BEGAN), ancestor(150, 500), window, manager, init]

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
const young = ancestor(900, 5000)
const shell = ancestor(800, 4000)

describe('who may force a run', () => {
  const may: [string, Circumstances][] = [
    ['a new tab of the terminal that the run was started in', asks([young, shell, window, manager, init])],
    ['a shell that is older than the run', asks([young, ancestor(800, 900), manager, init])],
    ['a user who logged in later', asks([young, shell, ancestor(700, 300), init])],
    ['a user who entered the container from outside', asks([young, ancestor(800, 4000, { parent: 0 })])],
    [
      'the shell that is the first process of a container',
      asks([ancestor(900, 5000, { session: 1 }), init], { reaper: 1, runner: [ancestor(200, RUN_BEGAN), init] }),
    ],
    [
      'a process without a terminal, which still needs a code',
      asks([ancestor(900, 5000, { terminal: false }), window, init]),
    ],
    [
      'a terminal with the same mark as the run itself',
      asks([ancestor(900, 5000, { variables: { EXITGATE_CHECK: 'outer' } }), window, init], {
        runner: [ancestor(200, RUN_BEGAN, { variables: { EXITGATE_CHECK: 'outer' } }), init],
      }),
    ],
    [
      'any process on a system that can’t tell, if that is allowed',
      asks(undefined, { blind: true, allowRemote: true }),
    ],
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
      asks([young, ancestor(200, RUN_BEGAN), window, init]),
      /process 900 was started by the run itself/,
    ],
    [
      'a process with the mark of a run',
      asks([ancestor(900, 5000, { variables: { EXITGATE_RUN: 'run-1' } }), window, init]),
      /^process 900 was started by an agent or a check/,
    ],
    [
      'a process whose parent has the mark of a check',
      asks([young, ancestor(800, 4000, { variables: { EXITGATE_CHECK: 'x' } }), window, init]),
      /process 900, a child of process 800, was started by an agent or a check/,
    ],
    ['a child of the agent', asks([young, ancestor(300, 3000), manager, init]), /process 900 belongs to the agent/],
    ['an orphan', asks([young, init]), /has no ancestor older than the run/],
    ['an orphan without a terminal', asks([ancestor(900, 5000, { terminal: false }), init]), /older than the run/],
    ['an orphan that the session manager adopted', asks([young, shell, manager, init]), /older than the run/],
    [
      'an orphan, even if no terminal is needed',
      asks([young, manager, init], { allowRemote: true }),
      /older than the run/,
    ],
    ['an orphan, if the reaper is unknown', asks([young, window, init], { reaper: undefined }), /older than the run/],
    [
      'an orphan in the group of the run, below the shell of a container',
      asks([ancestor(900, 5000, { session: 1, group: 200 }), init], {
        reaper: 1,
        runner: [ancestor(200, RUN_BEGAN), init],
      }),
      /older than the run/,
    ],
    ['a process whose ancestors could not be followed', asks([young, shell]), /older than the run/],
    [
      'any process on a system that can’t tell',
      asks(undefined, { blind: true }),
      /can't tell which process sent the request/,
    ],
    [
      'a process inside a run, on a system that can’t tell',
      asks(undefined, { blind: true, allowRemote: true, inside: 'r' }),
      /inside a run/,
    ],
  ]
  it.each(mayNot)('not %s', (_, about, why) => {
    expect(whyNot('force', about)).toMatch(why)
  })

  const orphan = asks([ancestor(900, 5000, { terminal: false }), init])
  it.each(['force', 'skip', 'reset-breaker', 'guidance', 'resume'] as const)(
    '%s is not allowed for orphans',
    (kind) => {
      expect(whyNot(kind, orphan)).toBeDefined()
    },
  )
  it.each(['interrupt', 'pause', 'status'] as const)('%s is allowed for everyone except the agent', (kind) => {
    expect(whyNot(kind, orphan)).toBeUndefined()
    expect(whyNot(kind, asks(undefined, { blind: true }))).toBeUndefined()
  })
  it.each(['interrupt', 'pause', 'resume', 'guidance'] as const)('%s is not allowed for the agent', (kind) => {
    expect(whyNot(kind, asks([young, ancestor(300, 3000), manager, init]))).toBeDefined()
  })
})

describe('a request line', () => {
  const good = { kind: 'force', by: 'Ada', reason: 'I looked at it', pid: 12 }
  it('is accepted with all its fields', () => {
    expect(readAsking(JSON.stringify(good))).toEqual({
      request: { kind: 'force', by: 'Ada', reason: 'I looked at it' },
      pid: 12,
    })
  })
  it('loses its control characters', () => {
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
  it.each(bad)('is rejected: %j', (line, why) => {
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
  it.each(others)('is different for %s', (_, other) => {
    expect(other).not.toBe(name)
  })
  it('is the same before and after control characters are removed', () => {
    expect(proofName('/state', 'n1', { ...request, reason: ' lun\u001bch ' })).toBe(
      proofName('/state', 'n1', { ...request, reason: 'lun�ch' }),
    )
  })
})

describe('ancestors of a process', () => {
  it('end at the first process, with /proc and with ps', ({ skip }) => {
    skip(process.platform !== 'linux', '/proc is only on Linux')
    const proc = ancestryOf(process.pid, fromProc([]))
    const ps = ancestryOf(process.pid, fromPs([]))
    expect(ps.map(({ pid, parent, group, terminal }) => [pid, parent, group, terminal])).toEqual(
      proc.map(({ pid, parent, group, terminal }) => [pid, parent, group, terminal]),
    )
    // `ps` reports whole seconds.
    for (const [i, { startedAt }] of proc.entries())
      expect(Math.abs(startedAt - (ps[i]?.startedAt ?? 0))).toBeLessThan(2500)
    expect(proc.at(-1)?.parent).toBe(0)
  })

  it('end even in a cycle, and an unknown process has none', () => {
    const circle = (pid: number) => ancestor(pid, 0, { parent: pid === 7 ? 8 : 7 })
    expect(ancestryOf(7, circle).length).toBeLessThanOrEqual(1000)
    expect(ancestryOf(2 ** 22 + 5, () => undefined)).toEqual([])
  })
})
