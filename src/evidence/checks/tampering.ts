import { join } from 'node:path'
import { isWatched } from '../../../packages/exitgate/src/frameworks/kept-files.ts'
import type { Config, EvidenceConfig } from '../../core/config.ts'
import type { AcceptedFinding, Evidence, EvidenceChange } from '../../core/types.ts'
import { redact } from '../../system/redact.ts'
import { findingsIn, tamperFinding, withoutAccepted } from '../accepted-findings.ts'
import { changedSince, viewOf } from '../baseline/changed.ts'
import { algorithmOf, contentId } from '../baseline/content-id.ts'
import { idInBaseline, isFull } from '../baseline/stored-baseline.ts'
import { type Surroundings, surroundings } from '../baseline/surroundings.ts'
import type { Proof } from '../experiments.ts'
import { type IsOwnEdit, ownEditsIn } from '../own-edits.ts'
import type { ChangedFile } from '../red-proof/plan.ts'
import { dependencyFindings } from '../tampering/dependencies/index.ts'
import { allows, withoutDuplicates } from '../tampering/finding.ts'
import { type Allowance, findTampering, type SourceView, type TamperFinding } from '../tampering/index.ts'
import { type Machinery, machineryIn } from '../tampering/machinery/find.ts'
import { isChanged, withOriginals } from '../tampering/originals.ts'
import type { Baseline, Check, CheckContext, Workspace } from '../types.ts'
import { withOneList } from '../workspace.ts'
import { scriptLinesOf } from './command.ts'
import type { CheckDefinition, CollectedTests } from './definition.ts'

const NAMED = 5
/** More changed test files than this are recorded in part only. */
const MOST_UNVERIFIED = 2_000
/** Up to this many findings keep their texts, each cut to this length: the journal stores them for every iteration. */
const SHOWN = 12
const LONGEST = 400

export const tampering: CheckDefinition = {
  name: 'tampering',
  checksFor: ({ config, accepted, tests: testsNow, stateDir }) => {
    const { allow, changedTests, expects } = config.evidence
    const changed = expects === 'refactor' ? 'block' : changedTests
    return [tamperingCheck(allow, testsNow, accepted, ownEditsIn(stateDir), requiredIn(config), changed)]
  },
}

/** The `tampering` check: were tests, their runner or the gate itself weakened since the baseline? Does nothing without one. */
export function tamperingCheck(
  allow: readonly Allowance[],
  testsNow?: (context: CheckContext) => Promise<CollectedTests>,
  accepted: readonly AcceptedFinding[] = [],
  isOwn?: IsOwnEdit,
  required: readonly string[] = [],
  changedTests: EvidenceConfig['changedTests'] = 'report',
): Check {
  return {
    name: 'tampering',
    async collect(context): Promise<readonly Evidence[]> {
      const { baseline, tree, claim } = context
      if (baseline === undefined) return []
      const started = performance.now()
      const workspace = withOneList(context.workspace)
      const everything = await tamperingSince(baseline, workspace, [], claim, isOwn, required)
      const seen = withoutDuplicates(everything, allow)
      const { proof, run } = (claim && (await testsNow?.(context))) || {}
      const isKnown = (file: string) => seen.some((each) => each.severity === 'block' && each.file === file)
      const outside = claim ? (await machineryOutside(context)).filter(({ file }) => !isKnown(file)) : []
      const keys = new Set(accepted.map(({ key }) => key))
      const isAccepted = (each: TamperFinding) => keys.has(tamperFinding(each, workspace.dir).key)
      const found = [
        ...withOriginals(seen, proof, baseline.tests?.tests, isAccepted, changedTests !== 'report', run?.tests),
        ...outside,
      ]
      const all = withoutDuplicates(found, allow)
      const against = all
        .filter(({ severity }) => severity === 'block')
        .map((each) => ({ ...each, detail: redact(each.detail) }))
      const warnings = all.filter(({ severity }) => severity !== 'block')
      const sorted = withoutAccepted(against, accepted, (each) => tamperFinding(each, workspace.dir))
      const blocking = sorted.open
      const ids = sorted.findings.map(({ id }) => id)
      const allowed = [...everything, ...found].flatMap((each) => {
        const rule = each.severity === 'block' ? allow.find((one) => allows(one, each)) : undefined
        return rule === undefined ? [] : [{ ...tamperFinding(each, workspace.dir), ...leaveOf(rule) }]
      })
      const counts = {
        blocking: blocking.length,
        warnings: warnings.length,
        ...(sorted.accepted.length > 0 && { accepted: sorted.accepted.length }),
        ...refutedCounts(proof),
        ...(changedTests === 'ask' && { asked: blocking.filter(({ detail }) => isChanged(detail)).length }),
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

/** The configured commands that don't test. Their checks must pass. */
const requiredIn = ({ commands }: Config): readonly string[] =>
  Object.entries(commands).flatMap(([name, command]) => (name === 'test' || name === 'quick' ? [] : (command ?? [])))

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
  requiredCommands: readonly string[] = [],
): Promise<readonly TamperFinding[]> {
  const now = await viewOf(workspace)
  const listed = await changedSince(baseline, workspace)
  const was = viewOf(baseline, listed)
  const changed = listed.filter((path) => !isOwn(path, was, now))
  const commands = baseline.commands.filter(({ kind }) => kind === 'test')
  const lines = [
    ...requiredCommands,
    ...commands.flatMap(({ command, behind }) => [command, ...(behind ? [behind] : [])]),
  ]
  const required = lines.flatMap((line) => scriptLinesOf(line, was.read))
  const around = await changedAround(baseline, workspace, !claim)
  const all = [...changed, ...around.paths]
  const before = withTexts(was, around.before)
  const found =
    all.length === 0
      ? []
      : await findTampering(before, withTexts(now, around.after), { allow, changed: all, commands, required })
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

/** Files above the workspace, and ignored ones, that decide how tests run: no copy can show what the tests do without them. */
async function machineryOutside({ workspace, baseline }: CheckContext): Promise<readonly TamperFinding[]> {
  if (baseline === undefined) return []
  const around = await changedAround(baseline, workspace)
  const changes = around.paths.map((path) => changeAround(path, around.before[path], around.after[path]))
  return changes.length === 0 ? [] : machineryIn(changes, await workspace.list()).map(outsideFinding)
}

/** Tests that fail in their original version, by what became of them. */
function refutedCounts(proof: Proof | undefined): Readonly<Record<string, number>> {
  const all = proof?.originals?.refuted ?? []
  const count = (is: string) => all.filter((each) => each.is === is).length
  const counts = { adapted: count('adapted'), changed: count('changed') + count('unread'), helped: count('helped') }
  return Object.fromEntries(Object.entries(counts).filter(([, n]) => n > 0))
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
  detail: `This ${isNew ? 'new' : 'changed'} file ${effect}, and it is ${path.startsWith('../') ? 'outside the folder of the run' : 'ignored by git'}. Undo this, or accept this finding.`,
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
