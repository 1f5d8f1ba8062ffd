import { count } from '../../../core/src/count.ts'
import { assertionsIn, plainLoss } from '../code/plain-assertions.ts'
import type { Successor } from './originals.ts'

interface Change {
  readonly path: string
  readonly before?: string | undefined
  readonly after?: string | undefined
}

const MOST = 300
const short = (text: string) => {
  const line = text.replace(/\s+/g, ' ').trim()
  return line.length > MOST ? `${line.slice(0, MOST - 1)}…` : line
}

/** In a language without a reader: how the test itself checks less. */
export function lossIn({ path, before = '', after = '' }: Change, name: string): Successor | undefined {
  const loss = plainLoss(path, name, before, after)
  if (loss === undefined) return undefined
  return { is: 'weaker', file: path, name, ...loss, before: short(loss.before), after: short(loss.after) }
}

/** The report names no files: the test is in the one that shows its name. */
export const anyLoss = (around: readonly Change[], name: string): Successor =>
  around.map((change) => lossIn(change, name)).find((loss) => loss !== undefined) ?? { is: 'unread' }

/** In a language without a reader: whether the file asserts less than before. */
export function fewerAssertions({ path, before = '', after }: Change): Successor | undefined {
  if (after === undefined) return { is: 'gone', file: path, before: short(before) }
  const [was, is] = [assertionsIn(before), assertionsIn(after)]
  const why = `${path} contains ${count(is, 'assertion')} instead of ${was}.`
  return is < was ? { is: 'unread', file: path, why } : undefined
}
