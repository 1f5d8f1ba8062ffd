import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { annotations, withoutCommands } from '../../src/ci/annotations.ts'
import type { CheckedChange } from '../../src/ci/checked-change.ts'
import { sarif } from '../../src/ci/sarif.ts'
import { summary } from '../../src/ci/summary.ts'
import type { Verdict } from '../../src/core/types.ts'
import { anyCharacter } from '../any-character.ts'

const REFUSED: Verdict = {
  action: 'continue',
  warnings: [],
  rule: 'warn',
  reason: 'Claim rejected: 1 of 2 tests fail.',
  missing: ['tests: 1 of 2 failed'],
  gate: { claim: 'yes', proof: 'no' },
  measures: {},
  trace: [],
}
const VERIFIED: Verdict = { ...REFUSED, action: 'stop', outcome: 'completed', ending: 'verified', missing: [] }
const evidence = (check: string, answer: 'yes' | 'no' | 'unknown', detail: string) => ({
  [check]: { check, answer, detail, ms: 1, tree: '' },
})
const judged = (other: Partial<CheckedChange> = {}): CheckedChange => ({
  verdict: REFUSED,
  evidence: { ...evidence('tests', 'no', '1 of 2 failed'), ...evidence('clean', 'no', 'work is uncommitted') },
  findings: [{ kind: 'test-skipped', severity: 'block', file: 'a.test.js', line: 3, detail: 'The test is skipped.' }],
  base: 'a'.repeat(40),
  preset: 'default',
  draft: false,
  version: '1.2.3',
  ...other,
})

/** Anything that can be in the names and texts of a change. */
const hostile = fc.oneof(
  fc.string({ unit: anyCharacter, maxLength: 40 }),
  fc.constantFrom(
    '::error::x',
    '\n::set-output name=a::b',
    '##[add-mask]x',
    '%0A::x',
    'a,line=1',
    '\r\n::stop',
    '\ud800',
  ),
  fc.constantFrom(
    '<img src=x>',
    '[a](https://x.example)',
    '| a | b |',
    '`a` **b**',
    '\n# c',
    'https://x.example',
    '@a',
  ),
)
const anything = fc.record({
  file: hostile,
  detail: hostile,
  reason: hostile,
  line: fc.option(fc.nat(), { nil: undefined }),
  severity: fc.constantFrom('block' as const, 'warn' as const),
})
const made = ({ file, detail, reason, line, severity }: typeof anything extends fc.Arbitrary<infer T> ? T : never) =>
  judged({
    verdict: { ...REFUSED, reason, missing: [detail] },
    evidence: { ...evidence('checklist', 'no', detail), ...evidence('tests', 'unknown', reason) },
    plan: file,
    findings: [{ kind: 'test-skipped', severity, file, detail, ...(line === undefined ? {} : { line }) }],
  })

describe('annotations', () => {
  it('are one command per line, whatever they contain', () => {
    fc.assert(
      fc.property(anything, (input) => {
        for (const line of annotations(made(input)))
          expect(line).toMatch(/^::(?:error|warning) (?:file=[^,:\r\n]*,)?(?:line=\d+,)?title=[^,:\r\n]*::[^\r\n]*$/)
      }),
    )
  })

  it('unescape to the original text', () => {
    const [line = ''] = annotations(
      judged({ findings: [{ kind: 'test-removed', severity: 'block', file: 'a,b:c\n%.js', detail: '100 %\nof it' }] }),
    )
    expect(line).toBe('::error file=a%2Cb%3Ac%0A%25.js,title=exitgate%3A test-removed::100 %25%0Aof it')
  })

  it('name the tests and the reason, but not uncommitted changes', () => {
    expect(annotations(judged())).toEqual([
      '::error file=a.test.js,line=3,title=exitgate%3A test-skipped::The test is skipped.',
      '::error title=exitgate%3A tests::1 of 2 failed',
      '::error title=exitgate%3A warn::Claim rejected: 1 of 2 tests fail.',
    ])
  })

  it('of a verified change are at most warnings', () => {
    const warn = { kind: 'gate-touched' as const, severity: 'warn' as const, file: 'x', detail: 'A hook was added.' }
    expect(annotations(judged({ verdict: VERIFIED, evidence: {}, findings: [warn] }))).toEqual([
      '::warning file=x,title=exitgate%3A gate-touched::A hook was added.',
    ])
  })
})

