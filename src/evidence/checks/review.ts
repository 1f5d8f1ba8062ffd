import * as v from 'valibot'
import type { Evidence, EvidenceSet } from '../../core/types.ts'
import { redact } from '../../system/redact.ts'
import type { Check, CheckContext, CommandResult } from '../types.ts'
import { type CheckAnswer, type CheckDefinition, checkOf } from './definition.ts'
import { type Changes, changesOf } from './review-changes.ts'
import { agreed, cutOff, jsonIn, judgeModel, noAnswer, promptOf, reviewersIn } from './reviewers.ts'

export interface ReviewOptions {
  /** A command line for the shell, or an argv: a second model, or a tool for human review. */
  readonly command: string | readonly string[]
  readonly task?: string
  /** The criteria the work is measured by, as text. */
  readonly criteria?: readonly string[]
  /** What other checks have found, as information for the reviewer. */
  readonly evidence?: EvidenceSet
  /** Added to its scrubbed environment, for example the API key of a model. */
  readonly env?: Readonly<Record<string, string>>
  readonly maxDiffCharacters?: number
  /** Run in every iteration, not only when the agent claims to be done. */
  readonly always?: boolean
}

/** What the reviewer gets on its standard input, as JSON. */
export interface ReviewRequest {
  readonly version: 1
  readonly task: string
  readonly criteria: readonly string[]
  readonly files: readonly string[]
  readonly diff: string
  /** Number of diff characters that were left out. The reviewer runs in the workspace and can look there. */
  readonly diffCut: number
  readonly evidence: Readonly<Record<string, Pick<Evidence, 'answer' | 'detail' | 'counts'>>>
  readonly answer: typeof ANSWER
}

const MAX_DIFF = 200_000
const MAX_ANSWER = 1024 * 1024
const NAMED = 5
const ANSWER =
  'Print one JSON object and nothing else: {"verdict": "APPROVE" | "REJECT", "blocking_issues": [{"file"?, "line"?, "text"}], "notes"?, "checks_passing"?}'

export const review: CheckDefinition = {
  name: 'review',
  checksFor({ config: { evidence }, task, taskTexts: criteria, tests, context }) {
    const { review: command } = evidence
    if (command === undefined) return []
    const options: ReviewOptions = { command, ...(task === undefined ? {} : { task }), criteria }
    if (reviewersIn(command).length === 0) return [reviewCheck(options)]
    return [
      checkOf('review', async (now) => {
        if (!now.claim) return askReviewer(options, now)
        const found = await tests(context)
        // A model costs money, and the claim is rejected anyway.
        if (found.evidence.some(({ check, answer }) => check === 'tests' && answer !== 'yes'))
          return { answer: 'unknown', detail: 'The review runs when the tests pass.' }
        const others = Object.fromEntries(found.evidence.map((each) => [each.check, each]))
        return askReviewer({ ...options, evidence: others }, now)
      }),
    ]
  },
}

/** The `review` check: does another reviewer, who sees the changes and the criteria, approve? */
export function reviewCheck(options: ReviewOptions): Check {
  return checkOf('review', (context) => askReviewer(options, context))
}

async function askReviewer(options: ReviewOptions, context: CheckContext): Promise<CheckAnswer> {
  if (!context.claim && options.always !== true) {
    return { answer: 'unknown', detail: 'The review runs when the agent says it is done.' }
  }
  const { workspace, baseline, deadlineMs, signal } = context
  const changes = await changesOf(workspace, baseline, options.maxDiffCharacters ?? MAX_DIFF)
  if (typeof changes === 'string') return { answer: 'unknown', detail: changes }
  const request = requestOf(options, context, changes)
  const run = (command: ReviewOptions['command'], input: string, env = options.env) =>
    workspace.run(command, {
      deadlineMs,
      input,
      maxBytes: MAX_ANSWER,
      separate: true,
      login: true,
      ...(env && { env }),
      ...(signal && { signal }),
    })
  const reviewers = typeof options.command === 'string' ? reviewersIn(options.command) : []
  const found =
    reviewers.length === 0
      ? judge(await run(options.command, `${JSON.stringify(request)}\n`))
      : agreed(
          await Promise.all(
            reviewers.map(async (reviewer) => {
              const ran = await run(reviewer.command, promptOf(request), { ...options.env, ...reviewer.env })
              return { name: reviewer.name, ...judgeModel(ran, reviewer) }
            }),
          ),
        )
  const cut = changes.cut > 0 ? ` ${changes.cut} characters of the changes were not sent.` : ''
  return { ...found, detail: redact(found.detail) + cut }
}

