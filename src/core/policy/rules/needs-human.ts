import type { Condition, Rule, StreakPolicy } from '../../types.ts'
import { movedOn } from '../conditions.ts'
import { finding, yesNo } from '../finding.ts'
import { errorWords, languageConfidence, phraseGroup } from '../measures.ts'

/** The agent names something only a person can remove. */
export const needsHuman = (limit: number): Rule => ({
  name: 'needs-human',
  when: ({ streaks, signals }) => {
    const n = streaks.blocked?.n ?? 0
    return finding(
      'needs-human',
      yesNo(n >= limit),
      n >= limit ? `the agent is blocked: ${signals.blocker}` : 'the agent names no blocker',
    )
  },
  decision: { action: 'stop', outcome: 'aborted', ending: 'needs-human' },
})

/** Something happened so often that a person must look at it. */
export const escalate = (name: string, when: Condition): Rule => ({
  name,
  when,
  decision: { action: 'stop', outcome: 'aborted', ending: 'needs-human' },
})

/**
 * The agent asks a person for leave, or its host refused a tool, and the iteration came to nothing. Words count unless files are known to have
 * changed; a refusal alone only where they are known to be the same, because one tool that is not allowed stops nobody.
 */
const asks: Condition = (facts) => {
  const { denials, phrases } = facts.signals
  const has = (group: string) => phrases.some(phraseGroup(group))
  const refused = denials.length > 0
  const inWords = has('asks') || (refused && has('ralph-question'))
  if (!refused && !inWords) return finding('asks', 'no', 'the agent asks nobody')
  const moved = movedOn(facts).answer
  return finding('asks', yesNo(moved === 'no' || (inWords && moved === 'unknown')), 'the agent asks for permission')
}

/** Iterations in a row that came to nothing because nobody was there to answer. */
export const asking: StreakPolicy = { when: asks }

/** Nobody answers in a loop: asking once more changes nothing, and a person can end it with one setting. */
export const asksPermission = (limit: number): Rule => ({
  name: 'asks-permission',
  when: ({ streaks, signals }) => {
    const n = streaks.asking?.n ?? 0
    const refused = signals.denials.at(-1)
    return finding(
      'asks-permission',
      yesNo(n >= limit),
      n >= limit
        ? `the agent asked for permission in ${n} iterations in a row and nothing changed${refused === undefined ? '' : `; its host refused ${refused}`}`
        : `${n} iterations in a row in which the agent only asked for permission`,
    )
  },
  decision: { action: 'stop', outcome: 'aborted', ending: 'needs-human' },
})

/** The host refused a tool, so the agent cannot go on until a person allows it. Tools the user listed as allowed do not count. */
export const permissionDenied = (allowedTools: readonly string[]): Rule => ({
  name: 'permission-denied',
  when: ({ signals }) => {
    const denied = signals.denials.filter((denial) => !allowedTools.some((tool) => covers(tool, denial)))
    return finding(
      'permission-denied',
      yesNo(denied.length > 0),
      denied.length > 0 ? `the host refused: ${denied.join(', ')}` : 'nothing was refused',
    )
  },
  decision: { action: 'stop', outcome: 'aborted', ending: 'needs-human' },
})

/** `Bash(npm *)` covers a refused `Bash(npm install x && y)`: then only the compound form of an allowed command was refused. */
function covers(tool: string, denial: string): boolean {
  const pattern = /^Bash\((\S+?)[\s:*]*\*?\)$/.exec(tool)?.[1]
  const command = /^Bash\(\s*(\S+)/.exec(denial)?.[1]
  return pattern !== undefined && (command?.startsWith(pattern) ?? false)
}

/** The agent keeps saying "done" and no check can answer: a person must say how to verify. */
export const unverifiable = (limit: number): Rule => ({
  name: 'unverifiable',
  when: ({ streaks, evidence }) => {
    const n = streaks.unverifiable?.n ?? 0
    const remedy =
      evidence.flakes === undefined
        ? 'name a test command in the configuration'
        : 'tests change their mind on the same files: mend them, or name them in evidence.quarantine'
    return finding(
      'unverifiable',
      yesNo(n >= limit),
      n >= limit
        ? `the agent said that it is done ${n} times and no check could answer; ${remedy}`
        : `${n} claims that no check could answer`,
    )
  },
  decision: { action: 'stop', outcome: 'aborted', ending: 'unverifiable' },
})

/** The agent's text speaks of too many kinds of trouble. */
export const errors = (most: number): Rule => ({
  name: 'errors',
  when: (facts) => {
    const n = errorWords(facts) ?? 0
    return finding('errors', yesNo(n > most), n > most ? `Error count ${n} > threshold ${most}` : `Error count ${n}`)
  },
  decision: { action: 'stop', outcome: 'aborted', ending: 'errors' },
})

/** The agent's language sounds unsure: a person should look. Never a completion. */
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
