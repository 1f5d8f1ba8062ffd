import { posix } from 'node:path'
import { findFiles } from '../find-files.ts'
import { columnGlobs } from '../plan/task-folder.ts'
import type { Check } from '../types.ts'
import { type CheckAnswer, type CheckDefinition, checkOf } from './definition.ts'

export interface TaskDoneOptions {
  /** The id of the task: part of its file's name. */
  readonly task?: string
  /** Globs of the folders for finished tasks. */
  readonly done?: readonly string[]
  /** Globs of the folders for open tasks; by default everything next to the done folder. */
  readonly open?: readonly string[]
}

const DONE = [columnGlobs('done')]
const OPEN = [columnGlobs('doing', 'todo', 'blocked')]

export const taskDone: CheckDefinition = {
  name: 'task-done',
  onlyListed: true,
  checksFor: ({ task }) => (task === undefined ? [] : [taskDoneCheck({ task })]),
}

/** The `task-done` check: is the task's file in a done folder, and no longer in an open one? */
export function taskDoneCheck(options: TaskDoneOptions): Check {
  return checkOf('task-done', async ({ workspace }) => {
    const listed = await workspace.list()
    const filesIn = (folders: readonly string[]) =>
      folders.flatMap((folder) => findFiles(workspace, listed, `${folder.replace(/\/$/, '')}/**`))
    return judge(options, filesIn, (path) => workspace.read(path))
  })
}

function judge(
  options: TaskDoneOptions,
  filesIn: (folders: readonly string[]) => readonly string[],
  read: (path: string) => string | undefined,
): CheckAnswer {
  const task = options.task?.trim() ?? ''
  if (task === '') return { answer: 'unknown', detail: 'No task is set, so there is no task file to look for.' }
  const ofTask = nameContains(task)
  const done = unique(filesIn(options.done ?? DONE).filter(ofTask))
  const doneFolders = options.done ?? done.map(posix.dirname)
  const openFolders = options.open ?? [...OPEN, ...doneFolders.map(posix.dirname).filter(isNarrow)]
  const open = unique(filesIn(openFolders).filter((path) => ofTask(path) && !done.includes(path)))
  const counts = { done: done.length, open: open.length }
  if (open.length > 0) {
    const also = done.length > 0 ? `, even though ${done[0]} exists too` : ''
    return { answer: 'no', detail: `The task ${task} is still open: ${open[0]}${also}.`, counts }
  }
  if (done.length === 0) {
    return {
      answer: 'unknown',
      detail: `No file for the task ${task} was found in a done folder or next to one.`,
      counts,
    }
  }
  const empty = done.find((path) => read(path)?.trim() === '')
  if (empty !== undefined) return { answer: 'no', detail: `The task file ${empty} is empty.`, counts }
  return { answer: 'yes', detail: `The task ${task} is in ${done[0]} and in no open folder.`, counts }
}

const unique = (paths: readonly string[]) => [...new Set(paths)].sort()

/** Next to a done folder at the very top is the entire project, where many names contain a number. */
const isNarrow = (folder: string) => folder !== '.' && !folder.endsWith('**')

/** `014` is in `002-014-smart.md`, and not in `0145.md` or `old-014.md`. A name without a number at its end is complete. */
function nameContains(task: string): (path: string) => boolean {
  const escaped = task.replace(/[\\^$.|+()[\]{}*?]/g, '\\$&')
  const rest = /\p{N}$/u.test(task) ? '(?:[^\\p{L}\\p{N}].*)?' : '(?:\\.\\p{L}+)?'
  const pattern = new RegExp(`^(?:\\p{N}+[^\\p{L}\\p{N}]+)*${escaped}${rest}$`, 'iu')
  return (path) => pattern.test(posix.basename(path))
}
