import { type Layer, layerOf, merge, type Tree, valueAt } from '../config/merge.ts'
import type { Config } from '../core/config.ts'
import type { State } from '../core/journal/events.ts'
import { policyFor } from '../core/presets/index.ts'
import type { Task } from '../core/run.ts'
import { openBaseline } from '../evidence/baseline/open.ts'
import { type ChecklistItem, MOST_DETAIL } from '../evidence/checks/checklist.ts'
import { planAtStart } from '../evidence/checks/plan-progress.ts'
import { type PlanEntry, planEntries } from '../evidence/plan/entries.ts'
import { planAt, planNow, planPath, planThen } from '../evidence/plan/view.ts'
import type { Baseline, Workspace } from '../evidence/types.ts'
import { openWorkspace } from '../evidence/workspace.ts'

export interface TaskForIteration {
  readonly task?: Task
  readonly problems: readonly string[]
}

/** What the next iteration is about: the one task the run was started for, or the next one of the plan. */
export function taskForIteration(
  { workspace, dir, task }: { readonly workspace: string; readonly dir: string; readonly task?: string },
  config: Config,
  state: State,
): TaskForIteration {
  const only = task ?? state.task
  if (only !== undefined) return { task: { id: only, title: only, done: false }, problems: [] }
  if (config.plan === undefined) return { problems: [] }
  const { baselineId, skipped = [], previous } = state
  const start = baselineId === undefined ? undefined : openBaseline(dir, { expect: baselineId })
  const { tasks, problems } = readTasks(openWorkspace(workspace), config.plan, {
    optionalSections: config.optionalSections,
    plansOnly: policyFor(config).checks.plan.plansOnly,
    ...(start === undefined ? {} : { start }),
  })
  const failing = previous?.failed === undefined ? undefined : previous.task
  const next = nextTask(tasks, { skipped, ...(failing === undefined ? {} : { failing }) })
  return { problems, ...(next === undefined ? {} : { task: next }) }
}

interface NextTaskOptions {
  /** Ids of tasks that a person took off the list. */
  readonly skipped: readonly string[]
  /** The task of the iteration that failed last: it stays the next one, whatever order the agent gives the plan. */
  readonly failing?: string
}

/** The first task that is neither done nor skipped; undefined when nothing is left to do. */
export function nextTask(tasks: readonly Task[], { skipped, failing }: NextTaskOptions): Task | undefined {
  const off = new Set(skipped)
  const open = tasks.filter(({ id, done }) => !done && !off.has(id))
  return open.find(({ id }) => id === failing) ?? open[0]
}

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

interface Tasks {
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

const MOST_LINES = 200
/** What begins something of its own; any other line that follows at once is still the item's own sentence. */
const BEGINS = /^\s*(?:$|[-*+>|#`~]|\d{1,9}[.)]\s)/

/** What stands below an item of a Markdown text, further in than the item itself: its details, without their margin. */
function textBelow(markdown: string): (item: ChecklistItem) => string {
  const lines = markdown.split(/\r\n|\n|\r/)
  return ({ line, file }) => {
    const first = lines[line - 1]
    if (file !== undefined || first === undefined) return ''
    const margin = marginOf(first)
    const below: string[] = []
    let length = 0
    for (const text of lines.slice(line, line + MOST_LINES)) {
      if (text.trim() !== '' && marginOf(text) <= margin) break
      if (below.length === 0 && !BEGINS.test(text)) continue
      below.push(text.slice(0, MOST_DETAIL))
      length += text.length
      if (length > MOST_DETAIL) break
    }
    const inner = Math.min(...below.filter((text) => text.trim() !== '').map(marginOf))
    return below
      .map((text) => text.replaceAll('\t', '    ').slice(Number.isFinite(inner) ? inner : 0))
      .join('\n')
      .trim()
  }
}

/** Columns before the text; a tab is four of them. */
function marginOf(line: string): number {
  let columns = 0
  for (const char of line.slice(0, MOST_DETAIL)) {
    if (char === ' ') columns += 1
    else if (char === '\t') columns += 4
    else break
  }
  return columns
}

/** These belong to the run and not to one of its tasks: no kind of task lifts a limit, changes the gate or the list of work. */
const OF_THE_RUN = new Set([
  'preset',
  'taskType',
  'taskTypes',
  'plan',
  'optionalSections',
  'limits',
  'run',
  'files',
  'baseline',
])

/** The kind whose overrides count for a task: the one that the person chose for the run, else the one of the task itself. */
export function taskTypeOf(task: Task | undefined, config: Config): string | undefined {
  if (config.taskType !== undefined && config.taskType !== '') return config.taskType
  const own = task?.type?.trim().toLowerCase()
  return own === undefined ? undefined : Object.keys(config.taskTypes).find((name) => name.toLowerCase() === own)
}

/**
 * The configuration by which a task is judged. What the person chose for the whole run was applied when it was loaded; the
 * task's own kind is laid over the rest. Flags and environment win here as they do there: `sources` says which values are theirs.
 */
export function configForTask(
  config: Config,
  task: Task | undefined,
  sources: ReadonlyMap<string, string> = new Map(),
): Config {
  const type = taskTypeOf(task, config)
  const patch = type === undefined || type === config.taskType ? undefined : config.taskTypes[type]
  if (patch === undefined) return config
  const own = Object.fromEntries(Object.entries(patch).filter(([key]) => !OF_THE_RUN.has(key)))
  const byPerson = [...sources]
    .filter(([, source]) => /^(?:flag|environment) /.test(source))
    .map(([path, label]) => ({ path, value: valueAt(config, path) ?? null, label }))
  const plain = (tree: Tree): Layer => ({ patch: tree, label: () => '' })
  return merge([plain(config as unknown as Tree), plain(own), layerOf(byPerson)], []).config
}
