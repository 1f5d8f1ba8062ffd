import { count } from '../../../../packages/core/src/count.ts'
import { unprovenText } from '../../../../packages/exitgate/src/checks/proven.ts'
import { findingText, listedFindings } from '../../accepting.ts'
import type { Condition, Rule, StreakPolicy } from '../../types.ts'
import { movedOn, notVetoed } from '../conditions.ts'
import { either, finding, openLeaves, stops, yesNo } from '../finding.ts'
import { errorWords, languageConfidence, phraseGroup } from '../measures.ts'
import { asksText } from '../sentence.ts'

/** Something happened so often that you have to look at it. */
export const escalate = (name: string, when: Condition): Rule => stops('aborted', 'needs-human', name, when)

/** The agent reports a blocker that only you can remove. */
export const needsHuman = (limit: number): Rule =>
  escalate('needs-human', ({ streaks, signals }) => {
    const holds = (streaks.blocked?.n ?? 0) >= limit
    const text = holds ? `the agent is blocked: ${signals.blocker}` : 'the agent reports no blocker'
    return finding('needs-human', yesNo(holds), text)
  })

/** Nothing but these findings keeps a claim from being verified. Only the user can say whether they are right. */
const onlyFindings =
  (claim: Condition, proof: Condition, isMeant = (_check: string) => true): Condition =>
  (facts) => {
    const open = openLeaves(proof(facts))
    const isLeft =
      open.length > 0 &&
      open.every(({ name, answer }) => answer === 'no' && facts.evidence[name]?.onlyFindings === true && isMeant(name))
    const isDone = claim(facts).answer === 'yes' && notVetoed(facts).answer === 'yes'
    const holds = isLeft && (isDone || facts.signals.blocker !== undefined)
    return either('only findings', holds, 'only the user can decide about the rest', 'more is missing')
  }

/** Claims of this run that only lack a proof. Iterations without such a claim don't change the number. */
export function unprovenClaims(claim: Condition, proof: Condition): StreakPolicy {
  const when = onlyFindings(claim, proof, (check) => check === 'proven')
  return { when, hold: (facts) => finding('hold', yesNo(when(facts).answer !== 'yes'), 'no such claim') }
}

/** The tests pass, and nothing shows that the task was done, also after one more try. `check` has no other try. */
export const unproven: Rule = stops('aborted', 'unproven', 'unproven', ({ streaks, evidence, signals }) => {
  const n = streaks.unproven?.n ?? 0
  const holds = n >= (['caller', 'ci'].includes(signals.source) ? 1 : TRIES) && evidence.proven?.answer === 'no'
  return finding(
    'unproven',
    yesNo(holds),
    holds ? unprovenText(evidence.proven, n > 1) : `${count(n, 'claim')} without a proof`,
  )
})

/** Iterations in a row in which that was so, with the same findings. */
export const undecided = (claim: Condition, proof: Condition): StreakPolicy => ({
  when: onlyFindings(claim, proof),
  // Other findings are another try.
  key: ({ evidence }) =>
    listedFindings(evidence)
      .map(({ id }) => id)
      .sort()
      .join(' '),
})

/** The agent can't decide that a test may change. After one more try it is the user's turn. */
export const needsAccept: Rule = escalate('needs-accept', ({ streaks, evidence }) => {
  const findings = listedFindings(evidence)
  // With `changedTests: ask`, you decide at once.
  const isAsked = findings.length > 0 && evidence.tampering?.counts?.asked === findings.length
  const n = (streaks.undecided?.n ?? 0) + Number(isAsked && streaks.undecided?.n === 1)
  const ids = findings.map(({ id }) => id)
  const [first] = findings
  const isSource = findings.some(({ kind }) => ['special-cased', 'unproven'].includes(kind))
  const what = count(findings.length, isSource ? 'finding' : 'change') + (isSource ? '' : ' to the tests')
  const text = `Only you can decide about ${what}: ${first === undefined ? '' : `${first.id} (${findingText(first).replace(/\.$/, '')})`}${findings.length > 1 ? ` and ${findings.length - 1} more` : ''}. If this is right: exitgate accept ${ids.slice(0, MOST_IDS).join(' ')} --reason "...", then exitgate run --resume`
  return finding('needs-accept', yesNo(n >= TRIES), n >= TRIES ? text : 'no change to the tests waits for you alone')
})

const TRIES = 2
const MOST_IDS = 10

const pleads = (phrases: readonly string[]): boolean => phrases.some(phraseGroup('asks'))

