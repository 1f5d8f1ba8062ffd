import { join } from 'node:path'
import { type Fields, fieldsOf, textIn } from './fields.ts'
import { readJsonFile, writeJsonFile } from './json-file.ts'

/** What the agent must reach before it may stop. */
export interface Goal {
  readonly text: string
  /** The run in the journal. Every stop is an iteration of it. */
  readonly run: string
  readonly at: number
  readonly plan?: string
  /** Absent while the goal is active. */
  readonly ended?: GoalEnd
}

interface GoalEnd {
  /** `completed/verified`, or `stopped` if the user cleared the goal. */
  readonly outcome: string
  readonly reason: string
  readonly at: number
}

const FILE = 'goal.json'
const fileOf = (stateDir: string): string => join(stateDir, FILE)
/** An unreadable file still counts as a goal. */
const UNREADABLE: Goal = { text: '(the goal cannot be read)', run: '', at: 0 }

/** The last goal of a workspace, active or not. */
export function readGoal(stateDir: string): Goal | undefined {
  const kept = readJsonFile(fileOf(stateDir))
  if (kept === undefined) return undefined
  if (kept === 'broken') return UNREADABLE
  const plan = textIn(kept, 'plan')
  const ended = fieldsOf(kept.ended)
  return {
    text: textIn(kept, 'text') ?? UNREADABLE.text,
    run: textIn(kept, 'run') ?? '',
    at: typeof kept.at === 'number' ? kept.at : 0,
    ...(plan === undefined ? {} : { plan }),
    ...(ended === undefined ? {} : { ended: endIn(ended) }),
  }
}

const endIn = (ended: Fields): GoalEnd => ({
  outcome: textIn(ended, 'outcome') ?? 'stopped',
  reason: textIn(ended, 'reason') ?? '',
  at: typeof ended.at === 'number' ? ended.at : 0,
})

/** The active goal. */
export function goalOf(stateDir: string): Goal | undefined {
  const goal = readGoal(stateDir)
  return goal?.ended === undefined ? goal : undefined
}

export function writeGoal(stateDir: string, goal: Goal): void {
  writeJsonFile(fileOf(stateDir), { v: 1, ...goal })
}
