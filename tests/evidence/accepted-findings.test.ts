import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { chooseFindings, findingId, listedFindings, openFindings } from '../../src/core/accepting.ts'
import type { EventInput, JournalEvent, State } from '../../src/core/journal/events.ts'
import { emptyState, reduce } from '../../src/core/journal/reduce.ts'
import type { AcceptedFinding, Evidence, OpenFinding } from '../../src/core/types.ts'
import {
  explains,
  linkFindings,
  MISSING,
  openFinding,
  tamperFinding,
  withoutAccepted,
} from '../../src/evidence/accepted-findings.ts'
import type { TamperFinding } from '../../src/evidence/tampering/finding.ts'

const REMOVED: TamperFinding = {
  kind: 'test-removed',
  severity: 'block',
  file: 'a.test.js',
  line: 5,
  before: 'adds',
  test: 'sums > adds',
  detail: 'Test "adds" was removed.',
}

function folder(text: string): { readonly dir: string; write(text: string): void } {
  const dir = mkdtempSync(join(tmpdir(), 'exitgate-findings-'))
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }))
  const write = (content: string): void => writeFileSync(join(dir, 'a.test.js'), content)
  write(text)
  return { dir, write }
}

describe('the id of a finding', () => {
  it.each<[string, Partial<TamperFinding>, boolean]>([
    ['the line moved', { line: 9 }, true],
    ['another file', { file: 'b.test.js' }, false],
    ['another kind', { kind: 'test-skipped' }, false],
    ['another test', { test: 'sums > subtracts' }, false],
    ['the text changed again', { after: 'skip' }, false],
  ])('%s', (_name, more, same) => {
    const { dir } = folder('x')
    expect(tamperFinding({ ...REMOVED, ...more }, dir).id === tamperFinding(REMOVED, dir).id).toBe(same)
  })

  it.each<[string, Partial<TamperFinding>, boolean]>([
    ['a removed test', {}, true],
    ['a text that was cut', { before: `${'x'.repeat(157)}...` }, false],
    ['code that changes the assertions', { kind: 'runner-patched' }, false],
    ['a file that tests need', { kind: 'test-setup-changed' }, false],
    ['no text at all', { before: undefined as never }, false],
  ])('%s stays the same when the rest of its file changes: %s', (_name, more, same) => {
    const { dir, write } = folder('one')
    const before = tamperFinding({ ...REMOVED, ...more }, dir).id
    write('two')
    expect(tamperFinding({ ...REMOVED, ...more }, dir).id === before).toBe(same)
  })

  it('the same change twice is two findings', () => {
    const { dir } = folder('x')
    const { findings } = withoutAccepted([REMOVED, REMOVED], [], (each) => tamperFinding(each, dir))
    expect(new Set(findings.map(({ id }) => id)).size).toBe(2)
  })
})

const finding = (more: Partial<OpenFinding> & { kind: string }): OpenFinding =>
  openFinding({ detail: 'x.', ...more }, [])
const evidence = (check: string, findings: readonly OpenFinding[]): Evidence => ({
  check,
  answer: 'no',
  detail: '',
  ms: 0,
  tree: '',
  findings,
})

