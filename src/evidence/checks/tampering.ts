import { join } from 'node:path'
import { isTestFile } from '../../../packages/exitgate/src/frameworks/test-files.ts'
import type { AcceptedFinding, Evidence, EvidenceChange } from '../../core/types.ts'
import { redact } from '../../system/redact.ts'
import { findingsIn, tamperFinding, withoutAccepted } from '../accepted-findings.ts'
import { changedSince, viewOf } from '../baseline/changed.ts'
import { algorithmOf, contentId } from '../baseline/content-id.ts'
import { idInBaseline, isFull } from '../baseline/stored-baseline.ts'
import { type Surroundings, surroundings } from '../baseline/surroundings.ts'
import { isWatched } from '../baseline/take.ts'
import { type IsOwnEdit, ownEditsIn } from '../own-edits.ts'
import type { ChangedFile } from '../red-proof/plan.ts'
import { type RunTestCommand, runInCopy } from '../red-proof/run-copy.ts'
import { runTestCommand } from '../runners/run.ts'
import { dependencyFindings } from '../tampering/dependencies/index.ts'
import { allows, withoutDuplicates } from '../tampering/finding.ts'
import { type Allowance, findTampering, type SourceView, type TamperFinding } from '../tampering/index.ts'
import { machineryFindings } from '../tampering/machinery/compare.ts'
import { type Machinery, machineryIn } from '../tampering/machinery/find.ts'
import type { Baseline, Check, CheckContext, Detected, Workspace } from '../types.ts'
import { withOneList } from '../workspace.ts'
import type { CheckDefinition, CollectedTests } from './definition.ts'
import { changesOf } from './red-proof.ts'
import { judgeRewritten } from './rewritten-tests.ts'

const NAMED = 5
/** More changed test files than this are recorded in part only. */
const MOST_UNVERIFIED = 2_000
/** Up to this many findings keep their texts, each cut to this length: the journal stores them for every iteration. */
const SHOWN = 12
const LONGEST = 400

/** What is needed to run the tests without new machinery. */
export interface MachineryOptions {
  readonly commands: readonly Detected[]
  readonly run: RunTestCommand
  readonly testsNow: (context: CheckContext) => Promise<CollectedTests>
  /** Tests that the user's configuration accepts by name. */
  readonly accept: readonly string[]
}

export const tampering: CheckDefinition = {
  name: 'tampering',
  checksFor: ({ config, accepted, testCommands: commands, tests: testsNow, stateDir }) => [
    tamperingCheck(
      config.evidence.allow,
      { commands, run: runTestCommand, testsNow, accept: config.baseline.accept },
      accepted,
      ownEditsIn(stateDir),
    ),
  ],
}

/** The `tampering` check: were tests, their runner or the gate itself weakened since the baseline? Does nothing without one. */
export function tamperingCheck(
  allow: readonly Allowance[],
  machinery?: MachineryOptions,
  accepted: readonly AcceptedFinding[] = [],
  isOwn?: IsOwnEdit,
): Check {
  return {
    name: 'tampering',
    async collect(context): Promise<readonly Evidence[]> {
      const { baseline, tree, claim } = context
      if (baseline === undefined) return []
      const started = performance.now()
      const workspace = withOneList(context.workspace)
      const everything = await tamperingSince(baseline, workspace, [], claim, isOwn)
      const seen = withoutDuplicates(everything, allow)
      const found = claim && machinery !== undefined ? await judgeRewritten(seen, machinery, context) : seen
      const compared = claim && machinery !== undefined ? await compareMachinery(machinery, context, found, allow) : []
      const all = compared.length === 0 ? found : withoutDuplicates([...found, ...compared], allow)
      const against = all
        .filter(({ severity }) => severity === 'block')
        .map((each) => ({ ...each, detail: redact(each.detail) }))
      const warnings = all.filter(({ severity }) => severity !== 'block')
      const sorted = withoutAccepted(against, accepted, (each) => tamperFinding(each, workspace.dir))
      const blocking = sorted.open
      const ids = sorted.findings.map(({ id }) => id)
      const allowed = everything.flatMap((each) => {
        const rule = each.severity === 'block' ? allow.find((one) => allows(one, each)) : undefined
        return rule === undefined ? [] : [{ ...tamperFinding(each, workspace.dir), ...leaveOf(rule) }]
      })
      const counts = {
        blocking: blocking.length,
        warnings: warnings.length,
        ...(sorted.accepted.length > 0 && { accepted: sorted.accepted.length }),
      }
      const detail = [
        ...(blocking.length > 0
          ? [named(blocking, ids)]
          : warnings.length > 0
            ? [`Warnings only. ${named(warnings)}`]
            : sorted.accepted.length + allowed.length === 0
              ? ['No tests were weakened.']
              : []),
        ...(sorted.accepted.length > 0 ? [`Accepted: ${sorted.accepted.map(acceptedText).join(' ')}`] : []),
        ...(allowed.length > 0 ? [`Allowed: ${allowed.map(acceptedText).join(' ')}`] : []),
      ].join(' ')
      const changes = [
        ...blocking.map((each, at) => changeOf(each, ids[at])),
        ...warnings.map((each) => changeOf(each)),
      ].slice(0, SHOWN)
      return [
        {
          check: 'tampering',
          answer: blocking.length > 0 ? 'no' : 'yes',
          detail,
          counts,
          ms: Math.round(performance.now() - started),
          tree,
          ...(changes.length === 0 ? {} : { changes }),
          ...(await unverifiedContents(blocking, baseline, workspace)),
          ...findingsIn(sorted.findings, [...sorted.accepted, ...allowed]),
          ...(blocking.length > 0 && { onlyFindings: true as const }),
        },
      ]
    },
  }
}

