import { resolve } from 'node:path'
import { ConfigError, shown } from '../../config/errors.ts'
import { CONFIG_FLAGS } from '../../config/flags.ts'
import { leaves } from '../../config/leaves.ts'
import { type Loaded, loadConfig } from '../../config/load.ts'
import { valueAt } from '../../config/merge.ts'
import { nearest } from '../../config/nearest.ts'
import { withoutSecrets } from '../../config/notify-secrets.ts'
import type { Preset } from '../../core/preset.ts'
import { PRESETS } from '../../core/presets/index.ts'
import type { Page } from '../command.ts'
import { type Io, usesColor, warn } from '../io.ts'
import { parse } from '../parse.ts'
import { workspaceOf } from '../place.ts'
import { CHECK_ROWS, CONFIG_ROWS, LIMIT_ROWS } from '../shared-options.ts'

export const OPTIONS = {
  ...CONFIG_FLAGS,
  json: { type: 'boolean' },
  dir: { type: 'string' },
  config: { type: 'string' },
  'no-color': { type: 'boolean' },
} as const

export const HELP: Page = {
  usage: ['config [PATH...] [options]'],
  about: 'Print every setting, or those under PATH, with its value and where it comes from.',
  rows: CONFIG_ROWS.filter(([names]) => !names.startsWith('--state-dir')),
  groups: [
    ['Settings to try', CHECK_ROWS],
    ['Limits to try', LIMIT_ROWS],
  ],
  more: 'Later sources win: default, preset, file, task type, environment, options.',
  examples: ['exitgate config', 'exitgate config limits breaker.noProgress', 'exitgate config --preset ralph --json'],
}

interface Line {
  readonly path: string
  /** The value as JSON, or `-` if it is not set. */
  readonly value: string
  readonly source: string
}

export async function run(
  args: readonly string[],
  io: Io,
  presets?: Readonly<Record<string, Preset>>,
): Promise<number> {
  const { values, positionals } = parse('config', args, OPTIONS, Number.POSITIVE_INFINITY)
  const read = await loadConfig({
    dir: workspaceOf(io.cwd, values.dir),
    file: values.config === undefined ? undefined : resolve(io.cwd, values.config),
    env: io.env,
    flags: values,
    presets: presets ?? PRESETS,
    allowCode: true,
  })
  // The output ends up in logs and bug reports.
  const loaded = { ...read, config: withoutSecrets(read.config) }
  for (const warning of loaded.warnings) warn(io, warning)
  const lines = chosen(linesOf(loaded), positionals)
  if (values.json) io.stdout.write(asJson(loaded, lines, positionals.length > 0))
  else if (io.stdout.isTTY) io.stdout.write(asTable(loaded, lines, usesColor(io.stdout, io.env, values['no-color'])))
  else io.stdout.write(lines.map(({ path, value, source }) => `${path}\t${value}\t${source}\n`).join(''))
  return 0
}

/** In the order of the schema. Phases and task types, which you name yourself, come last. */
function linesOf({ config, sources }: Loaded): readonly Line[] {
  const paths = [...new Set([...leaves().keys(), ...sources.keys()])]
  return paths.map((path) => {
    const value = valueAt(config, path)
    return { path, value: value === undefined ? '-' : JSON.stringify(value), source: sources.get(path) ?? 'default' }
  })
}

function chosen(lines: readonly Line[], wanted: readonly string[]): readonly Line[] {
  if (wanted.length === 0) return lines
  return wanted.flatMap((name) => {
    const found = lines.filter(
      ({ path }) => path === name || path.startsWith(`${name}.`) || path.startsWith(`${name}[`),
    )
    if (found.length > 0) return found
    const paths = lines.map(({ path }) => path)
    const sections = paths.flatMap((path) => (path.includes('.') ? [path.slice(0, path.lastIndexOf('.'))] : []))
    const near = nearest(name, [...paths, ...sections])
    throw new ConfigError(`There is no setting ${shown(name)}.${near === undefined ? '' : ` Did you mean "${near}"?`}`)
  })
}

function asJson({ config, sources, file }: Loaded, lines: readonly Line[], partly: boolean): string {
  const places = Object.fromEntries(lines.map(({ path }) => [path, sources.get(path) ?? 'default']))
  const values = partly ? Object.fromEntries(lines.map(({ path }) => [path, valueAt(config, path)])) : config
  return `${JSON.stringify({ config: values, sources: places, file: file ?? null }, null, 2)}\n`
}

function asTable({ file }: Loaded, lines: readonly Line[], colour: boolean): string {
  const widest = (of: (line: Line) => string, most: number): number =>
    Math.min(most, Math.max(...lines.map((line) => of(line).length)))
  const path = widest((line) => line.path, 40)
  const value = widest((line) => line.value, 48)
  const dim = (text: string): string => (colour ? `\u001b[2m${text}\u001b[22m` : text)
  const rows = lines.map((line) => {
    const source = line.source === 'default' ? dim(line.source) : line.source
    return `${line.path.padEnd(path)}  ${line.value.padEnd(value)}  ${source}\n`
  })
  return [`${file === undefined ? 'No configuration file.' : `Configuration file: ${file}`}\n\n`, ...rows].join('')
}
