import { count } from '../../../packages/core/src/count.ts'
import { languageOf } from '../../../packages/exitgate/src/frameworks/test-files.ts'
import type { AcceptedFinding, Answer, Evidence, OpenFinding } from '../../core/types.ts'
import { awake } from '../../system/awake-clock.ts'
import { redact } from '../../system/redact.ts'
import { findingsIn, openFinding, withoutAccepted } from '../accepted-findings.ts'
import { changedSince } from '../baseline/changed.ts'
import { changesOf } from '../changes-of.ts'
import { chooseMutants, MOST_MUTANTS } from '../mutation/choose.ts'
import { changedSources } from '../mutation/functions.ts'
import { type Fate, isUntested, NoProbe, type ProbedFunction, probe } from '../mutation/probe.ts'
import { buildFolders, relatedCommands, testTexts } from '../mutation/related.ts'
import { runStryker, usesStryker } from '../mutation/stryker.ts'
import { type RunTestCommand, withCopy } from '../red-proof/run-copy.ts'
import type { ScratchOptions } from '../red-proof/scratch.ts'
import { runTestCommand } from '../runners/run.ts'
import { withGrammars } from '../syntax/parse.ts'
import { allows } from '../tampering/finding.ts'
import type { Allowance } from '../tampering/index.ts'
import type { Check, CheckContext, Detected } from '../types.ts'
import type { CheckDefinition, CollectedTests } from './definition.ts'

const KIND = 'not-tested'
const NAMED = 8
const NAMED_MUTANTS = 3

/** A slower run is limited to related tests first. */
const SLOW_MS = 3_000
/** By default, time for every mutant and the runs around them. */
const RUNS = MOST_MUTANTS + 10
const SHORTEST_MS = 60_000
const LONGEST_MS = 600_000

export const mutation: CheckDefinition = {
  name: 'mutation',
  checksFor({ config, context, testCommands: commands, tests, accepted }) {
    const { mutation: mode = 'off', mutationMinutes, allow, maximumMinutes } = config.evidence
    if (mode === 'off' || context.baseline === undefined || commands.length === 0) return []
    const isRequired = config.required.includes('mutation')
    const limitMs = mutationMinutes === undefined ? undefined : mutationMinutes * 60_000
    const check = mutationCheck({ commands, run: runTestCommand, tests, isRequired, allow, accepted, limitMs })
    // It stops by itself, after the tests that it has to wait for.
    return [
      { ...check, deadlineMs: (limitMs ?? LONGEST_MS) + 3 * Math.max(context.deadlineMs, maximumMinutes * 60_000) },
    ]
  },
}

export interface MutationOptions {
  readonly commands: readonly Detected[]
  readonly run: RunTestCommand
  readonly tests: (context: CheckContext) => Promise<CollectedTests>
  /** A function that is not tested rejects the claim. Otherwise it is a warning. */
  readonly isRequired: boolean
  readonly allow: readonly Allowance[]
  readonly accepted: readonly AcceptedFinding[]
  /** For all mutants together; follows the time of the tests by default. */
  readonly limitMs?: number | undefined
  readonly scratch?: ScratchOptions
}

/** Do the tests notice small mistakes in the changed functions? Runs only on a claim. */
export function mutationCheck(options: MutationOptions): Check {
  return { name: 'mutation', collect: (context) => collectMutation(options, context) }
}

