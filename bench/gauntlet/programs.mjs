// Which programs and packages this machine has. Scenarios that need a missing one are skipped and listed.
import { accessSync, constants, existsSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

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

/** Where packages of npm can be: installed for the project, or with `npm install --prefix .tools/runners`. */
const PACKAGES = ['../../node_modules', '../../.tools/runners/node_modules'].map((path) =>
  fileURLToPath(new URL(path, import.meta.url)),
)
const packageAt = (name) => PACKAGES.map((dir) => join(dir, name)).find((dir) => existsSync(dir))

/** The first missing program of `needs` or package of `packages`, if any. */
export const lacks = ({ needs = [], packages = [] }) =>
  needs.find((program) => !has(program)) ?? packages.find((name) => packageAt(name) === undefined)

/** Packages as if they were installed in a workspace: links to them, and to their programs. */
export function linkPackages(dir, packages) {
  for (const name of packages) {
    const from = packageAt(name)
    const to = join(dir, 'node_modules', name)
    mkdirSync(join(dir, 'node_modules/.bin'), { recursive: true })
    mkdirSync(dirname(to), { recursive: true })
    symlinkSync(from, to)
    const { bin = {} } = JSON.parse(readFileSync(join(from, 'package.json'), 'utf8'))
    const programs = typeof bin === 'string' ? { [name]: bin } : bin
    for (const [program, path] of Object.entries(programs))
      symlinkSync(join('..', name, path), join(dir, 'node_modules/.bin', program))
  }
}
