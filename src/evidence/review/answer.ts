import * as v from 'valibot'

const count = v.pipe(v.number(), v.integer(), v.minValue(0))
const words = v.pipe(v.string(), v.trim(), v.minLength(1))

/** What a reviewer answers: this and nothing else. */
const answerSchema = v.strictObject({
  verdict: v.picklist(['APPROVE', 'REJECT']),
  blocking_issues: v.array(v.strictObject({ file: v.optional(v.string()), line: v.optional(count), text: words })),
  notes: v.optional(v.union([v.string(), v.array(v.string())])),
  checks_passing: v.optional(count),
})
export type ReviewAnswer = v.InferOutput<typeof answerSchema>

const FENCED = /^```(?:json)?[ \t]*\r?\n([\s\S]*?)\r?\n```$/i

/**
 * The whole of the output, or the one fenced block that is the whole of it. Nothing is fished out of a longer text: the
 * reviewer may quote what it reviews, and that was written by the agent.
 */
export function readAnswer(stdout: string): ReviewAnswer | string {
  const text = stdout.replace(/^\uFEFF/, '').trim()
  if (text === '') return 'it answered nothing'
  let value: unknown
  try {
    value = JSON.parse(FENCED.exec(text)?.[1] ?? text)
  } catch {
    return 'its answer is not one JSON document'
  }
  const parsed = v.safeParse(answerSchema, value)
  if (parsed.success) return parsed.output
  const issue = parsed.issues[0]
  const path = v.getDotPath(issue)
  return `its answer does not fit the schema: ${path === null ? '' : `${path}: `}${issue.message}`
}
