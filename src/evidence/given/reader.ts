import type { TestRun } from '../../../packages/test-output/src/types.ts'
import type { Answer, Evidence, EvidenceSet } from '../../core/types.ts'
import { completeCounts, judgeCounts } from './counts.ts'
import { checkName, countName, isUnsafe, normalizeName } from './names.ts'

/** Reads a test runner's printed output. Passed in, because loading the readers of all runners at every start takes too long. */
export type ReadOutput = (output: string) => TestRun | undefined

/** Everything given about one check, under any name, before it is judged. */
interface Draft {
  readonly answers: Answer[]
  readonly details: string[]
  readonly counts: Record<string, number>
}
type Drafts = Map<string, Draft>

const ANSWERS: Readonly<Record<string, Answer>> = {
  yes: 'yes',
  true: 'yes',
  pass: 'yes',
  passed: 'yes',
  no: 'no',
  false: 'no',
  fail: 'no',
  failed: 'no',
  unknown: 'unknown',
  null: 'unknown',
}
const GIT_STATES: Readonly<Record<string, { changed: Answer; clean: Answer }>> = {
  modified: { changed: 'yes', clean: 'no' },
  staged: { changed: 'yes', clean: 'no' },
  untracked: { changed: 'yes', clean: 'no' },
  committed: { changed: 'yes', clean: 'yes' },
  clean: { changed: 'no', clean: 'yes' },
  norepo: { changed: 'unknown', clean: 'unknown' },
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

function asAnswer(value: unknown): Answer | undefined {
  if (value === null) return 'unknown'
  return typeof value === 'boolean' || typeof value === 'string'
    ? ANSWERS[String(value).trim().toLowerCase()]
    : undefined
}

/** Numbers, numbers in quotes, yes or no, verdicts, and the length of lists. */
function asCount(value: unknown): number | undefined {
  if (Array.isArray(value)) return value.length
  if (typeof value === 'boolean') return value ? 1 : 0
  if (typeof value === 'string') {
    if (/^\s*(?:approved?|true|yes)\s*$/i.test(value)) return 1
    if (/^\s*(?:reject(?:ed)?|false|no)\s*$/i.test(value)) return 0
    if (!/^\s*\d+(?:\.\d+)?\s*$/.test(value)) return undefined
  }
  const number = Number(value ?? Number.NaN)
  return typeof value !== 'object' && Number.isFinite(number) && number >= 0 ? number : undefined
}

const lower = (a: Answer, b: Answer): Answer => (a === 'no' || b === 'no' ? 'no' : a === 'unknown' ? a : b)

class GivenReader {
  readonly #readOutput: ReadOutput
  readonly drafts: Drafts = new Map()
  readonly problems: string[] = []

  constructor(readOutput: ReadOutput) {
    this.#readOutput = readOutput
  }

  draft(check: string): Draft {
    const existing = this.drafts.get(check)
    if (existing !== undefined) return existing
    const fresh: Draft = { answers: [], details: [], counts: Object.create(null) }
    this.drafts.set(check, fresh)
    return fresh
  }

  /** Whether the name may be used; reports a name that reaches a prototype. */
  safe(name: string): boolean {
    if (!isUnsafe(name)) return true
    this.problems.push(`The name ${JSON.stringify(name)} is not allowed in evidence.`)
    return false
  }

  count(name: string, value: unknown, under: string | undefined): void {
    if (!this.safe(name)) return
    const number = asCount(value)
    const place = countName(name, under) ?? (under === undefined ? undefined : { check: under, count: name })
    if (number === undefined || place === undefined) {
      const where = under === undefined ? 'evidence' : `evidence for ${under}`
      this.problems.push(`In the ${where}, ${name} is ${JSON.stringify(value)}, which is not a count.`)
      return
    }
    this.draft(place.check).counts[place.count] = number
  }

  check(name: string, value: unknown): void {
    const draft = this.draft(name)
    const answer = asAnswer(value)
    if (answer !== undefined) draft.answers.push(answer)
    else if (isRecord(value)) this.fields(name, draft, value)
    else {
      draft.answers.push('unknown')
      this.problems.push(
        `The evidence for ${name} is ${JSON.stringify(value)}; expected yes, no, unknown or an object.`,
      )
    }
  }

  fields(check: string, draft: Draft, value: Record<string, unknown>): void {
    for (const [name, field] of Object.entries(value)) {
      if (name === 'answer') {
        const answer = asAnswer(field)
        draft.answers.push(answer ?? 'unknown')
        if (answer === undefined)
          this.problems.push(`The answer for ${check} is ${JSON.stringify(field)}; it counts as unknown.`)
      } else if (name === 'detail') {
        if (typeof field === 'string') draft.details.push(field)
      } else if (name === 'counts' && isRecord(field)) {
        for (const [count, number] of Object.entries(field)) this.count(count, number, check)
      } else if (name === 'output' && check === 'tests') this.output(draft, field)
      else if (!['check', 'ms', 'tree'].includes(name)) this.count(name, field, check)
    }
  }

  output(draft: Draft, output: unknown): void {
    const run = typeof output === 'string' ? this.#readOutput(output) : undefined
    draft.answers.push(run?.ok === true ? 'yes' : run?.ok === false ? 'no' : 'unknown')
    if (run === undefined) {
      draft.details.push('The printed test output was not recognised.')
      return
    }
    const { passed, failed, skipped, total, aside = 0, framework } = run
    Object.assign(draft.counts, { passed, failed, skipped, total: total - aside })
    draft.details.push(`Read from printed output (${framework}).`)
  }

  git(value: unknown): void {
    const fields = isRecord(value) ? value : { state: value }
    for (const [name, field] of Object.entries(fields)) {
      if (!this.safe(name)) continue
      const state = name === 'state' && typeof field === 'string' ? GIT_STATES[normalizeName(field)] : undefined
      if (state !== undefined) {
        this.draft('changed').answers.push(state.changed)
        this.draft('clean').answers.push(state.clean)
      } else if (name === 'changed' || name === 'clean') this.check(name, field)
      else this.problems.push(`In the git evidence, ${name} is ${JSON.stringify(field)}, which is not a known value.`)
    }
  }

  top(name: string, value: unknown): void {
    if (!this.safe(name)) return
    const folded = normalizeName(name)
    const check = checkName(name)
    if (folded === 'git' || folded === 'gitstate') this.git(value)
    else if (folded === 'commands' && isRecord(value)) {
      for (const [command, answer] of Object.entries(value)) {
        if (this.safe(command)) this.check(`command:${command}`, answer)
      }
    } else if (check !== undefined && typeof value !== 'number') this.check(check, value)
    else if (countName(name, undefined) !== undefined) this.count(name, value, undefined)
    else {
      const unknown = `There is no check called ${JSON.stringify(name)}. Its evidence is kept under that name.`
      if (check === undefined) this.problems.push(unknown)
      this.check(check ?? name, value)
    }
  }
}

/** An explicit answer counts unless its numbers contradict it; then the more cautious one does. */
function answerFor(check: string, draft: Draft, tree: string): Evidence {
  const counts = completeCounts(check, draft.counts)
  const given = draft.answers.length > 0 ? draft.answers.reduce(lower) : undefined
  const judged = judgeCounts(check, counts)
  const details = [...draft.details]
  if (draft.answers.includes('yes') && given !== 'yes') details.push('The given answers contradict each other.')
  let answer = given ?? judged?.answer ?? 'unknown'
  if (given === undefined) details.push(judged?.sentence ?? 'No answer was given.')
  else if (given === 'yes' && judged !== undefined && judged.answer !== 'yes') {
    answer = judged.answer
    details.push(`Given as yes, but: ${judged.sentence}`)
  } else if (details.length === 0) details.push(`Given as ${given}.`)
  const detail = details.join(' ')
  return { check, answer, detail, ...(Object.keys(counts).length > 0 && { counts }), ms: 0, tree }
}

/** Whether it contains printed output to read. */
export function hasOutput(value: object): boolean {
  return Object.values(value).some((field) => isRecord(field) && Object.hasOwn(field, 'output'))
}

export interface Given {
  readonly evidence: EvidenceSet
  readonly problems: readonly string[]
}

/** Evidence that the caller collected, as in the file for `check --evidence`. */
export function readGivenWith(readOutput: ReadOutput, value: unknown, tree = ''): Given {
  if (!isRecord(value)) {
    const what = Array.isArray(value)
      ? 'a list'
      : value === null || value === undefined
        ? 'nothing'
        : `a ${typeof value}`
    return { evidence: {}, problems: [`Evidence must be an object with one entry per check, not ${what}.`] }
  }
  const reader = new GivenReader(readOutput)
  for (const [name, field] of Object.entries(value)) reader.top(name, field)
  const settled = [...reader.drafts].map(([check, draft]) => [check, answerFor(check, draft, tree)] as const)
  return { evidence: Object.fromEntries(settled), problems: reader.problems }
}
