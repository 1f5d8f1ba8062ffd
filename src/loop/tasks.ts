import { type Layer, layerOf, merge, type Tree, valueAt } from '../config/merge.ts'
import type { Config } from '../core/config.ts'
import type { State } from '../core/journal/events.ts'
import type { PlanItem } from '../core/loop-event.ts'
import { policyFor } from '../core/presets/index.ts'
import type { PlanProgress, Task } from '../core/run.ts'
import { openBaseline } from '../evidence/baseline/open.ts'
import { type ChecklistItem, MOST_DETAIL } from '../evidence/checks/checklist.ts'
import { planAtStart } from '../evidence/checks/plan-progress.ts'
import { type PlanEntry, planEntries } from '../evidence/plan/entries.ts'
import { planAt, planInBaseline, planNow, planPath } from '../evidence/plan/view.ts'
import type { Baseline, Workspace } from '../evidence/types.ts'
import { openWorkspace } from '../evidence/workspace.ts'

export interface TaskForIteration {
  readonly task?: Task
  readonly plan?: PlanProgress
  /** All items of the plan, for people. */
  readonly items?: readonly PlanItem[]
  readonly problems: readonly string[]
}

/** The task of the next iteration: the one the run was started for, or the next open one of the plan. */
export function taskForIteration(
  { workspace, dir, task }: { readonly workspace: string; readonly dir: string; readonly task?: string },
  config: Config,
  state: State,
): TaskForIteration {
  const only = task ?? state.task
  const own = only === undefined ? {} : { task: { id: only, title: only, done: false } }
  if (config.plan === undefined) return { ...own, problems: [] }
  const { baselineId, skipped = [], previous } = state
  const start = baselineId === undefined ? undefined : openBaseline(dir, { expect: baselineId })
  const { tasks, problems, path, isBoard, markDone } = readTasks(openWorkspace(workspace), config.plan, {
    optionalSections: config.optionalSections,
    plansOnly: policyFor(config).checks.plan.plansOnly,
    ...(start === undefined ? {} : { start }),
  })
  const failing = previous?.failed === undefined ? undefined : previous.task
  const next = nextTask(tasks, { skipped, ...(failing === undefined ? {} : { failing }) })
  if (tasks.length === 0) return { ...own, problems }
  const done = tasks.filter((each) => each.done)
  const open = tasks.filter((each) => !each.done && !skipped.includes(each.id))
  const plan = { path, total: done.length + open.length, done: done.length }
  const items = tasks.slice(0, MOST_ITEMS).map((each): PlanItem => {
    const rest = skipped.includes(each.id) ? 'skipped' : each === next ? 'current' : 'open'
    return { title: each.title, state: each.done ? 'done' : rest }
  })
  if (next === undefined || only !== undefined) return { ...own, problems, plan, items }
  // A task file moves when it is done, so a board has no fixed order.
  const number = isBoard
    ? done.length + 1 + open.indexOf(next)
    : tasks.filter((each) => each.done || open.includes(each)).indexOf(next) + 1
  const item = { number, markDone: markDone.get(next.id) ?? '' }
  return { problems, task: next, plan: { ...plan, item }, items }
}

const MOST_ITEMS = 1_000

interface NextTaskOptions {
  /** Ids of tasks that you skipped. */
  readonly skipped: readonly string[]
  /** The task of the last failed iteration. It stays the next one, even if the agent reorders the plan. */
  readonly failing?: string
}

/** The first task that is neither done nor skipped; undefined if there is none. */
export function nextTask(tasks: readonly Task[], { skipped, failing }: NextTaskOptions): Task | undefined {
  const off = new Set(skipped)
  const open = tasks.filter(({ id, done }) => !done && !off.has(id))
  return open.find(({ id }) => id === failing) ?? open[0]
}

export interface TaskOptions {
  /** Count only items with an NN-MM-PLAN.md in their text. */
  readonly plansOnly?: boolean
  readonly optionalSections?: readonly string[]
  /**
   * The baseline. Names and types of tasks come from it, because the agent can edit the plan. Without it no task has a type, and
   * an edited item has its new name.
   */
  readonly start?: Baseline
}

interface Tasks {
  readonly tasks: readonly Task[]
  /** The plan's path, relative to the workspace. */
  readonly path: string
  /** One file per task, in a folder. */
  readonly isBoard: boolean
  /** By task id: how to mark it as done. */
  readonly markDone: ReadonlyMap<string, string>
  readonly problems: readonly string[]
}

const MOST_PROBLEMS = 20
const MOST_TITLE = 300
const NOTHING = { total: 0, done: 0, open: 0, items: [] }

