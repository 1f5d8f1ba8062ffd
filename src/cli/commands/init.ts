import { existsSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { ConfigError } from '../../config/errors.ts'
import { FILE_NAMES, packageConfig } from '../../config/find.ts'
import type { Migration, System } from '../../config/migrate/carry.ts'
import { SYSTEMS } from '../../config/migrate/index.ts'
import { type Format, render } from '../../config/render.ts'
import { PRESET_NAMES } from '../../config/schema.ts'
import type { ConfigPatch, PresetName } from '../../config/types.ts'
import { writeConfigFile } from '../../config/write-file.ts'
import type { Io } from '../io.ts'
import { oneOf, parse } from '../parse.ts'
import { workspaceOf } from '../workspace.ts'

export const OPTIONS = {
  from: { type: 'string' },
  preset: { type: 'string' },
  format: { type: 'string' },
  force: { type: 'boolean' },
  'dry-run': { type: 'boolean' },
  dir: { type: 'string' },
  json: { type: 'boolean' },
} as const

interface Values {
  readonly from?: string
  readonly preset?: string
  readonly format?: string
  readonly force?: boolean
  readonly 'dry-run'?: boolean
  readonly dir?: string
  readonly json?: boolean
}

/** Files of the older tools are small; a big one was something else. */
const MAX_BYTES = 1024 * 1024

/** `exitgate init`: write a configuration, with the settings of an older tool if one is named. */
export async function run(args: readonly string[], io: Io): Promise<number> {
  const { values } = parse<Values>('init', args, OPTIONS)
  const dir = workspaceOf(io.cwd, values.dir)
  const format = oneOf('--format', values.format ?? 'json', ['json', 'yaml'])
  const preset = values.preset === undefined ? undefined : oneOf('--preset', values.preset, PRESET_NAMES)
  const system = values.from === undefined ? undefined : systemNamed(values.from)
  const found = SYSTEMS.filter(({ signs }) => signs.some((sign) => existsSync(join(dir, sign))))
  const migration = system === undefined ? fresh(preset) : migrated(system, dir, io, preset)
  const file = `exitgate.config.${format}`
  const text = textOf(migration, format, dir, system)

  roomFor(file, dir)
  const written = values['dry-run'] !== true
  if (written) writeConfigFile(join(dir, file), text, { force: values.force === true })
  const report = { file, written, found: found.map(({ name }) => name), ...migration }
  if (values.json) io.stdout.write(`${JSON.stringify({ ...report, text }, null, 2)}\n`)
  else {
    if (!written) io.stdout.write(text)
    io.stderr.write(summary(report, system))
  }
  return 0
}

function systemNamed(name: string): System {
  const names = SYSTEMS.map((system) => system.name)
  const known = oneOf('--from', name, names)
  return SYSTEMS[names.indexOf(known)]!
}

/** The least a new project needs; everything else has a default that `exitgate config` shows. */
function fresh(preset: PresetName = 'default'): Migration {
  const patch: ConfigPatch = { preset, limits: { iterations: 50, minutes: 480 } }
  return { patch, carried: [], noCounterpart: [] }
}

function migrated(system: System, dir: string, io: Io, preset: PresetName | undefined): Migration {
  const texts = Object.fromEntries(
    system.files.flatMap((file) => {
      const text = textIn(join(dir, file), file)
      return text === undefined ? [] : [[file, text]]
    }),
  )
  const isSet = system.variables.some((name) => (io.env[name] ?? '') !== '')
  if (Object.keys(texts).length === 0 && !isSet) {
    throw new ConfigError(`there is nothing of ${system.name} here: none of ${system.files.join(', ')} exists.`)
  }
  const migration = system.migrate(texts, io.env)
  return preset === undefined ? migration : { ...migration, patch: { ...migration.patch, preset } }
}

function textIn(path: string, name: string): string | undefined {
  const stat = statSync(path, { throwIfNoEntry: false })
  if (!stat?.isFile()) return undefined
  if (stat.size > MAX_BYTES) throw new ConfigError(`${name}: ${stat.size} bytes are too many for a settings file.`)
  try {
    return readFileSync(path, 'utf8')
  } catch (thrown) {
    throw new ConfigError(`${name}: it cannot be read (${(thrown as NodeJS.ErrnoException).code}).`)
  }
}

/** A second configuration beside an existing one would make every later command fail. */
function roomFor(file: string, dir: string): void {
  const other = FILE_NAMES.find((name) => name !== file && existsSync(join(dir, name)))
  if (other !== undefined) throw new ConfigError(`${other} is here already; take it away before you write ${file}.`)
  if (packageConfig(dir, join(dir, 'package.json')) !== undefined) {
    throw new ConfigError(`package.json has a key "exitgate" already; take it out before you write ${file}.`)
  }
}

function textOf(migration: Migration, format: Format, dir: string, system: System | undefined): string {
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
      system === undefined ? 'Settings of exitgate.' : `Settings of exitgate, carried over from ${system.name}.`,
      '`exitgate config` prints every value and where it came from.',
    ],
    comments,
    tail: system === undefined ? TAIL : [],
  })
}

const TAIL = [
  '',
  'Commands are found by themselves where possible; name them where not:',
  'commands:',
  '  test: npm test',
  '  build: npm run build',
  'A checklist that must be ticked before the run may complete:',
  'plan: PLAN.md',
]

function summary(
  report: Migration & { readonly file: string; readonly written: boolean; readonly found: readonly string[] },
  system: System | undefined,
): string {
  const { file, written, found, carried, noCounterpart } = report
  const lines = [written ? `${file} was written.` : `${file} was not written: this is a dry run.`]
  if (system === undefined) {
    for (const name of found)
      lines.push(`This looks like a ${name} project: exitgate init --from ${name} carries its settings over.`)
  } else {
    lines.push(carried.length === 0 ? `Nothing of ${system.name} was to be carried over.` : 'Carried over:')
    lines.push(...carried.map((line) => `  ${line}`))
    if (noCounterpart.length > 0) lines.push('Left behind:', ...noCounterpart.map((line) => `  ${line}`))
  }
  return `${lines.join('\n')}\n`
}