/**
 * The agent asks you something, or its CLI denied a tool, and the iteration changed nothing. A question counts unless files are known
 * to have changed. A denied tool alone counts only if no file changed, because agents often find another way.
 */
const asks: Condition = (facts) => {
  const { denials, phrases, question } = facts.signals
  const refused = denials.length > 0
  const asked = question !== undefined || pleads(phrases) || (refused && phrases.some(phraseGroup('ralph-question')))
  if (!refused && !asked) return finding('asks', 'no', 'the agent asked for nothing')
  const moved = movedOn(facts).answer
  return finding('asks', yesNo(moved === 'no' || (asked && moved === 'unknown')), 'the agent asks')
}

/** Iterations in a row without a result, because the agent waited for an answer. */
export const asking: StreakPolicy = { when: asks }

const onlyAsked = (n: number): string => `${count(n, 'iteration')} in a row in which the agent only asked`

/** A loop can't answer the agent's question, so asking again changes nothing. One permission setting fixes it. */
export const asksPermission = (limit: number): Rule =>
  escalate('asks-permission', ({ streaks, signals: { denials, phrases, question } }) => {
    const n = streaks.asking?.n ?? 0
    if (n < limit || (question !== undefined && denials.length === 0 && !pleads(phrases)))
      return finding('asks-permission', 'no', onlyAsked(n))
    const refused = denials.length === 0 ? '' : `. Its CLI denied ${denials.at(-1)}`
    const text = `the agent asked for permission in ${n} iterations in a row and no file changed${refused}`
    return finding('asks-permission', 'yes', text)
  })

/** The same for any other question. Only you can answer it. */
export const asksQuestion = (limit: number): Rule =>
  escalate('asks-question', ({ streaks, signals: { question } }) => {
    const n = streaks.asking?.n ?? 0
    const text = question === undefined || n < limit ? undefined : asksText(question)
    return finding('asks-question', yesNo(text !== undefined), text ?? onlyAsked(n))
  })

/**
 * The agent's CLI denied a tool, so it can't continue until you allow it. Tools you listed as allowed don't count, and neither does
 * a denial after which the agent found another way and changed files.
 */
export const permissionDenied = (allowedTools: readonly string[]): Rule =>
  escalate('permission-denied', (facts) => {
    const denied = facts.signals.denials.filter((denial) => !allowedTools.some((tool) => covers(tool, denial)))
    const stops = denied.length > 0 && movedOn(facts).answer !== 'yes'
    return finding(
      'permission-denied',
      yesNo(stops),
      denied.length > 0 ? `permission denied: ${denied.join(', ')}` : 'no permission was denied',
    )
  })

/** `Bash(npm *)` covers a denied `Bash(npm install x && y)`: only the compound form of an allowed command was denied. */
function covers(tool: string, denial: string): boolean {
  const pattern = /^Bash\((\S+?)[\s:*]*\*?\)$/.exec(tool)?.[1]
  const command = /^Bash\(\s*(\S+)/.exec(denial)?.[1]
  return pattern !== undefined && (command?.startsWith(pattern) ?? false)
}

/** The agent keeps claiming and no check can answer: you have to say how to verify. */
export const unverifiable = (limit: number): Rule =>
  stops('aborted', 'unverifiable', 'unverifiable', ({ streaks, evidence }) => {
    const n = streaks.unverifiable?.n ?? 0
    const remedy =
      evidence.flakes === undefined
        ? 'Pass --test "..." or set commands.test'
        : 'Some tests give different results on the same code: fix them, or list them in evidence.quarantine'
    return either(
      'unverifiable',
      n >= limit,
      `the agent claimed to be done ${count(n, 'time')}, but no check could answer. ${remedy}`,
      `${count(n, 'claim')} that no check could answer`,
    )
  })

/** The agent's text mentions too many kinds of errors. */
export const errors = (most: number): Rule =>
  stops('aborted', 'errors', 'errors', (facts) => {
    const n = errorWords(facts) ?? 0
    return either('errors', n > most, `Error count ${n} > threshold ${most}`, `Error count ${n}`)
  })

/** The agent's language sounds unsure, so you should look at it. Never a completion. */
export const lowConfidence = (least: number): Rule =>
  stops('aborted', 'low-confidence', 'low-confidence', (facts) => {
    const value = languageConfidence(facts)
    if (value === undefined) return finding('low-confidence', 'unknown', 'the agent printed nothing')
    return either(
      'low-confidence',
      value < least,
      `AI confidence ${value}% < threshold ${least}%`,
      `AI confidence ${value}%`,
    )
  })