/** Whose leave an allowance of the configuration, or the flag that adds one, is. */
function leaveOf({ reason }: Allowance): Pick<AcceptedFinding, 'by' | 'reason'> {
  return { by: reason.startsWith('flag ') ? reason.slice('flag '.length) : 'evidence.allow', reason: redact(reason) }
}

/** The contents of changed tests and settings, so that a later run recognises them. */
async function unverifiedContents(
  findings: readonly TamperFinding[],
  baseline: Baseline,
  workspace: Workspace,
): Promise<Pick<Evidence, 'unverified'>> {
  const algorithm = algorithmOf(baseline.head ?? '')
  const changed = (await changedSince(baseline, workspace)).filter(isWatched)
  const paths = [...new Set([...findings.map(({ file }) => file), ...changed])].slice(0, MOST_UNVERIFIED)
  if (paths.length === 0) return {}
  const ids = paths.map((path) => [path, contentId(join(workspace.dir, path), algorithm) ?? ''] as const)
  return { unverified: Object.fromEntries(ids) }
}

/** Every finding, with file and line. */
export async function tamperingSince(
  baseline: Baseline,
  workspace: Workspace,
  allow: readonly Allowance[],
  claim = true,
  isOwn: IsOwnEdit = () => false,
): Promise<readonly TamperFinding[]> {
  const now = await viewOf(workspace)
  const listed = await changedSince(baseline, workspace)
  const was = viewOf(baseline, listed)
  const changed = listed.filter((path) => !isOwn(path, was, now))
  const commands = baseline.commands.filter(({ kind }) => kind === 'test')
  const around = await changedAround(baseline, workspace, !claim)
  const all = [...changed, ...around.paths]
  const before = withTexts(was, around.before)
  const found =
    all.length === 0 ? [] : await findTampering(before, withTexts(now, around.after), { allow, changed: all, commands })
  // Looking at every installed file takes a moment, so it is done only when it decides something.
  const installed = claim && isFull(baseline) ? await dependencyFindings(baseline, workspace, changed) : []
  return installed.length === 0 ? found : withoutDuplicates([...found, ...installed], allow)
}

/** Files that no list shows: ignored ones, and those above the workspace. */
async function changedAround(baseline: Baseline, workspace: Workspace, quick = false) {
  const before = (isFull(baseline) ? baseline.surroundings : undefined) ?? {}
  const after = isFull(baseline) && baseline.surroundings !== undefined ? await surroundings(workspace, { quick }) : {}
  const paths = [...new Set([...Object.keys(before), ...Object.keys(after)])].filter(
    // A file that is listed on one side is compared like all others.
    (path) => before[path] !== after[path] && (path.startsWith('../') || idInBaseline(baseline, path) === undefined),
  )
  return { paths, before, after }
}

