import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { count } from '../../packages/core/src/count.ts'
import { plainWords } from '../../packages/core/src/plain-words.ts'
import { expectsProof } from '../../packages/exitgate/src/checks/expects.ts'
import { proofRequest } from '../../packages/exitgate/src/checks/proven.ts'
import { listedFindings, userDecides } from '../core/accepting.ts'
import type { Decided, State } from '../core/journal/events.ts'
import type { PlanProgress, Task } from '../core/run.ts'
import type { Policy } from '../core/types.ts'

export interface PromptParts {
  /** The user's own prompt. */
  readonly user: string
  readonly policy: Pick<Policy, 'prompt' | 'report'>
  /** The run has to show a test that fails without the change. */
  readonly proof?: boolean
  /** The agent has the exit_signal tool. */
  readonly tool?: boolean
  readonly task?: Task
  readonly plan?: PlanProgress
  readonly phase?: string
  readonly last?: Decided
  /** What the agent asked in its last message. */
  readonly question?: string
  /** Ids of findings in the last verdict that only the user can accept. */
  readonly findings?: readonly string[]
  /** What the user added during the run. */
  readonly guidance: readonly string[]
}

/** The prompt of the next iteration. */
export function promptFor(
  user: string,
  policy: Policy,
  state: State,
  { task, plan }: Pick<PromptParts, 'task' | 'plan'>,
): string {
  const { config, guidance = [], counters, last, previous } = state
  const texts = task === undefined ? [] : [`${task.title}\n\n${task.detail ?? ''}`]
  return promptOf({
    user,
    policy,
    tool: config?.run.mcp === true,
    proof: config !== undefined && policy.checks.proof === true && expectsProof(config.evidence, [user, ...texts]),
    guidance,
    ...(task === undefined ? {} : { task }),
    ...(plan === undefined ? {} : { plan }),
    ...(counters.phase === undefined ? {} : { phase: counters.phase }),
    ...(last === undefined ? {} : { last: last.verdict }),
    ...(previous?.signals.question === undefined ? {} : { question: previous.signals.question }),
    findings: listedFindings(previous?.evidence).map(({ id }) => id),
  })
}

/**
 * The user's text first, then the current task, what a rejected claim was missing, and how to report. Text from tests, plans and the
 * agent is stripped of completion tokens, so an echo of the prompt is never a claim.
 */
export function promptOf(parts: PromptParts): string {
  const sections = [
    parts.user.trim(),
    taskSection(parts),
    parts.phase === undefined ? '' : `## Current phase\n\n${parts.phase}`,
    missingSection(parts),
    parts.question === undefined ? '' : `${ASKED}\n\n> ${plainWords(parts.question)}`,
    listSection('Guidance from the user', parts.guidance),
    parts.proof === true ? proofRequest(parts.plan?.path) : '',
    parts.policy.prompt.trim(),
    parts.tool === true ? TOOL : '',
  ]
  return `${sections.filter((section) => section !== '').join('\n\n')}\n`
}

const ASKED = `## Your question

The user does not see this run. If the text below doesn't answer it, decide yourself, and say what you assumed. If you can't continue
without an answer, ask it again: then the run stops, and the user sees it. You asked:`

const TOOL = `You can also report with the \`exit_signal\` tool of the MCP server \`exitgate\`. It counts like the lines above.
Its \`gate_status\` tool lists what is still missing.`

function taskSection({ task, plan, phase, policy }: PromptParts): string {
  if (task === undefined && plan === undefined) return ''
  const item = plan?.item
  const heading =
    item === undefined ? 'Current task' : `Current task: item ${item.number} of ${plan?.total} in ${plan?.path}`
  const paragraphs = [
    `## ${plainWords(heading)}`,
    ...(task === undefined ? [] : [plainWords(nameOf(task)), detailOf(task)]),
    [
      ...(item === undefined ? [] : [`When this item is done, ${plainWords(item.markDone)}. ${KEEP_ITEMS}`]),
      ...(plan !== undefined && item === undefined ? [plainWords(withoutItem(plan))] : []),
      // In a phase, the agent reports on the phase, as the preset's own text says.
      ...(phase === undefined ? reportRule(policy, plan) : []),
    ].join('\n'),
  ]
  return paragraphs.filter((text) => text !== '').join('\n\n')
}