async function collectMutation(options: MutationOptions, context: CheckContext): Promise<readonly Evidence[]> {
  const { workspace, baseline, tree, claim, signal, openRoom } = context
  const { commands, run, isRequired, scratch } = options
  if (!claim || baseline === undefined) return []
  const started = awake.now()
  const answered = (answer: Answer, detail: string, more: Partial<Evidence> = {}): readonly Evidence[] => [
    { check: 'mutation', answer, detail, ...more, ms: Math.round(awake.now() - started), tree },
  ]
  const changes = changesOf(await changedSince(baseline, workspace), context)
  const { sources, unread } = await withGrammars(() => changedSources(changes))
  const unreadSentence = unread.length === 0 ? '' : `Not read: ${some(unread)}.`
  if (sources.length === 0) {
    if (unread.length > 0) return answered('unknown', `No changed function could be read. ${unreadSentence}`)
    return isRequired ? answered('yes', 'No function changed.') : []
  }
  const { evidence } = await options.tests(context)
  const tested = evidence.find(({ check }) => check === 'tests')
  // A claim whose tests do not pass is rejected anyway.
  if (tested !== undefined && tested.answer !== 'yes') return []
  const testsMs = (tested?.ms ?? 0) / Math.max(1, tested?.counts?.runs ?? 1)
  const limitMs = options.limitMs ?? Math.min(LONGEST_MS, Math.max(SHORTEST_MS, RUNS * testsMs))
  const mutants = chooseMutants(sources)
  const texts = await testTexts(context)
  const related = testsMs > SLOW_MS ? await relatedCommands(commands, sources, texts, context) : undefined
  const folders = await buildFolders(texts, context)
  const mayBeBuilt = (path: string) =>
    languageOf(path) === 'javascript' && folders.size > 0 && !path.split('/').some((part) => folders.has(part))
  const revert = sources.map(({ path, text }) => ({ path, text }))
  try {
    const copyOptions = {
      run,
      revert,
      ...(signal && { signal }),
      ...(scratch && { scratch }),
      ...(openRoom && { openRoom }),
    }
    const isStryker = usesStryker(
      workspace.dir,
      await workspace.list(),
      changes.map(({ path }) => path),
    )
    const functions = await withCopy(workspace, copyOptions, async (copy) => {
      const limits = { deadlineMs: limitMs / 2, ...(signal && { signal }) }
      const done = isStryker ? await runStryker(copy, commands[0]!, sources, mutants, limits) : []
      const left = mutants.filter(({ of }) => !done.some((each) => each.of === of))
      if (left.length === 0) return done
      const own = await probe(copy, { commands, related, sources, mutants: left, limitMs, signal, mayBeBuilt })
      return [...done, ...own]
    })
    const total = sources.reduce((sum, source) => sum + source.functions.length, 0)
    const { answer, ...more } = conclude(functions, total, options)
    return answered(answer, [more.detail, unreadSentence].filter(Boolean).join(' '), more)
  } catch (error) {
    const why = error instanceof NoProbe ? error.message : error instanceof Error ? error.message : String(error)
    return answered('unknown', `No mutants: ${why}.`)
  }
}

type Conclusion = Pick<Evidence, 'answer' | 'detail' | 'counts' | 'changes' | 'findings' | 'accepted'>

