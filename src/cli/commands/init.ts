import { join } from 'node:path'
import type { Migration, OldTool } from '../../config/migrate/carry.ts'
import { PRESET_NAMES } from '../../config/schema.ts'
import { writeConfigFile } from '../../config/write-file.ts'
import type { Page } from '../command.ts'
import { fresh, migrated, roomFor, systemNamed, systemsIn, textOf } from '../init/config-file.ts'
import type { Io } from '../io.ts'
import { canAsk } from '../live/menu.ts'
import { oneOf, parse } from '../parse.ts'
import { workspaceOf } from '../place.ts'

export const OPTIONS = {
  from: { type: 'string' },
  preset: { type: 'string' },
  format: { type: 'string' },
  force: { type: 'boolean' },
  yes: { type: 'boolean' },
  'dry-run': { type: 'boolean' },
  dir: { type: 'string' },
  json: { type: 'boolean' },
} as const

export const HELP: Page = {
  usage: ['init [--from cub|prp|doyaken|blackbox|gsd|ralph] [options]'],
  about:
    'Looks for agents, test commands, plans and older loops, shows the configuration and the hooks it would write, and writes what you say yes to. Without a terminal and without --yes it writes the configuration alone. What is here already is not replaced.',
  rows: [
    ['--yes', 'yes to everything that is shown; what hooks may run stays for you: exitgate trust'],
    ['--from SYSTEM', 'carry over the settings of an older tool'],
    ['--preset P', 'the preset to start with'],
    ['--format json|yaml', '(default json)'],
    ['--force', 'replace an existing configuration'],
    ['--dry-run', 'only show what would be written'],
    ['--dir DIR', 'the project (default: this folder)'],
    ['--json', 'one JSON document on stdout'],
  ],
  examples: ['exitgate init', 'exitgate init --yes', 'exitgate init --from ralph --dry-run'],
}

/** `exitgate init`: write a configuration, with the settings of an older tool if one is named; with a person or --yes, hooks too. */
export async function run(args: readonly string[], io: Io): Promise<number> {
  const { values } = parse('init', args, OPTIONS)
  const dir = workspaceOf(io.cwd, values.dir)
  const format = oneOf('--format', values.format ?? 'json', ['json', 'yaml'])
  const preset = values.preset === undefined ? undefined : oneOf('--preset', values.preset, PRESET_NAMES)
  const system = values.from === undefined ? undefined : systemNamed(values.from)
  if (values.yes || (canAsk(io) && !values.json)) {
    const { guide } = await import('../init/guide.ts')
    const { yes, force, json } = values
    return guide({ dir, format, preset, system, yes, force, json, dryRun: values['dry-run'] }, io)
  }
  const migration = system === undefined ? fresh(preset) : migrated(system, dir, io, preset)
  const file = `exitgate.config.${format}`
  const text = textOf(migration, format, dir, system)

  roomFor(file, dir)
  const written = values['dry-run'] !== true
  if (written) writeConfigFile(join(dir, file), text, { force: values.force === true })
  const report = { file, written, found: systemsIn(dir).map(({ name }) => name), ...migration }
  if (values.json) io.stdout.write(`${JSON.stringify({ ...report, text }, null, 2)}\n`)
  else {
    if (!written) io.stdout.write(text)
    io.stderr.write(summary(report, system))
  }
  return 0
}

function summary(
  report: Migration & { readonly file: string; readonly written: boolean; readonly found: readonly string[] },
  system: OldTool | undefined,
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
