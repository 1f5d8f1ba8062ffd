import { type Replayed, replay } from '../../core/journal/replay.ts'
import { askAll } from '../../core/policy/decide.ts'
import { policyFor } from '../../core/presets/index.ts'
import { readEvents } from '../../journal/read.ts'
import { explainText } from '../../reports/explain-text.ts'
import { InputError } from '../errors.ts'
import type { Io } from '../io.ts'
import { LOOK_OPTIONS, type LookValues } from '../look-options.ts'
import { parse, wholeNumber } from '../parse.ts'
import { placeOf } from '../place.ts'
import { taskPlace } from '../task-place.ts'
import { usesColor } from '../terminal.ts'
import { workspaceOf } from '../workspace.ts'

export const OPTIONS = { ...LOOK_OPTIONS, run: { type: 'string' } } as const

/** `exitgate explain`: decide that iteration again on the same facts, and show every rule with its answer. */
export async function run(args: readonly string[], io: Io): Promise<number> {
  const { values, words } = parse<LookValues & { run?: string }>('explain', args, OPTIONS, 1)
  const workspace = workspaceOf(io.cwd, values.dir)
  const place = placeOf(workspace, values['state-dir'], io)
  const { dir, run } = taskPlace({ workspace, dir: place.dir }, values.run) ?? { dir: place.dir, run: values.run }
  const iteration = wholeNumber('the iteration', words[0], 1)
  const found = find(dir, run, iteration)
  if (found === undefined) throw new InputError(notFound(values.run, iteration))
  const rules = askAll(found.decision.facts, found.policy)
  if (values.json) io.stdout.write(`${JSON.stringify(document(found, rules))}\n`)
  else io.stdout.write(explainText(found, rules, { color: usesColor(io.stdout, io.env, values['no-color']) }))
  return 0
}

/** The last decision that fits; of a run named by its id, else of the newest run. */
function find(dir: string, run: string | undefined, iteration: number | undefined): Replayed | undefined {
  let found: Replayed | undefined
  for (const replayed of replay(readEvents(dir), policyFor)) {
    if (run !== undefined && replayed.before.run !== run) continue
    if (iteration !== undefined && replayed.event.iteration !== iteration) continue
    found = replayed
  }
  return found
}

function notFound(run: string | undefined, iteration: number | undefined): string {
  if (run === undefined && iteration === undefined) return 'nothing has been decided here yet; run exitgate check first'
  const what = [iteration !== undefined && `iteration ${iteration}`, run !== undefined && `run ${run}`]
    .filter(Boolean)
    .join(' of ')
  return `there is no decision for ${what}; exitgate history lists them`
}

function document({ event, before, policy, decision, same }: Replayed, rules: ReturnType<typeof askAll>): object {
  const { iteration, at } = event
  const { trace: _trace, ...verdict } = decision.verdict
  return {
    run: before.run,
    preset: policy.preset,
    iteration,
    at,
    ...verdict,
    rules,
    weaker: policy.weaker,
    same,
    recorded: event.verdict,
  }
}