/** Every function whose mutants all survived is a finding. */
export function conclude(
  functions: readonly ProbedFunction[],
  total: number,
  { isRequired, allow, accepted }: Pick<MutationOptions, 'isRequired' | 'allow' | 'accepted'>,
): Conclusion {
  const untested = functions.filter(
    (each) => isUntested(each) && !allow.some((one) => allows(one, { kind: KIND, file: each.of.file })),
  )
  const sorted = withoutAccepted(untested, accepted, findingOf)
  // A warning needs no decision, so it has no id.
  const idOf = new Map(sorted.open.map((each, at) => [each, isRequired ? sorted.findings[at]?.id : undefined]))
  const all = functions.flatMap(({ mutants }) => mutants)
  const of = (fate: Fate) => all.filter((each) => each.fate === fate).length
  const isJudged = functions.some(
    ({ mutants, unsure }) =>
      unsure === undefined && mutants.some(({ fate }) => fate !== 'broken' && fate !== 'not-run'),
  )
  const counts = {
    functions: total,
    mutants: all.length,
    killed: of('killed'),
    survived: of('survived'),
    timedOut: of('timed-out'),
    broken: of('broken'),
    notRun: of('not-run'),
    untested: sorted.open.length,
  }
  const rest = total - functions.length
  const shown = [...functions].sort((one, other) => Number(idOf.has(other)) - Number(idOf.has(one)))
  const detail = [
    `${count(all.length, 'mutant')} of ${count(functions.length, 'changed function')}: ${fatesOf(all)}.`,
    sorted.open.length > 0 && !isRequired && 'Only a warning.',
    ...shown.slice(0, NAMED).map((each) => (idOf.has(each) ? openSentence(each, idOf.get(each)) : sentenceOf(each))),
    shown.length > NAMED && `And ${count(shown.length - NAMED, 'more function')}.`,
    rest > 0 && `${count(rest, 'changed function')} without a mutant.`,
    ...sorted.accepted.map(({ file, line, by, reason }) => `Accepted: ${file}:${line} (${by}: ${reason})`),
  ]
  const isRefuted = isRequired && sorted.open.length > 0
  return {
    answer: isRefuted ? 'no' : isJudged ? 'yes' : 'unknown',
    detail: detail.filter((sentence) => sentence !== false).join(' '),
    counts,
    changes: sorted.open.flatMap((each) => changesIn(each, isRequired, idOf.get(each))),
    ...findingsIn(isRequired ? sorted.findings : [], sorted.accepted),
  }
}

const FATES: readonly (readonly [Fate, string])[] = [
  ['killed', 'killed'],
  ['survived', 'survived'],
  ['timed-out', 'timed out'],
  ['broken', 'did not compile or load'],
  ['not-run', 'not run for lack of time'],
]

const fatesOf = (mutants: ProbedFunction['mutants']): string =>
  FATES.map(([fate, text]) => [mutants.filter((each) => each.fate === fate).length, text] as const)
    .filter(([n, text]) => n > 0 || text === 'killed')
    .map(([n, text]) => `${n} ${text}`)
    .join(', ')

const placeOf = ({ of }: ProbedFunction): string => `${of.file}:${of.line}`

const openSentence = (each: ProbedFunction, id: string | undefined): string =>
  `${placeOf(each)}: ${untestedSentence(each)}${id === undefined ? '' : ` (${id})`}`

function sentenceOf(each: ProbedFunction): string {
  const { of, mutants, unsure, by } = each
  const result = unsure === undefined ? fatesOf(mutants) : `unclear, ${unsure}`
  return `${placeOf(each)}: ${of.name}: ${result}${by === undefined ? '' : ` (${by})`}.`
}

function untestedSentence({ of, mutants }: ProbedFunction): string {
  const survived = mutants.filter(({ fate }) => fate === 'survived').map(({ mutant }) => mutant)
  const lines = survived.slice(0, NAMED_MUTANTS).map(({ line, before, after }) => `line ${line}: ${before} -> ${after}`)
  const more = survived.length > NAMED_MUTANTS ? ` and ${survived.length - NAMED_MUTANTS} more` : ''
  return `${of.name} is not tested. Add a test that fails with ${redact(lines.join('; '))}${more}.`
}

/** Another version of the function is another finding. */
function findingOf(each: ProbedFunction): OpenFinding {
  const { file, line, name, text } = each.of
  return openFinding({ kind: KIND, file, line, test: name, detail: untestedSentence(each) }, [text])
}

function changesIn(each: ProbedFunction, blocks: boolean, id: string | undefined): NonNullable<Evidence['changes']> {
  return each.mutants
    .filter(({ fate }) => fate === 'survived')
    .map(({ mutant: { of, line, before, after } }) => ({
      ...(id !== undefined && { id }),
      file: of.file,
      line,
      kind: KIND,
      blocks,
      detail: `No test notices this change of ${of.name}.`,
      before: redact(before),
      after: redact(after),
    }))
}

const some = (all: readonly string[]) =>
  all.slice(0, 5).join(', ') + (all.length > 5 ? ` and ${all.length - 5} more` : '')