const KEEP_ITEMS = "Don't delete or reword items: they would still count as open."
const ALL_DONE = 'Run the tests, and fix what fails.'

/** The task is yours, so the plan's items come with it, or nothing in the plan is left. */
function withoutItem(plan: PlanProgress): string {
  const { total, done, path } = plan
  if (done === total) return `${allDone(plan, ` in ${path}`)}. ${ALL_DONE}`
  const open = `${total - done} of ${count(total, 'item')} in ${path} ${total - done === 1 ? 'is' : 'are'} open.`
  return `${open} They belong to this task. Mark each one as done when it is. ${KEEP_ITEMS}`
}

const allDone = ({ total }: PlanProgress, where = ''): string =>
  total === 1 ? `The only item${where} is done` : `All ${total} items${where} are done`

function reportRule({ report }: Pick<Policy, 'report'>, plan: PlanProgress | undefined): readonly string[] {
  if (report === undefined) return []
  const done = plan === undefined ? 'this task is done' : allDone(plan).replace(/^./, (first) => first.toLowerCase())
  const condition =
    report.perItem === true && plan?.item !== undefined ? 'this item is done' : `${done} and the tests pass`
  return [`${report.done} only if ${condition}. Otherwise ${report.notDone}.`]
}

const nameOf = ({ id, title }: Task): string => (title.startsWith(id) ? title : `${id}: ${title}`)

/** Line by line, because criteria are lists and must stay lists. */
const detailOf = ({ detail = '' }: Task): string =>
  detail
    .trim()
    .split('\n')
    .map((line) => `${/^\s*/.exec(line)?.[0] ?? ''}${plainWords(line)}`)
    .join('\n')

/** Only after a rejected claim: an agent that is still working knows that the work isn't done. */
function missingSection({ last, policy, findings = [] }: PromptParts): string {
  if (last === undefined || last.action !== 'continue' || last.gate.claim !== 'yes') return ''
  const itemAccepted = policy.report?.perItem === true && last.gate.proof === 'yes'
  if (itemAccepted) return ''
  const lines = last.missing.map(plainWords).filter((line) => line !== '')
  if (lines.length === 0) return ''
  const intro =
    policy.report === undefined
      ? 'exitgate checked the project after your last turn. This is still missing:'
      : 'You reported that the work is done. exitgate checked the project and rejected the claim. This is still missing:'
  const next = [NEXT, ...userDecides(findings, lines)].join('\n')
  return ['## Not done yet', '', intro, '', ...lines.map((line) => `- ${line}`), '', next].join('\n')
}

const NEXT = "Fix these points first. If you can't fix one, say which one and why."

function listSection(title: string, lines: readonly string[]): string {
  if (lines.length === 0) return ''
  return [`## ${title}`, '', ...lines.map((line) => `- ${plainWords(line)}`)].join('\n')
}

/** The user's prompt from the start of the run; undefined if it was not stored. */
export function keptPrompt(dir: string, run: string | undefined): string | undefined {
  if (run === undefined) return undefined
  try {
    return readFileSync(join(dir, 'prompts', `${run}.md`), 'utf8')
  } catch {
    return undefined
  }
}

/** A copy next to the journal, because the agent can edit the original. */
export function keepPrompt(dir: string, run: string, text: string): void {
  mkdirSync(join(dir, 'prompts'), { recursive: true, mode: 0o700 })
  writeFileSync(join(dir, 'prompts', `${run}.md`), text, { mode: 0o600 })
}
