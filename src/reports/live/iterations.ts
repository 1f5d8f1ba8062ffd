import type { LoopEvent } from '../../core/loop-event.ts'
import { EMPTY_TAIL, type Tail } from './tail.ts'

type Of<Type extends LoopEvent['type']> = Extract<LoopEvent, { type: Type }>

/** What the view knows of one iteration; 0 is the baseline. */
export interface IterationView {
  readonly iteration: number
  readonly task?: string | undefined
  readonly output: Tail
  /** The output of the checks. */
  readonly printed: Tail
  readonly decided?: Pick<Of<'decided'>, 'verdict' | 'observation' | 'at'>
  readonly diff?: Of<'diff'>
}

const MOST_ITERATIONS = 1_000
/** Of older ones only the decision is kept. */
const WITH_OUTPUT = 30

/** The list with this iteration at its end. A reader that joined later may get it for the second time. */
export function opened(list: readonly IterationView[], iteration: number, task?: string): readonly IterationView[] {
  const at = list.findLastIndex((each) => each.iteration <= iteration)
  const last = list[at]
  if (last?.iteration === iteration)
    return at === list.length - 1 && (task === undefined || task === last.task)
      ? list
      : [...list.slice(0, at), { ...last, task: task ?? last.task }]
  const fresh: IterationView = { iteration, task, output: EMPTY_TAIL, printed: EMPTY_TAIL }
  const before = list.slice(0, at + 1)
  const old = before.length - WITH_OUTPUT
  return [
    ...before.map((each, nth) => (nth === old ? { ...each, output: EMPTY_TAIL, printed: EMPTY_TAIL } : each)),
    fresh,
  ].slice(-MOST_ITERATIONS)
}

/** The list with the last iteration changed. Before the first one, output belongs to the baseline. */
export function withLast(
  { iterations, iteration = 0 }: { readonly iterations: readonly IterationView[]; readonly iteration?: number },
  change: (last: IterationView) => Partial<IterationView>,
): readonly IterationView[] {
  const list = iterations.length === 0 ? opened([], iteration) : iterations
  const last = list.at(-1)!
  return list.with(-1, { ...last, ...change(last) })
}
