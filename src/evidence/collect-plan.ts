import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Answer, Evidence } from '../types.ts'
import { type Checklist, type ChecklistOptions, compareChecklists } from './checks/checklist.ts'
import { planOf } from './plan-text.ts'

export interface PlanOptions extends ChecklistOptions {
  /** The plan as it was at the start: items that vanished since are still open. */
  readonly before?: Checklist
  readonly tree?: string
}

const NAMED = 3

/** The plan in a file; a sentence when it cannot be had. */
export function readPlan(dir: string, path: string, options: ChecklistOptions = {}): Checklist | string {
  let text: string
  try {
    text = readFileSync(resolve(dir, path), 'utf8')
  } catch (error) {
    const missing = (error as NodeJS.ErrnoException).code === 'ENOENT'
    return missing
      ? `The plan ${path} does not exist.`
      : `The plan ${path} cannot be read: ${(error as Error).message}.`
  }
  return planOf(path, text, options)
}

function judge(path: string, plan: Checklist, options: PlanOptions): Pick<Evidence, 'answer' | 'detail' | 'counts'> {
  const changes = options.before === undefined ? undefined : compareChecklists(options.before, plan)
  const { total, done, open } = changes ?? plan
  if (total === 0) {
    const what = options.plansOnly === true ? 'names no plan (NN-MM-PLAN.md)' : 'holds no required item'
    return { answer: 'unknown', detail: `The plan ${path} ${what}.`, counts: { total, done, open } }
  }
  const required = plan.items.filter((item) => !item.done && !item.optional)
  const names = required.slice(0, NAMED).map((item) => `"${item.text}" (line ${item.line})`)
  const more = required.length > NAMED ? ` and ${required.length - NAMED} more` : ''
  const sentences = [`${done} of ${total} items of ${path} are ticked.`]
  if (names.length > 0) sentences.push(`Open: ${names.join(', ')}${more}.`)
  sentences.push(...(changes?.problems ?? []))
  const answer: Answer = open > 0 ? 'no' : 'yes'
  return { answer, detail: sentences.join(' '), counts: { total, done, open } }
}

/** The `checklist` check: is every required item of the plan ticked? */
export function collectPlan(dir: string, path: string, options: PlanOptions = {}): Evidence {
  const started = performance.now()
  const plan = readPlan(dir, path, options)
  const found = typeof plan === 'string' ? { answer: 'unknown' as const, detail: plan } : judge(path, plan, options)
  return { check: 'checklist', ...found, ms: Math.round(performance.now() - started), tree: options.tree ?? '' }
}
