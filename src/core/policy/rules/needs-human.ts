import { findingText, listedFindings } from '../../accepting.ts'
import { count } from '../../count.ts'
import type { Condition, Rule, StreakPolicy } from '../../types.ts'
import { movedOn, notVetoed } from '../conditions.ts'
import { finding, openLeaves, yesNo } from '../finding.ts'
import { errorWords, languageConfidence, phraseGroup } from '../measures.ts'

/** The agent reports a blocker that only you can remove. */
export const needsHuman = (limit: number): Rule => ({
  name: 'needs-human',
  when: ({ streaks, signals }) => {
    const n = streaks.blocked?.n ?? 0
    return finding(
      'needs-human',
      yesNo(n >= limit),
      n >= limit ? `the agent is blocked: ${signals.blocker}` : 'the agent reports no blocker',
    )
  },
  decision: { action: 'stop', outcome: 'aborted', ending: 'needs-human' },
})

/** Nothing but changes to the tests keeps a claim from being verified. Only the user can say whether they are right. */
const onlyFindings =
  (claim: Condition, proof: Condition): Condition =>
  (facts) => {
    const open = openLeaves(proof(facts))
    const isLeft =
      open.length > 0 &&
      open.every(({ name, answer }) => answer === 'no' && facts.evidence[name]?.onlyFindings === true)
    const isDone = claim(facts).answer === 'yes' && notVetoed(facts).answer === 'yes'
    const holds = isLeft && (isDone || facts.signals.blocker !== undefined)
    return finding('only findings', yesNo(holds), holds ? 'only changes to the tests are left' : 'more is missing')
  }

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
export const needsAccept: Rule = {
  name: 'needs-accept',
  when: ({ streaks, evidence }) => {
    const n = streaks.undecided?.n ?? 0
    const findings = listedFindings(evidence)
    const ids = findings.map(({ id }) => id)
    const [first] = findings
    const isSource = findings.every(({ kind }) => kind === 'special-cased')
    const what = count(findings.length, isSource ? 'finding' : 'change') + (isSource ? '' : ' to the tests')
    const text = `Only you can decide about ${what}: ${first === undefined ? '' : `${first.id} (${findingText(first).replace(/\.$/, '')})`}${findings.length > 1 ? ` and ${findings.length - 1} more` : ''}. If this is right: exitgate accept ${ids.slice(0, MOST_IDS).join(' ')} --reason "...", then exitgate run --resume`
    return finding('needs-accept', yesNo(n >= TRIES), n >= TRIES ? text : 'no change to the tests waits for you alone')
  },
  decision: { action: 'stop', outcome: 'aborted', ending: 'needs-human' },
}

const TRIES = 2
const MOST_IDS = 10

/** Something happened so often that you have to look at it. */
export const escalate = (name: string, when: Condition): Rule => ({
  name,
  when,
  decision: { action: 'stop', outcome: 'aborted', ending: 'needs-human' },
})

/**
 * The agent asks for permission, or its CLI denied a tool, and the iteration changed nothing. A question counts unless files are known
 * to have changed. A denied tool alone counts only if no file changed, because agents often find another way.
 */
const asks: Condition = (facts) => {
  const { denials, phrases } = facts.signals
  const has = (group: string) => phrases.some(phraseGroup(group))
  const refused = denials.length > 0
  const question = has('asks') || (refused && has('ralph-question'))
  if (!refused && !question) return finding('asks', 'no', 'the agent did not ask for permission')
  const moved = movedOn(facts).answer
  return finding('asks', yesNo(moved === 'no' || (question && moved === 'unknown')), 'the agent asks for permission')
}

/** Iterations in a row without a result, because the agent waited for an answer. */
export const asking: StreakPolicy = { when: asks }

/** A loop can't answer the agent's question, so asking again changes nothing. One permission setting fixes it. */
export const asksPermission = (limit: number): Rule => ({
  name: 'asks-permission',
  when: ({ streaks, signals }) => {
    const n = streaks.asking?.n ?? 0
    const refused = signals.denials.at(-1)
    return finding(
      'asks-permission',
      yesNo(n >= limit),
      n >= limit
        ? `the agent asked for permission in ${n} iterations in a row and no file changed${refused === undefined ? '' : `. Its CLI denied ${refused}`}`
        : `${count(n, 'iteration')} in a row in which the agent only asked for permission`,
    )
  },
  decision: { action: 'stop', outcome: 'aborted', ending: 'needs-human' },
})

/**
 * The agent's CLI denied a tool, so it can't continue until you allow it. Tools you listed as allowed don't count, and neither does
 * a denial after which the agent found another way and changed files.
 */
export const permissionDenied = (allowedTools: readonly string[]): Rule => ({
  name: 'permission-denied',
  when: (facts) => {
    const denied = facts.signals.denials.filter((denial) => !allowedTools.some((tool) => covers(tool, denial)))
    const stops = denied.length > 0 && movedOn(facts).answer !== 'yes'
    return finding(
      'permission-denied',
      yesNo(stops),
      denied.length > 0 ? `permission denied: ${denied.join(', ')}` : 'no permission was denied',
    )
  },
  decision: { action: 'stop', outcome: 'aborted', ending: 'needs-human' },
})

/** `Bash(npm *)` covers a denied `Bash(npm install x && y)`: only the compound form of an allowed command was denied. */
function covers(tool: string, denial: string): boolean {
  const pattern = /^Bash\((\S+?)[\s:*]*\*?\)$/.exec(tool)?.[1]
  const command = /^Bash\(\s*(\S+)/.exec(denial)?.[1]
  return pattern !== undefined && (command?.startsWith(pattern) ?? false)
}

/** The agent keeps claiming and no check can answer: you have to say how to verify. */
export const unverifiable = (limit: number): Rule => ({
  name: 'unverifiable',
  when: ({ streaks, evidence }) => {
    const n = streaks.unverifiable?.n ?? 0
    const remedy =
      evidence.flakes === undefined
        ? 'Pass --test "..." or set commands.test'
        : 'Some tests give different results on the same code: fix them, or list them in evidence.quarantine'
    return finding(
      'unverifiable',
      yesNo(n >= limit),
      n >= limit
        ? `the agent claimed to be done ${count(n, 'time')}, but no check could answer. ${remedy}`
        : `${count(n, 'claim')} that no check could answer`,
    )
  },
  decision: { action: 'stop', outcome: 'aborted', ending: 'unverifiable' },
})

/** The agent's text mentions too many kinds of errors. */
export const errors = (most: number): Rule => ({
  name: 'errors',
  when: (facts) => {
    const n = errorWords(facts) ?? 0
    return finding('errors', yesNo(n > most), n > most ? `Error count ${n} > threshold ${most}` : `Error count ${n}`)
  },
  decision: { action: 'stop', outcome: 'aborted', ending: 'errors' },
})

/** The agent's language sounds unsure, so you should look at it. Never a completion. */
export const lowConfidence = (least: number): Rule => ({
  name: 'low-confidence',
  when: (facts) => {
    const value = languageConfidence(facts)
    if (value === undefined) return finding('low-confidence', 'unknown', 'the agent printed nothing')
    return finding(
      'low-confidence',
      yesNo(value < least),
      value < least ? `AI confidence ${value}% < threshold ${least}%` : `AI confidence ${value}%`,
    )
  },
  decision: { action: 'stop', outcome: 'aborted', ending: 'low-confidence' },
})
