import { count } from '../../../core/src/count.ts'
import { assertionsIn, plainChange, plainLoss } from '../code/plain-assertions.ts'
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

/** In a language without a reader: how the test itself checks less, or which values it expects now. */
export function plainSuccessor({ path, before = '', after = '' }: Change, name: string): Successor | undefined {
  const place = { file: path, name }
  const loss = plainLoss(path, name, before, after)
  if (loss !== undefined)
    return { is: 'weaker', ...place, ...loss, before: short(loss.before), after: short(loss.after) }
  const change = plainChange(path, name, before, after)
  if (change === undefined || change.entered.length + change.left.length === 0) return undefined
  const { line, entered } = change
  return { is: 'changed', ...place, line, before: short(change.before), after: short(change.after), entered }
}

/** The report names no files: the test is in the one that shows its name. If none does, a file that checks less stands for it. */
export function anySuccessor(around: readonly Change[], name: string): Successor {
  const found = around.flatMap((change) => plainSuccessor(change, name) ?? [])
  if (found.length > 0) return found.find(({ is }) => is === 'weaker') ?? found[0]!
  const [less] = around.flatMap(({ path, before, after }) => {
    const loss = before === undefined || after === undefined ? undefined : plainLoss(path, path, before, after)
    return loss === undefined ? [] : [{ ...loss, file: path, before: short(loss.before), after: short(loss.after) }]
  })
  return { is: 'unread', ...less }
}

/** In a language without a reader: whether the file asserts less than before. */
export function fewerAssertions({ path, before = '', after }: Change): Successor | undefined {
  if (after === undefined) return { is: 'gone', file: path, before: short(before) }
  const [was, is] = [assertionsIn(before), assertionsIn(after)]
  const why = `${path} contains ${count(is, 'assertion')} instead of ${was}.`
  return is < was ? { is: 'unread', file: path, why } : undefined
}
