/** Where on a board a task lies. */
export type Column = 'doing' | 'todo' | 'blocked' | 'done'

/** Names of the folders, as people and their tools call them. */
const NAMES: Readonly<Record<Column, readonly string[]>> = {
  doing: ['doing', 'in-progress', 'in_progress', 'active', 'wip', 'review'],
  todo: ['todo', 'to-do', 'open', 'backlog', 'pending', 'planned', 'ready', 'next'],
  blocked: ['blocked', 'waiting', 'on-hold'],
  done: ['done', 'completed', 'complete', 'closed', 'finished'],
}
const COLUMNS = new Map(
  (Object.keys(NAMES) as Column[]).flatMap((column) => NAMES[column].map((name) => [name, column])),
)

/** What is kept beside the work: an open task that lands there is not done but gone. */
const ASIDE = /^(?:[_.].*|templates?|archived?|archives|cancell?ed|wont-?fix)$/

/** Boards number their columns: `4.done`, `04-done`. */
const bare = (folder: string) => folder.toLowerCase().replace(/^\d{1,4}[._-]/, '')

export const columnOf = (folder: string): Column | undefined => COLUMNS.get(bare(folder))
export const isAside = (folder: string): boolean => ASIDE.test(bare(folder))

/** Globs of the folders of some columns, wherever they lie. */
export function columnGlobs(...columns: readonly Column[]): string {
  const names = columns.flatMap((column) => NAMES[column]).join(',')
  return `**/{{${names}},[0-9]*[._-]{${names}}}`
}