describe('one accept is enough', () => {
  it.each<[string, Parameters<typeof explains>, boolean]>([
    ['a removed test', [{ ...REMOVED }, 'sums > adds', 'a.test.js'], true],
    ['a test of the same name elsewhere', [{ ...REMOVED }, 'sums > adds', 'b.test.js'], false],
    ['another test of the file', [{ ...REMOVED }, 'sums > subtracts', 'a.test.js'], false],
    ['a deleted file', [{ kind: 'test-file-deleted', file: 'a.test.js', detail: '' }, 'any', 'a.test.js'], true],
    ['a row of a table', [{ ...REMOVED, test: 'adds %i and %i' }, 'adds 1 and 2', 'a.test.js'], true],
    ['a weakened assertion', [{ ...REMOVED, kind: 'assertion-weakened' }, 'sums > adds', 'a.test.js'], false],
  ])('%s', (_name, args, expected) => {
    expect(explains(...args)).toBe(expected)
  })

  it('the removed test in the source and in the report have one id', () => {
    const removed = finding({ kind: 'test-removed', file: 'a.test.js', test: 'adds' })
    const missing = finding({ kind: MISSING, file: 'a.test.js', test: 'adds' })
    const other = finding({ kind: MISSING, file: 'a.test.js', test: 'subtracts' })
    const linked = linkFindings({
      tests: evidence('tests', [missing, other]),
      tampering: evidence('tampering', [removed]),
    })
    expect(
      listedFindings(linked)
        .map(({ id }) => id)
        .sort(),
    ).toEqual([removed.id, other.id].sort())
    const chosen = chooseFindings(openFindings(linked), [removed.id.toLowerCase()])
    expect((chosen as readonly OpenFinding[]).map(({ key }) => key).sort()).toEqual([removed.key, missing.key].sort())
  })
})

describe('choosing by id', () => {
  const one = finding({ kind: 'test-removed', file: 'a.test.js' })
  it('unknown ids list the known ones', () => {
    expect(chooseFindings([one], ['AAAAA'])).toBe(
      `There is no finding AAAAA. Findings that you can accept now: ${one.id}. See exitgate explain.`,
    )
    expect(chooseFindings([], ['AAAAA'])).toMatch(/nothing waits for your decision/)
  })
  it('two findings with the same short id need a longer one', () => {
    // Keys that begin alike in the letters of the id: the hash differs only in higher digits.
    const base = 31n ** 5n
    const twin: OpenFinding = {
      ...one,
      key: (BigInt(`0x${one.key.slice(0, 40)}`) % base).toString(16).padStart(40, '0'),
    }
    expect(findingId(twin.key)).toBe(one.id)
    expect(chooseFindings([one, { ...twin, id: one.id }], [one.id])).toMatch(
      /stands for 2 findings\. Use the longer ids/,
    )
  })
})

describe('the journal', () => {
  const accepted: OpenFinding = finding({ kind: 'test-removed', file: 'a.test.js' })
  const add = (state: State, ...events: readonly EventInput[]): State =>
    events.reduce(
      (now, event, at) => reduce(now, { v: 1, seq: now.seq + 1, at, prev: '', ...event } as JournalEvent),
      state,
    )
  const accept: EventInput = { type: 'accepted', findings: [accepted], by: 'Ada', reason: 'asked for' }
  const start = (baselineId?: string): EventInput => ({
    type: 'run.started',
    run: 'r',
    ...(baselineId && { baselineId }),
  })
  const end = (outcome: 'completed' | 'aborted'): EventInput => ({
    type: 'run.ended',
    outcome,
    ending: outcome === 'completed' ? 'verified' : 'needs-human',
    reason: '',
    iteration: 1,
  })
  const keys = ({ accepted: all = [] }: State): readonly string[] => all.map(({ key }) => key)

  it.each<[string, readonly EventInput[], boolean]>([
    ['in the same run', [], true],
    ['in a new run after one that did not complete', [end('aborted'), start('b')], true],
    ['in a new run whose baseline contains it', [end('completed'), start('b')], false],
    ['in a check after a completed one', [end('completed'), start()], true],
  ])('it stays accepted %s: %s', (_name, events, stays) => {
    expect(keys(add(emptyState(), start('a'), accept, ...events))).toEqual(stays ? [accepted.key] : [])
  })

  it('an accepted finding is out, and stays in the evidence with who and why', () => {
    const [as] = add(emptyState(), start('a'), accept).accepted ?? []
    const sorted = withoutAccepted([accepted], [as as AcceptedFinding], (each) => each)
    expect(sorted).toMatchObject({
      open: [],
      findings: [],
      accepted: [{ key: accepted.key, by: 'Ada', reason: 'asked for' }],
    })
  })
})
