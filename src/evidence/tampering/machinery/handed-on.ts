import { posix } from 'node:path'
import { type Classified, classify } from '../commands/classify.ts'
import { readCommands } from '../commands/shell.ts'
import { namedFiles } from './named-files.ts'
import { isShell } from './script-text.ts'
import { handsFailureOn } from './test-program.ts'

/**
 * Whether a command leads to a file of the project that runs what another command ran; undefined when it leads to no file of
 * the project, so that nothing can be said.
 */
export function runsInstead(
  command: Classified,
  lost: Classified,
  file: string,
  read: (path: string) => string | undefined,
): boolean | undefined {
  const named = namedFiles([{ command: command.command.text, cwd: posix.dirname(file) }], read)
  if (named.length === 0) return undefined
  return named.some((path) => {
    const text = read(path) ?? ''
    if (!isShell(path, text))
      return lost.name.split(' ').every((word) => text.includes(word)) && handsFailureOn(path, text)
    return readCommands(text).some((each) => each.masked === undefined && classify(each).name === lost.name)
  })
}
