import type { AcceptedFinding, Evidence } from '../../core/types.ts'
import { redact } from '../../system/redact.ts'
import { findingsIn, openFinding, withoutAccepted } from '../accepted-findings.ts'
import { changedSince } from '../baseline/changed.ts'
import { changesOf } from '../changes-of.ts'
import { runTestCommand } from '../runners/run.ts'
import { confirmed, type Trying } from '../special-cased/confirm.ts'
import type { SpecialCase } from '../special-cased/find.ts'
import { findSpecialCases } from '../special-cased/find.ts'
import { allows } from '../tampering/finding.ts'
import type { Allowance } from '../tampering/index.ts'
import type { Check, CheckContext } from '../types.ts'
import type { CheckDefinition } from './definition.ts'

const KIND = 'special-cased'
/** More places than this are counted, not listed. */
const NAMED = 5
const NAMED_TESTS = 3

export const specialCased: CheckDefinition = {
  name: KIND,
  onlyListed: true,
  checksFor({ config, context, accepted, testCommands: commands, tests }) {
    const { specialCased: mode = 'off', allow } = config.evidence
    if (context.baseline === undefined || mode === 'off') return []
    const testsNow = async (asked: CheckContext) => {
      const { run, evidence } = await tests(asked)
      // A claim whose tests do not pass is rejected anyway.
      return evidence.some(({ check, answer }) => check === 'tests' && answer !== 'yes') ? undefined : run
    }
    const trying = { commands, run: runTestCommand, testsNow }
    return [specialCasedCheck({ allow, accepted, mode, trying })]
  },
}

export interface SpecialCasedOptions {
  readonly allow: readonly Allowance[]
  readonly accepted: readonly AcceptedFinding[]
  readonly mode: 'block' | 'warn'
  readonly trying?: Trying
}

/** Does the changed source answer the tests' examples instead of computing them? Runs only on a claim. */
export function specialCasedCheck(options: SpecialCasedOptions): Check {
  return { name: KIND, collect: (context) => collectSpecialCases(options, context) }
}

async function collectSpecialCases(
  { allow, accepted, mode, trying }: SpecialCasedOptions,
  context: CheckContext,
): Promise<readonly Evidence[]> {
  const { workspace, baseline, tree, claim } = context
  if (!claim || baseline === undefined) return []
  const started = performance.now()
  const changes = changesOf(await changedSince(baseline, workspace), context)
  // The earlier text of a file is not always kept. Without it, its changed lines are not known.
  const known = changes.filter(({ wasThere, before }) => !wasThere || before !== undefined)
  const found = await findSpecialCases(known, await workspace.list(), (path) => workspace.read(path))
  const isAllowed = ({ path }: { readonly path: string }) =>
    allow.some((each) => allows(each, { kind: KIND, file: path }))
  const notAllowed = found.filter((each) => !isAllowed(each))
  const compared = trying === undefined || mode === 'warn' ? notAllowed : await confirmed(notAllowed, trying, context)
  const isBlocking = ({ severity }: SpecialCase) => severity === 'block' && mode !== 'warn'
  const sorted = withoutAccepted(compared.filter(isBlocking), accepted, findingOf)
  const warnings = compared.filter((each) => !isBlocking(each))
  const shown = [
    ...sorted.open.map((each, at) => ({ each, id: sorted.findings[at]?.id })),
    ...warnings.map((each) => ({ each, id: undefined })),
  ]
  if (shown.length === 0 && sorted.accepted.length === 0) return []
  const sentences = [
    ...shown
      .slice(0, NAMED)
      .map(({ each, id }) => `${each.path}:${lineOf(each)}: ${sentenceOf(each)}${id === undefined ? '' : ` (${id})`}`),
    ...(shown.length > NAMED ? [`And ${shown.length - NAMED} more.`] : []),
    ...sorted.accepted.map(({ file, line, by, reason }) => `Accepted: ${file}:${line} (${by}: ${reason})`),
  ]
  const isRefuted = sorted.open.length > 0
  return [
    {
      check: KIND,
      answer: isRefuted ? 'no' : 'yes',
      detail: `${isRefuted || shown.length === 0 ? '' : 'Warnings only. '}${sentences.join(' ')}`,
      counts: { blocking: sorted.open.length, warnings: warnings.length },
      changes: shown.map(({ each, id }) => ({
        ...(id !== undefined && { id }),
        file: each.path,
        line: lineOf(each),
        kind: KIND,
        blocks: id !== undefined,
        detail: sentenceOf(each),
      })),
      ms: Math.round(performance.now() - started),
      tree,
      ...findingsIn(sorted.findings, sorted.accepted),
      ...(isRefuted && { onlyFindings: true as const }),
    },
  ]
}

/** Accepted together with exactly these values: a new special case is a new finding. */
function findingOf(found: SpecialCase) {
  const { path, answered } = found
  const what = [...new Set(answered.map(({ how, owner, keys }) => `${how} ${owner} ${keys}`))].sort()
  return openFinding({ kind: KIND, file: path, line: lineOf(found), detail: sentenceOf(found) }, what)
}

const lineOf = ({ answered }: SpecialCase): number => Math.min(...answered.map(({ line }) => line))

function sentenceOf({ answered, isConfirmed }: SpecialCase): string {
  const constant = answered.filter(({ how }) => how === 'constant')
  const [of, isConstant] = constant.length > 0 ? [constant, true] : [answered, false]
  const { owner } = of[0]!
  const tests = [...new Map(of.map(({ test }) => [`${test.file}:${test.line}`, test])).values()]
  const names = tests
    .slice(0, NAMED_TESTS)
    .map(({ test, file, line }) => (test === '' ? `${file}:${line}` : `"${test}" (${file}:${line})`))
  const which = redact(names.join(', ')) + (tests.length > NAMED_TESTS ? ` and ${tests.length - NAMED_TESTS} more` : '')
  const who = owner === undefined ? 'The code' : owner
  return isConstant
    ? `${who} reads none of its parameters and returns the value that a test expects: ${which}. Compute the result from the parameters.`
    : `${who} compares its input with the inputs of tests and answers just those: ${which}.${isConfirmed ? ' With other values there, exactly these tests fail.' : ''} Compute the result for every input.`
}
