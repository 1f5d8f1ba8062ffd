// Which programs this machine has. Scenarios that need a missing one are skipped and listed.
import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'

const known = new Map()

function has(program) {
  if (!known.has(program))
    known.set(
      program,
      (process.env.PATH ?? '').split(delimiter).some((dir) => isProgram(join(dir, program))),
    )
  return known.get(program)
}

function isProgram(path) {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}

/** The first missing program of `needs`, if any. */
export const lacks = ({ needs = [] }) => needs.find((program) => !has(program))