const withTexts = (view: SourceView, texts: Surroundings): SourceView => ({
  paths: [...view.paths, ...Object.keys(texts)],
  read: (path) => (Object.hasOwn(texts, path) ? texts[path] : view.read(path)),
})

/** Runs the tests without new machinery. A file that already has a blocking finding needs no other. */
async function compareMachinery(
  { commands, run, testsNow, accept }: MachineryOptions,
  context: CheckContext,
  found: readonly TamperFinding[],
  allow: readonly Allowance[],
): Promise<readonly TamperFinding[]> {
  const { workspace, baseline, deadlineMs, signal, openRoom } = context
  if (baseline === undefined) return []
  const around = await changedAround(baseline, workspace)
  const changes = [
    ...changesOf(await changedSince(baseline, workspace), {}, context),
    ...around.paths.map((path) => changeAround(path, around.before[path], around.after[path])),
  ]
  const isKnown = (file: string) => found.some((each) => each.severity === 'block' && each.file === file)
  const isAllowed = (file: string) => allow.some((each) => allows(each, { kind: 'test-setup-changed', file }))
  const machinery = machineryIn(changes, await workspace.list()).filter(
    ({ path }) => !isKnown(path) && !isAllowed(path),
  )
  const outside = machinery.filter(({ path }) => path.startsWith('../')).map(outsideFinding)
  const inside = machinery.filter(({ path }) => !path.startsWith('../'))
  if (inside.length === 0) return outside
  const { run: now, evidence } = await testsNow(context)
  // If tests fail anyway, it does not matter why the others pass.
  if (evidence.some(({ check, answer }) => check === 'tests' && answer === 'no')) return outside
  const changedTestFiles = changes.flatMap(({ path, after }) => (isTestFile(path, after) ? [path] : []))
  const more = { ...(signal && { signal }), ...(openRoom && { openRoom }) }
  const compared = await machineryFindings(
    inside,
    { before: baseline.tests, now, changedTestFiles, accept },
    async (revert) => (await runInCopy(workspace, { commands, run, revert, deadlineMs, ...more })).run,
  )
  return [...outside, ...compared]
}

const changeAround = (path: string, before: string | undefined, after: string | undefined): ChangedFile => ({
  path,
  wasThere: before !== undefined,
  ...(before !== undefined && { before }),
  ...(after !== undefined && { after }),
})

/** No copy can show what the tests do without it. */
const outsideFinding = ({ path, line, isNew, effect }: Machinery): TamperFinding => ({
  kind: 'test-setup-changed',
  severity: 'block',
  file: path,
  line,
  detail: `This ${isNew ? 'new' : 'changed'} file ${effect}, and it is outside the folder of the run. Undo this, or accept this finding.`,
})

/** One finding for people, with anything that looks like a secret redacted. */
function changeOf({ file, line, kind, severity, detail, before, after }: TamperFinding, id?: string): EvidenceChange {
  return {
    ...(id !== undefined && { id }),
    file,
    ...(line === undefined ? {} : { line }),
    kind,
    blocks: severity === 'block',
    detail,
    ...(before === undefined ? {} : { before: excerpt(before) }),
    ...(after === undefined ? {} : { after: excerpt(after) }),
  }
}

const excerpt = (text: string): string => {
  const shown = redact(text.slice(0, 4 * LONGEST))
  return shown.length <= LONGEST ? shown : `${shown.slice(0, LONGEST)}...`
}

function named(findings: readonly TamperFinding[], ids: readonly string[] = []): string {
  const each = findings
    .slice(0, NAMED)
    .map((finding, at) => `${placed(finding)}${ids[at] === undefined ? '' : ` (${ids[at]})`}`)
  return `${each.join(' ')}${findings.length > NAMED ? ` And ${findings.length - NAMED} more.` : ''}`
}

const placed = ({ file, line, detail }: Pick<TamperFinding, 'file' | 'line' | 'detail'>): string =>
  `${file}${line === undefined ? '' : `:${line}`}: ${detail}`

const acceptedText = ({ file = '', line, detail, by, reason }: AcceptedFinding): string =>
  `${placed({ file, detail, ...(line !== undefined && { line }) })} (${by}: ${reason})`
