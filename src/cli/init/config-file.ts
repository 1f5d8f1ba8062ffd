import { existsSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { ConfigError } from '../../config/errors.ts'
import { FILE_NAMES, packageConfig } from '../../config/find.ts'
import type { Migration, OldTool } from '../../config/migrate/carry.ts'
import { SYSTEMS } from '../../config/migrate/index.ts'
import { type Format, render } from '../../config/render.ts'
import type { ConfigPatch, PresetName } from '../../core/config.ts'
import { errorCode } from '../../system/files.ts'
import type { Io } from '../io.ts'
import { oneOf } from '../parse.ts'

/** Settings files of the older tools are small; a big file is something else. */
const MAX_BYTES = 1024 * 1024

/** The older tools that seem to be used here. */
export const systemsIn = (dir: string): readonly OldTool[] =>
  SYSTEMS.filter(({ markers }) => markers.some((file) => existsSync(join(dir, file))))

export function systemNamed(name: string): OldTool {
  const names = SYSTEMS.map((system) => system.name)
  const known = oneOf('--from', name, names)
  return SYSTEMS[names.indexOf(known)]!
}

/** The minimum for a new project. Everything else has a default. */
export function fresh(preset: PresetName = 'default'): Migration {
  const patch: ConfigPatch = { preset, limits: { iterations: 50, minutes: 480 } }
  return { patch, carried: [], noCounterpart: [] }
}

export function migrated(system: OldTool, dir: string, io: Io, preset: PresetName | undefined): Migration {
  const texts = Object.fromEntries(
    system.files.flatMap((file) => {
      const text = textIn(join(dir, file), file)
      return text === undefined ? [] : [[file, text]]
    }),
  )
  const isSet = system.variables.some((name) => (io.env[name] ?? '') !== '')
  if (Object.keys(texts).length === 0 && !isSet) {
    throw new ConfigError(`No settings of ${system.name} found here: none of ${system.files.join(', ')} exists.`)
  }
  const migration = system.migrate(texts, io.env)
  return preset === undefined ? migration : { ...migration, patch: { ...migration.patch, preset } }
}

function textIn(path: string, name: string): string | undefined {
  const stat = statSync(path, { throwIfNoEntry: false })
  if (!stat?.isFile()) return undefined
  if (stat.size > MAX_BYTES) throw new ConfigError(`${name}: ${stat.size} bytes is too large for a settings file.`)
  try {
    return readFileSync(path, 'utf8')
  } catch (thrown) {
    throw new ConfigError(`${name} can't be read (${errorCode(thrown)}).`)
  }
}

/** With a second configuration, every later command would fail. */
export function assertOnlyConfig(file: string, dir: string): void {
  const other = FILE_NAMES.find((name) => name !== file && existsSync(join(dir, name)))
  if (other !== undefined) throw new ConfigError(`${other} already exists. Remove it before you write ${file}.`)
  if (packageConfig(dir, join(dir, 'package.json')) !== undefined) {
    throw new ConfigError(`package.json already has a key "exitgate". Remove it before you write ${file}.`)
  }
}

export function textOf(migration: Migration, format: Format, dir: string, system: OldTool | undefined): string {
  const shipped = './node_modules/exitgate/config.schema.json'
  const comments = new Map(
    migration.carried.map((line) => {
      const [, from, name, path] = /^(.*?): (.*) -> (\S+) = /.exec(line)!
      return [path!, name === 'plan' || name === 'roadmap' ? from! : `${name} in ${from}`]
    }),
  )
  return render(migration.patch, {
    format,
    schema: existsSync(join(dir, shipped)) ? shipped : undefined,
    head: [
      system === undefined ? 'exitgate configuration.' : `exitgate configuration, imported from ${system.name}.`,
      '`exitgate config` prints every setting and where it comes from.',
    ],
    comments,
  })
}
