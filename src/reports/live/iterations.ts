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

/** The list with this iteration at its end. */
export function opened(list: readonly IterationView[], iteration: number, task?: string): readonly IterationView[] {
  const last = list.at(-1)
  if (last?.iteration === iteration)
    return task === undefined || task === last.task ? list : [...list.slice(0, -1), { ...last, task }]
  const fresh: IterationView = { iteration, task, output: EMPTY_TAIL, printed: EMPTY_TAIL }
  const old = list.length - WITH_OUTPUT
  return [
    ...list.map((each, at) => (at === old ? { ...each, output: EMPTY_TAIL, printed: EMPTY_TAIL } : each)),
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
  return [...list.slice(0, -1), { ...last, ...change(last) }]
}
