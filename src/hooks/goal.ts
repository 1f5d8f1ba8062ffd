import { join } from 'node:path'
import { type Fields, fieldsOf, textIn } from './fields.ts'
import { readJsonFile, writeJsonFile } from './json-file.ts'

/** What the person wants to have reached before the agent may stop. */
export interface Goal {
  readonly text: string
  /** The run of the journal in which every stop is an iteration. */
  readonly run: string
  readonly at: number
  readonly plan?: string
  /** Absent as long as it counts. */
  readonly ended?: GoalEnd
}

interface GoalEnd {
  /** `completed/verified`, or `stopped` when a person gave it up. */
  readonly outcome: string
  readonly reason: string
  readonly at: number
}

const FILE = 'goal.json'
const fileOf = (stateDir: string): string => join(stateDir, FILE)
/** A file that is there and cannot be read holds a goal of which nothing is known: it still counts. */
const UNREADABLE: Goal = { text: '(the goal cannot be read)', run: '', at: 0 }

/** The last goal of a workspace, whether it counts or not. */
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

/** The goal that counts now. */
export function goalOf(stateDir: string): Goal | undefined {
  const goal = readGoal(stateDir)
  return goal?.ended === undefined ? goal : undefined
}

export function writeGoal(stateDir: string, goal: Goal): void {
  writeJsonFile(fileOf(stateDir), { v: 1, ...goal })
}
