// The command a person would type to run the visible tests, for the plain loops that look at its exit code.
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** `test` of the scenario, else what the files of the project say at this moment; the agent may have changed them. */
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
