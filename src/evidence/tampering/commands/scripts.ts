import { isCiFile } from '../../test-files.ts'
import type { Changes } from '../changes.ts'
import { runsInstead } from '../machinery/handed-on.ts'
import type { TamperFinding } from '../types.ts'
import { classify } from './classify.ts'
import { recipesIn } from './read-recipes.ts'
import { recipeFindings } from './recipe.ts'

/** Scripts whose commands matter although nothing in their text says so. */
const WATCHED =
  /(?:^|[:._-])(?:test|tests|spec|check|verify|ci|lint|typecheck|coverage|e2e|unit|integration|validate|prepublishOnly|precommit|pre-commit|pre-push)(?:$|[:._-])/i

/** What was done to the commands by which the project is tested. */
export function scriptFindings(changes: Changes): TamperFinding[] {
  return changes.all.flatMap((change): TamperFinding[] => {
    if (isCiFile(change.path) || /(?:^|\/)node_modules\//.test(change.path) || change.before === undefined) return []
    const was = recipesIn(change.path, change.before)
    if (!was || was.length === 0) return []
    const now = change.after === undefined ? [] : (recipesIn(change.path, change.after) ?? [])
    const hook = /(?:^|\/)(?:\.husky|\.git\/hooks)\//.test(change.path)
    // A whole file that is gone with its project is no edit of a script; a script of its own is.
    if (change.after === undefined && /\.(?:json|toml|ini|cfg)$/.test(change.path)) return []
    const running = new Set(
      now
        .flatMap(({ commands }) => commands)
        .map(classify)
        .filter(({ command }) => command.masked === undefined)
        .map(({ name }) => name),
    )
    const tests = now
      .flatMap(({ commands }) => commands)
      .filter((command) => command.masked === undefined && classify(command).purpose === 'test').length
    return was.flatMap((before) => {
      const after = now.find(({ name }) => name === before.name)
      const watched =
        WATCHED.test(before.name) || before.commands.some((command) => classify(command).purpose === 'test')
      if (
        !watched ||
        /(?:^|[:._-])(?:fix|watch|dev|debug|update|report|open|ui|clean|format)(?:$|[:._-])/i.test(before.name)
      )
        return []
      return recipeFindings(before, after, {
        file: change.path,
        lost: hook ? 'gate-touched' : 'script-changed',
        lint: LINT_NAME.test(before.name) ? 'block' : 'warn',
        instead: (command, lost) => runsInstead(command, lost, change.path, (path) => changes.after.read(path)),
        elsewhere: (lost) =>
          before.name !== 'test' &&
          (running.has(lost.name) ||
            (after === undefined && tests > 0 && !/^(?:test|ci|check|verify)$/.test(before.name))),
      })
    })
  })
}

const LINT_NAME = /lint|typecheck|type-check|^types$|stan|analy[sz]e|vet|clippy/i
