import {
  type Asked,
  askedFor,
  type History,
  historyOf,
  isOutOfReach,
  openItemsOf,
  type Requirement,
  requirementFor,
} from '../../../packages/exitgate/src/checks/expects.ts'
import { limitedBy } from '../../../packages/exitgate/src/checks/proof.ts'
import {
  type Conclusion,
  conclude,
  type NamedProof,
  namedInItem,
  readProofLines,
  withoutProof,
} from '../../../packages/exitgate/src/checks/proven.ts'
import { sharedService } from '../../../packages/exitgate/src/checks/shared-services.ts'
import { isDocument, roleOf } from '../../../packages/exitgate/src/checks/sides.ts'
import { isTestFile } from '../../../packages/exitgate/src/frameworks/test-files.ts'
import type { EvidenceConfig } from '../../core/config.ts'
import type { AcceptedFinding, Evidence } from '../../core/types.ts'
import { awake } from '../../system/awake-clock.ts'
import { redact } from '../../system/redact.ts'
import { findingsIn, openFinding, withoutAccepted } from '../accepted-findings.ts'
import { changedSince, viewOf } from '../baseline/changed.ts'
import { planEntries } from '../plan/entries.ts'
import { planAt, planInBaseline, planNow, planPath, planText } from '../plan/view.ts'
import type { Check, CheckContext } from '../types.ts'
import { wordsAtStart } from '../user-words.ts'
import type { CheckDefinition, CollectedTests } from './definition.ts'
import type { JudgePlanOptions } from './judge-plan.ts'
import { planAtStart } from './plan-progress.ts'

export interface ProvenOptions extends Pick<EvidenceConfig, 'proof' | 'expects'> {
  /** The test results of the current tree, with the experiments that followed them. */
  readonly tests: (context: CheckContext) => Promise<CollectedTests>
  /** A run whose preset asks for proof. */
  readonly isAsked?: boolean
  /** Prompt, task and plan as the user wrote them. */
  readonly taskTexts?: readonly string[]
  /** Findings that the user accepted. */
  readonly accepted?: readonly AcceptedFinding[]
  /** The plan, and whether each item of it needs a test that proves it. */
  readonly plan?: JudgePlanOptions | undefined
  readonly requirements?: EvidenceConfig['requirements'] | undefined
  /** The agent's final message. Its lines `PROOF: ...` name tests. */
  readonly said?: string | undefined
  /** What resets the services that tests share. */
  readonly reset?: string | undefined
}

export const proven: CheckDefinition = {
  name: 'proven',
  checksFor({ config, policy, context, tests, testCommands, accepted, taskTexts, isRun = false, said }) {
    if (context.baseline === undefined || testCommands.length === 0) return []
    const { proof, expects, requirements, reset } = config.evidence
    const { plan: path, optionalSections } = config
    const plan = path === undefined ? undefined : { path, optionalSections, plansOnly: policy.plan.plansOnly }
    const isAsked = isRun && policy.proof === true
    const settings = { ...(proof && { proof }), ...(expects && { expects }) }
    return [provenCheck({ tests, ...settings, isAsked, taskTexts, accepted, said, plan, requirements, reset })]
  },
}

/**
 * Does a test show that the task was done: red without the change, green with it? Answers only on a claim whose tests pass: the
 * experiments have shown it by then.
 */
export function provenCheck(options: ProvenOptions): Check {
  const { tests, taskTexts = [], accepted = [] } = options
  return {
    name: 'proven',
    async collect(context): Promise<readonly Evidence[]> {
      if (!context.claim) return []
      const started = awake.now()
      const { run: now, proof } = await tests(context)
      if (proof === undefined || now === undefined) return []
      const requirement = await requirementOf(options, context, proof.isAdded)
      const tried = proof.without ?? proof.plan.tests.map((test) => ({ test, ...NOT_TRIED }))
      const judged = limitedBy(tried, proof.originals, now, await wordsAtStart(context))
      const found = conclude(judged, proof.plan, requirement, namedProof(options, context))
      const answered = ({ answer, detail, ...more }: Conclusion, also: Partial<Evidence> = {}): readonly Evidence[] => [
        {
          check: 'proven',
          answer,
          detail,
          ...more,
          ...also,
          ms: Math.round(awake.now() - started),
          tree: context.tree,
        },
      ]
      if (found.answer !== 'no') return answered(found)
      const finding = openFinding({ kind: 'unproven', detail: UNPROVEN }, [context.tree, ...taskTexts])
      const sorted = withoutAccepted([finding], accepted, (each) => each)
      const findings = findingsIn(sorted.findings, sorted.accepted)
      return sorted.open.length > 0
        ? answered(found, { ...findings, onlyFindings: true })
        : answered({ ...found, answer: 'unknown', detail: `${found.detail} Accepted.` }, findings)
    },
  }
}

