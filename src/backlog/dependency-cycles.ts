import type { BacklogTask } from './types.ts'

/** Dependencies that nobody can ever meet: on tasks that are not there, and on each other. */
export function knots(tasks: readonly BacklogTask[], file: string): readonly string[] {
  const known = new Map(tasks.map((task) => [task.id, task]))
  const strangers = tasks.flatMap(({ id, after }) =>
    after
      .filter((each) => !known.has(each))
      .map(
        (each) => `${file}: the task "${id}" waits for "${each}", which is not in the list; add it, or leave it out`,
      ),
  )
  if (strangers.length > 0) return strangers
  const circle = circleIn(tasks, known)
  if (circle === undefined) return []
  return [`${file}: the tasks ${circle.map((id) => `"${id}"`).join(' -> ')} wait for each other; take one "after" away`]
}

/** One circle, each task before the one it waits for. Without calls of itself: a list may be as long as it likes. */
function circleIn(
  tasks: readonly BacklogTask[],
  known: ReadonlyMap<string, BacklogTask>,
): readonly string[] | undefined {
  const free = new Set<string>()
  for (const { id: first } of tasks) {
    const path: { readonly id: string; readonly rest: string[] }[] = []
    const onPath = new Set<string>()
    const enter = (id: string): void => {
      path.push({ id, rest: [...(known.get(id)?.after ?? [])] })
      onPath.add(id)
    }
    if (!free.has(first)) enter(first)
    for (let top = path.at(-1); top !== undefined; top = path.at(-1)) {
      const next = top.rest.shift()
      if (next === undefined) {
        path.pop()
        onPath.delete(top.id)
        free.add(top.id)
      } else if (onPath.has(next)) {
        const ids = path.map(({ id }) => id)
        return [...ids.slice(ids.indexOf(next)), next]
      } else if (!free.has(next)) enter(next)
    }
  }
  return undefined
}
