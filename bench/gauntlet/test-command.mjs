// The command a user would type to run the visible tests, for the simple loops that check its exit code.
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** `test` of the scenario, otherwise from the current files of the project, which the agent may have changed. */
export function testCommandOf({ test }, dir) {
  if (test !== undefined) return test
  return scriptOf(dir) ?? (existsSync(join(dir, 'Makefile')) ? 'make test' : 'exit 1')
}

function scriptOf(dir) {
  try {
    return JSON.parse(readFileSync(join(dir, 'package.json'), 'utf8')).scripts?.test
  } catch {
    return undefined
  }
}