const MOST_TEXT = 120

/** The tests that the agent's report and the items of the plan name, for the items that were open at the start. */
function namedProof({ said = '', plan, requirements }: ProvenOptions, context: CheckContext): NamedProof {
  const named = readProofLines(redact(said))
  if (plan === undefined) return named
  const { workspace, baseline } = context
  const options = { ...plan, path: planPath(workspace.dir, plan.path ?? '') }
  const now = planAt(planNow(workspace), options.path, options)
  if (typeof now === 'string') return named
  const start = baseline && planAtStart(baseline, options)
  const { entries } = planEntries(now, typeof start === 'object' ? start : undefined, options)
  const items = new Map(named.items)
  const own = entries.map(({ item, start: was }, at) => ({
    number: at + 1,
    text: item.text,
    isOld: was?.done === true,
  }))
  for (const { number, text } of own) items.set(number, [...(items.get(number) ?? []), ...namedInItem(redact(text))])
  const about = own.filter(({ isOld }) => !isOld)
  const isAbout = new Set(about.map(({ number }) => number))
  return {
    ...named,
    items: new Map([...items].filter(([number]) => isAbout.has(number))),
    plan: about.map(({ number, text }) => ({ number, text: redact(withoutProof(text)).slice(0, MOST_TEXT) })),
    required: requirements === 'required',
  }
}

/** Nothing could be reverted, so there was nothing to run. */
const NOT_TRIED = { judgement: 'could-not-run', why: 'no code change could be reverted' } as const

const UNPROVEN = 'The tests pass, but nothing shows that the task was done: no test fails without the change.'

async function requirementOf(
  { proof = 'report', expects, isAsked = false, taskTexts = [], plan, reset }: ProvenOptions,
  context: CheckContext,
  isAdded: true | undefined,
): Promise<Requirement> {
  const { workspace, baseline } = context
  const changed = baseline === undefined ? [] : await changedSince(baseline, workspace)
  const asked: Asked = expects ?? askedFor(plan === undefined ? taskTexts : atStart(taskTexts, plan, context))
  const shared = reset === undefined ? sharedService(await viewOf(workspace), workspace.env?.() ?? {}) : undefined
  const found = await requirementFor({
    isAdded,
    mode: proof,
    isAsked,
    asked,
    outOfReach:
      (asked === 'unclear' || (asked === 'looks' && !changed.every(isDocument))) &&
      changed.length > 0 &&
      (await areOutOfReach(changed, context)),
    history: () => historyAround(changed, context),
  })
  return { ...found, shared }
}

/** What the agent did to the plan since the start asks for nothing, and neither do items that were done then. */
function atStart(taskTexts: readonly string[], plan: JudgePlanOptions, { workspace, baseline }: CheckContext) {
  const path = planPath(workspace.dir, plan.path ?? '')
  const now = planText(planNow(workspace), path, plan)
  const start = baseline && planText(planInBaseline(baseline), path, plan)
  return [...taskTexts.filter((text) => text !== now), openItemsOf(start ?? now ?? '')]
}

async function areOutOfReach(changed: readonly string[], { workspace }: CheckContext): Promise<boolean> {
  if (!changed.every((path) => isOutOfReach(path, []))) return false
  const tests = (await workspace.list()).filter((path) => isTestFile(path, '') && !changed.includes(path))
  const texts = tests.map((path) => workspace.read(path) ?? '')
  return changed.every((path) => isOutOfReach(path, texts))
}

/** Enough to find a hundred commits that change code. */
const MOST_COMMITS = 400

/** How the project tested its changes in these folders before the run. */
async function historyAround(
  changed: readonly string[],
  { workspace, baseline }: CheckContext,
): Promise<History | undefined> {
  const isSource = (path: string) => roleOf({ path, wasThere: true }) === 'source'
  const tops = new Set(changed.filter(isSource).map((path) => (path.includes('/') ? path.split('/')[0]! : '')))
  const head = baseline?.head
  if (head === undefined || tops.size === 0) return undefined
  const folders = [...tops].map((top) => (top === '' ? ':(glob)*' : top))
  const log = await workspace.git([
    ...['log', '--no-merges', '--full-diff', '--relative', '--name-only', '--format=%x01', `-n${MOST_COMMITS}`],
    ...[head, '--', ...folders],
  ])
  if (log === undefined) return undefined
  const commits = log.split('\x01').map((files) => files.split('\n').filter((path) => path !== ''))
  const isInside = (path: string) => tops.has(path.includes('/') ? path.split('/')[0]! : '')
  return historyOf(
    commits,
    (path) => isInside(path) && isSource(path),
    // Some languages have their tests in the files of the product.
    (path) => isTestFile(path) || isTestFile(path, workspace.read(path) ?? ''),
  )
}