/** The tasks of a plan, in the order to work on them. Items that were open at the start and disappeared are still included. */
export function readTasks(workspace: Workspace, path: string, options: TaskOptions = {}): Tasks {
  const at = planPath(workspace.dir, path)
  const baseline = options.start
  const reading = { optionalSections: options.optionalSections ?? [], plansOnly: options.plansOnly ?? false }
  const now = planAt(planNow(workspace), at, reading)
  const start = baseline === undefined ? undefined : planAtStart(baseline, { ...reading, path: at })
  const before = typeof start === 'object' ? start : undefined
  const { entries, changes, problems } = planEntries(typeof now === 'string' ? NOTHING : now, before, reading)
  const below = textBelow(planNow(workspace).read(at) ?? '')
  const belowAtStart = textBelow((baseline && planInBaseline(baseline).read(at)) ?? '')
  const isGone = new Set(changes?.deleted)
  const ordered = inOrder(entries, reading.plansOnly)
  const tasks = ordered.map(({ id, item, start: was, done }): Task => {
    const wording = was ?? item
    const detail = item.detail ?? (isGone.has(item) ? belowAtStart : below)(item)
    return {
      ...{ id, title: titleOf(wording), done },
      ...(detail === '' ? {} : { detail: detail.slice(0, MOST_DETAIL) }),
      ...(was?.type === undefined ? {} : { type: was.type }),
    }
  })
  const allProblems = [...(typeof now === 'string' ? [now] : []), ...problems, ...(changes?.problems ?? [])]
  const markDone = new Map(ordered.map((entry) => [entry.id, howToMark(entry, at, isGone.has(entry.item))]))
  const isBoard = entries.some(({ item }) => item.file !== undefined)
  return { tasks, path: at, isBoard, markDone, problems: allProblems.slice(0, MOST_PROBLEMS) }
}

/** What the agent has to do so that the item counts as done. */
function howToMark({ item, start, done }: PlanEntry, path: string, isGone: boolean): string {
  const place = item.file ?? path
  if (isGone) return `put it back into ${place} as it was, marked as done`
  if (item.done && !done && start !== undefined) return `restore it in ${place} as it was, marked as done`
  return item.markDone ?? `tick its box in ${path} (line ${item.line})`
}

function titleOf({ title, text, file }: ChecklistItem): string {
  const name = file === undefined ? text : (title ?? text)
  const line = name.slice(0, MOST_TITLE).replace(/[\u0000-\u001F\u007F-\u009F\u2028\u2029]+/g, ' ')
  return name.length > MOST_TITLE ? `${line} ...` : line
}

/** Stories by priority, boards by column, plans of a roadmap by number, anything else in file order. */
function inOrder(entries: readonly PlanEntry[], plansOnly: boolean): readonly PlanEntry[] {
  const rank = ({ item }: PlanEntry) => item.rank ?? Number.MAX_SAFE_INTEGER
  return [...entries].sort((a, b) => (plansOnly ? (a.id < b.id ? -1 : a.id > b.id ? 1 : 0) : rank(a) - rank(b)))
}

const MOST_LINES = 200
/** Starts a new block. Any other line right below an item continues the item's own text. */
const NEW_BLOCK = /^\s*(?:$|[-*+>|#`~]|\d{1,9}[.)]\s)/

/** The lines below a Markdown item that are indented further than the item, without their indentation. */
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
      if (below.length === 0 && !NEW_BLOCK.test(text)) continue
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

/** Columns before the text; a tab counts as four. */
function marginOf(line: string): number {
  let columns = 0
  for (const char of line.slice(0, MOST_DETAIL)) {
    if (char === ' ') columns += 1
    else if (char === '\t') columns += 4
    else break
  }
  return columns
}

/** Settings of the whole run: a task type can't change them. */
const RUN_SETTINGS = new Set([
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

/** The task type whose overrides apply: the one you chose for the run, else the task's own. */
export function taskTypeOf(task: Task | undefined, config: Config): string | undefined {
  if (config.taskType !== undefined && config.taskType !== '') return config.taskType
  const own = task?.type?.trim().toLowerCase()
  return own === undefined ? undefined : Object.keys(config.taskTypes).find((name) => name.toLowerCase() === own)
}

/**
 * The configuration for one task. A type chosen for the whole run was applied when the configuration was loaded; the task's own
 * type is applied here. Flags and environment variables still win: `sources` tells which values come from them.
 */
export function configForTask(
  config: Config,
  task: Task | undefined,
  sources: ReadonlyMap<string, string> = new Map(),
): Config {
  const type = taskTypeOf(task, config)
  const patch = type === undefined || type === config.taskType ? undefined : config.taskTypes[type]
  if (patch === undefined) return config
  const own = Object.fromEntries(Object.entries(patch).filter(([key]) => !RUN_SETTINGS.has(key)))
  const fromUser = [...sources]
    .filter(([, source]) => /^(?:flag|environment) /.test(source))
    .map(([path, label]) => ({ path, value: valueAt(config, path) ?? null, label }))
  const plain = (tree: Tree): Layer => ({ patch: tree, label: () => '' })
  return merge([plain(config as unknown as Tree), plain(own), layerOf(fromUser)], []).config
}
