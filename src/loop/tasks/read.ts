import type { Task } from '../../core/run.ts'
import { type ChecklistItem, MOST_DETAIL } from '../../evidence/checks/checklist.ts'
import { planAtStart } from '../../evidence/checks/plan-progress.ts'
import { type PlanEntry, planEntries } from '../../evidence/plan/entries.ts'
import { planAt, planNow, planPath, planThen } from '../../evidence/plan/view.ts'
import type { Baseline, Workspace } from '../../evidence/types.ts'
import { textBelow } from './text-below.ts'

export interface TaskOptions {
  /** Only items that name an NN-MM-PLAN.md count. */
  readonly plansOnly?: boolean
  readonly optionalSections?: readonly string[]
  /**
   * What was so before the first iteration. Names and types come from there, because the agent can edit the plan: without it
   * no task has a type, and an edited item has the name it was edited to.
   */
  readonly start?: Baseline
}

export interface Tasks {
  readonly tasks: readonly Task[]
  readonly problems: readonly string[]
}

const MOST_PROBLEMS = 20
const MOST_TITLE = 300
const NOTHING = { total: 0, done: 0, open: 0, items: [] }

/** The list of work, in the order in which it should be done. What was open at the start and vanished is still on it. */
export function readTasks(workspace: Workspace, path: string, options: TaskOptions = {}): Tasks {
  const at = planPath(workspace.dir, path)
  const baseline = options.start
  const reading = { optionalSections: options.optionalSections ?? [], plansOnly: options.plansOnly ?? false }
  const now = planAt(planNow(workspace), at, reading)
  const start = baseline === undefined ? undefined : planAtStart(baseline, { ...reading, path: at })
  const before = typeof start === 'object' ? start : undefined
  const { entries, changes, problems } = planEntries(typeof now === 'string' ? NOTHING : now, before, reading)
  const below = textBelow(planNow(workspace).read(at) ?? '')
  const belowThen = textBelow((baseline && planThen(baseline).read(at)) ?? '')
  const isGone = new Set(changes?.deleted)
  const tasks = inOrder(entries, reading.plansOnly).map(({ id, item, start: was, done }): Task => {
    const wording = was ?? item
    const detail = item.detail ?? (isGone.has(item) ? belowThen : below)(item)
    return {
      ...{ id, title: titleOf(wording), done },
      ...(detail === '' ? {} : { detail: detail.slice(0, MOST_DETAIL) }),
      ...(was?.type === undefined ? {} : { type: was.type }),
    }
  })
  const said = [...(typeof now === 'string' ? [now] : []), ...problems, ...(changes?.problems ?? [])]
  return { tasks, problems: said.slice(0, MOST_PROBLEMS) }
}

function titleOf({ title, text, file }: ChecklistItem): string {
  const words = file === undefined ? text : (title ?? text)
  const line = words.slice(0, MOST_TITLE).replace(/[\u0000-\u001F\u007F-\u009F\u2028\u2029]+/g, ' ')
  return words.length > MOST_TITLE ? `${line} ...` : line
}

/** Stories by priority, boards by column, the plans of a roadmap by number; all else as it stands. */
function inOrder(entries: readonly PlanEntry[], plansOnly: boolean): readonly PlanEntry[] {
  const rank = ({ item }: PlanEntry) => item.rank ?? Number.MAX_SAFE_INTEGER
  return [...entries].sort((a, b) => (plansOnly ? (a.id < b.id ? -1 : a.id > b.id ? 1 : 0) : rank(a) - rank(b)))
}
