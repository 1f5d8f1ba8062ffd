// Which programs a machine has: a scenario that needs another one is left out by name.
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

/** The first program of `needs` that is not there, or nothing. */
export const lacks = ({ needs = [] }) => needs.find((program) => !has(program))
