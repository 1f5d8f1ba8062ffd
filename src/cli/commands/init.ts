import { join } from 'node:path'
import type { Migration, OldTool } from '../../config/migrate/carry.ts'
import { PRESET_NAMES } from '../../config/schema.ts'
import { writeConfigFile } from '../../config/write-file.ts'
import type { Page } from '../command.ts'
import { assertOnlyConfig, fresh, migrated, systemNamed, systemsIn, textOf } from '../init/config-file.ts'
import { foundText, guide, nextSteps } from '../init/guide.ts'
import { lookAround, withFound } from '../init/plan.ts'
import type { Io } from '../io.ts'
import { canAsk } from '../live/menu.ts'
import { oneOf, parse } from '../parse.ts'
import { workspaceOf } from '../place.ts'
import { DIR_ROW, JSON_ROW, PRESET_ROW } from '../shared-options.ts'

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
  usage: ['init [options]'],
  about: 'Detect agents, test commands and plans, then write a configuration and stop hooks.',
  rows: [
    ['--yes', 'answer yes to everything, except exitgate trust, which stays your decision'],
    ['--from SYSTEM', 'import the settings of cub, prp, doyaken, blackbox, gsd or ralph (default: detected)'],
    PRESET_ROW,
    ['--format F', 'json or yaml (default: json)'],
    ['--force', 'overwrite an existing configuration'],
    ['--dry-run', 'only show what would be written'],
    DIR_ROW,
    JSON_ROW,
  ],
  more: 'It asks before it writes anything. Without a terminal and without --yes, it writes only the configuration.',
  examples: ['exitgate init', 'exitgate init --yes', 'exitgate init --from ralph --dry-run'],
}

export async function run(args: readonly string[], io: Io): Promise<number> {
  const { values } = parse('init', args, OPTIONS)
  const dir = workspaceOf(io.cwd, values.dir)
  const format = oneOf('--format', values.format ?? 'json', ['json', 'yaml'])
  const preset = values.preset === undefined ? undefined : oneOf('--preset', values.preset, PRESET_NAMES)
  const system = values.from === undefined ? undefined : systemNamed(values.from)
  if (values.yes || (canAsk(io) && !values.json)) {
    const { yes, force, json } = values
    return guide({ dir, format, preset, system, yes, force, json, dryRun: values['dry-run'] }, io)
  }
  const around = await lookAround(dir, io)
  const migration = system === undefined ? withFound(fresh(preset), around) : migrated(system, dir, io, preset)
  const file = `exitgate.config.${format}`
  const text = textOf(migration, format, dir, system)

  assertOnlyConfig(file, dir)
  const written = values['dry-run'] !== true
  if (written) writeConfigFile(join(dir, file), text, { force: values.force === true })
  const systems = systemsIn(dir).map(({ name }) => name)
  const report = { file, written, found: systems, ...migration }
  if (values.json) io.stdout.write(`${JSON.stringify({ ...report, text }, null, 2)}\n`)
  else {
    if (!written) io.stdout.write(text)
    const next = written ? `${nextSteps(migration.patch, around).join('\n')}\n` : ''
    io.stderr.write(`${foundText({ ...around, systems })}${summary(report, system)}${next}`)
  }
  return 0
}

function summary(
  report: Migration & { readonly file: string; readonly written: boolean; readonly found: readonly string[] },
  system: OldTool | undefined,
): string {
  const { file, written, found, carried, noCounterpart } = report
  const lines = [written ? `Wrote ${file}.` : `Dry run: ${file} was not written.`]
  if (system === undefined) {
    for (const name of found)
      lines.push(`This looks like a ${name} project. Import its settings with exitgate init --from ${name}.`)
  } else {
    lines.push(carried.length === 0 ? `${system.name} has no settings to import.` : 'Imported:')
    lines.push(...carried.map((line) => `  ${line}`))
    if (noCounterpart.length > 0) lines.push('Not imported:', ...noCounterpart.map((line) => `  ${line}`))
  }
  return `${lines.join('\n')}\n`
}
