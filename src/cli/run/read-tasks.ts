import { readFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { readBacklog, type TextOf } from '../../backlog/read.ts'
import type { Backlog } from '../../backlog/types.ts'
import { fileError, InputError } from '../errors.ts'

const LARGEST = 16 * 1024 * 1024

/** The list of tasks that the person named; prompts in files of their own lie beside it. */
export function readTasks(name: string, cwd: string): { readonly backlog: Backlog; readonly path: string } {
  const path = resolve(cwd, name)
  const textOf: TextOf = (file) => {
    try {
      return { text: textIn(resolve(dirname(path), file)) }
    } catch (error) {
      return { problem: fileError('', '', error).message.trim() }
    }
  }
  let text: string
  try {
    text = textIn(path)
  } catch (error) {
    throw fileError('--tasks', path, error)
  }
  const read = readBacklog(text, name, textOf)
  if ('problems' in read) throw new InputError(read.problems.join('\n'))
  return { backlog: read.backlog, path }
}

function textIn(path: string): string {
  const bytes = readFileSync(path)
  if (bytes.length > LARGEST) throw new Error(`it is larger than ${LARGEST / 1024 / 1024} MB`)
  return bytes.toString('utf8').replace(/^\uFEFF/, '')
}