describe('text in a job log', () => {
  it('contains no command for the runner', () => {
    fc.assert(
      fc.property(hostile, hostile, (one, two) => {
        const lines = withoutCommands(`${one}\n  ${two}`).split('\n')
        expect(lines.filter((line) => /^[^\S\n]*::/.test(line) || line.includes('##['))).toEqual([])
      }),
    )
  })
  it('is unchanged otherwise', () => expect(withoutCommands('a::b\n- :c ## d\n')).toBe('a::b\n- :c ## d\n'))
})

describe('the summary', () => {
  it('shows names and texts as they are', () => {
    fc.assert(
      fc.property(anything, (input) => {
        const lines = summary(made(input)).split('\n')
        expect(lines.filter((line) => line.startsWith('#'))).toEqual([
          '## exitgate: not done',
          '### Still needed',
          '### Findings',
        ])
        // The only marks are ours: no link, image, code or table comes from the change.
        expect(lines.join('\n').replace(/`[0-9a-z]+`|\*\*blocks\*\*/g, '')).not.toMatch(/[<>[\]`*]|:\/\//)
        expect(lines.filter((line) => line.startsWith('|')).every((line) => line.split('|').length === 5)).toBe(true)
      }),
    )
  })

  it('stays within the size limit of a page', () => {
    const many = Array.from({ length: 500 }, (_, i) => ({
      kind: 'test-removed' as const,
      severity: 'block' as const,
      file: `${'x'.repeat(5_000)}${i}`,
      detail: '`'.repeat(5_000),
    }))
    const text = summary(judged({ findings: many }))
    expect(text.length).toBeLessThan(201_000)
    expect(text).toContain('(cut here)')
  })
})

describe('the SARIF report', () => {
  interface Log {
    readonly $schema: string
    readonly version: string
    readonly runs: readonly {
      readonly tool: { readonly driver: { readonly name: string; readonly rules: readonly { readonly id: string }[] } }
      readonly invocations: readonly {
        readonly executionSuccessful: boolean
        readonly toolExecutionNotifications: readonly { readonly message: { readonly text: string } }[]
      }[]
      readonly results: readonly {
        readonly ruleId: string
        readonly ruleIndex: number
        readonly level: string
        readonly message: { readonly text: string }
        readonly locations: readonly {
          readonly physicalLocation: {
            readonly artifactLocation: { readonly uri: string }
            readonly region: { readonly startLine: number }
          }
        }[]
        readonly partialFingerprints: Readonly<Record<string, string>>
      }[]
    }[]
  }
  const read = (input: CheckedChange): Log => JSON.parse(sarif(input))

  it('has every field that the format and its readers require', () => {
    fc.assert(
      fc.property(anything, (input) => {
        const log = read(made(input))
        expect(log.version).toBe('2.1.0')
        expect(log.$schema).toMatch(/sarif-2\.1\.0\.json$/)
        expect(log.runs).toHaveLength(1)
        const [run] = log.runs
        expect(run?.tool.driver.name).toBe('exitgate')
        expect(run?.invocations[0]?.executionSuccessful).toBe(true)
        for (const result of run?.results ?? []) {
          expect(run?.tool.driver.rules[result.ruleIndex]?.id).toBe(result.ruleId)
          expect(['error', 'warning']).toContain(result.level)
          expect(typeof result.message.text).toBe('string')
          const { artifactLocation, region } = result.locations[0]?.physicalLocation ?? {}
          // A relative reference of plain characters: no scheme, no query, no fragment.
          expect(artifactLocation?.uri).toMatch(/^[\w.~!*'()%/-]*$/)
          expect(region?.startLine).toBeGreaterThanOrEqual(1)
          expect(result.partialFingerprints['exitgate/v1']).toMatch(/^[0-9a-f]{64}$/)
        }
        expect(run?.results.map(({ ruleId }) => ruleId)).toEqual(['test-skipped', 'checklist'])
        expect(run?.invocations[0]?.toolExecutionNotifications.map(({ message }) => message.text)).toEqual([
          input.reason || 'unknown',
        ])
      }),
    )
  })

  it('recognises a finding that moved', () => {
    const at = (line: number) =>
      read(judged({ findings: [{ kind: 'test-skipped', severity: 'block', file: 'a', line, detail: 'x' }] })).runs[0]
        ?.results[0]?.partialFingerprints
    expect(at(3)).toEqual(at(30))
  })
})