export function requestOf(options: ReviewOptions, context: CheckContext, changes: Changes): ReviewRequest {
  const evidence = Object.entries(options.evidence ?? {}).map(([check, { answer, detail, counts }]) => {
    return [check, { answer, detail: redact(detail), ...(counts && { counts }) }] as const
  })
  return {
    version: 1,
    task: redact(options.task ?? context.taskTexts.join('\n\n')),
    criteria: (options.criteria ?? []).map((each) => redact(each)),
    files: changes.files,
    diff: redact(changes.diff),
    diffCut: changes.cut,
    evidence: Object.fromEntries(evidence),
    answer: ANSWER,
  }
}

function judge(ran: CommandResult): CheckAnswer {
  const unfinished = cutOff(ran)
  if (unfinished) return unfinished
  const answer = readAnswer(ran.stdout ?? '')
  if (typeof answer === 'object' && answer.verdict === 'REJECT') return refused(answer)
  if (ran.code !== 0) return noAnswer(ran.code === null ? 'it was killed by a signal' : `it exited with ${ran.code}`)
  if (typeof answer === 'string') return noAnswer(answer)
  if (answer.blocking_issues.length > 0) return refused(answer)
  return { answer: 'yes', detail: 'The review approved.', counts: countsOf(answer) }
}

/** Approval with blocking issues does not count. Tools that reject often exit with a code other than 0, which is not a crash. */
function refused(answer: ReviewAnswer): CheckAnswer {
  const issues = answer.blocking_issues.map(({ file, line, text }) => {
    const place = file === undefined ? '' : `${file}${line === undefined ? '' : `:${line}`}: `
    return `${place}${text.replace(/\s+/g, ' ').slice(0, 300)}`
  })
  const more = issues.length > NAMED ? [`and ${issues.length - NAMED} more`] : []
  const what = issues.length === 0 ? 'It listed no issues.' : `${[...issues.slice(0, NAMED), ...more].join('; ')}.`
  const verdict =
    answer.verdict === 'REJECT' ? 'The review rejected the work.' : 'The review approved, but listed blocking issues.'
  return { answer: 'no', detail: `${verdict} ${what}`, counts: countsOf(answer) }
}

function countsOf(answer: ReviewAnswer): Record<string, number> {
  return {
    blocking: answer.blocking_issues.length,
    approved: answer.verdict === 'APPROVE' ? 1 : 0,
    ...(answer.checks_passing !== undefined && { passing: answer.checks_passing }),
  }
}

const count = v.pipe(v.number(), v.integer(), v.minValue(0))
const words = v.pipe(v.string(), v.trim(), v.minLength(1))

/** The only answer a reviewer may give. */
const answerSchema = v.strictObject({
  verdict: v.picklist(['APPROVE', 'REJECT']),
  blocking_issues: v.array(v.strictObject({ file: v.optional(v.string()), line: v.optional(count), text: words })),
  notes: v.optional(v.union([v.string(), v.array(v.string())])),
  checks_passing: v.optional(count),
})
type ReviewAnswer = v.InferOutput<typeof answerSchema>

/**
 * The complete output, or the one fenced block that makes up the complete output. Answers inside a longer text don't count: the
 * reviewer may quote what it reviews, and the agent wrote that.
 */
export function readAnswer(stdout: string): ReviewAnswer | string {
  if (stdout.replace(/^\uFEFF/, '').trim() === '') return 'it printed nothing'
  const value = jsonIn(stdout)
  if (value === undefined) return 'its answer is not a single JSON document'
  const parsed = v.safeParse(answerSchema, value)
  if (parsed.success) return parsed.output
  const issue = parsed.issues[0]
  const path = v.getDotPath(issue)
  return `its answer does not match the schema: ${path === null ? '' : `${path}: `}${issue.message}`
}
