import { resolve } from 'node:path'
import { nearest } from '../../../packages/core/src/nearest.ts'
import { ConfigError, shown } from '../../config/errors.ts'
import { CONFIG_FLAGS } from '../../config/flags.ts'
import { leaves } from '../../config/leaves.ts'
import { type Loaded, loadConfig } from '../../config/load.ts'
import { valueAt } from '../../config/merge.ts'
import { withoutSecrets } from '../../config/notify-secrets.ts'
import { PRESET_NAMES } from '../../config/schema.ts'
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
  else {
    const dim = usesColor(io.stdout, io.env, values['no-color']) ? DIM : (text: string) => text
    io.stdout.write(positionals.length > 0 ? table(lines, dim) : everything(loaded, lines, dim))
  }
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

const DIM = (text: string): string => `\u001b[2m${text}\u001b[22m`

/** Values as people write them; `--json` has them exactly. */
const readable = (value: string): string => (/^"[^"\\]+"$/.test(value) ? value.slice(1, -1) : value)

function table(lines: readonly Line[], dim: typeof DIM): string {
  const rows = lines.map(({ path, value, source }) => ({ path, value: readable(value), source }))
  const widest = (key: 'path' | 'value', most: number) =>
    Math.min(most, Math.max(...rows.map((row) => row[key].length)))
  const [path, value] = [widest('path', 40), widest('value', 48)]
  return rows
    .map((row) => {
      const source = row.source === 'default' ? dim(row.source) : row.source
      return `${row.path.padEnd(path)}  ${row.value.padEnd(value)}  ${source}\n`
    })
    .join('')
}

/** Every setting, in groups. Those of the other presets change nothing here, so only their names are listed. */
function everything({ config, file }: Loaded, lines: readonly Line[], dim: typeof DIM): string {
  const groups = new Map<string, Line[]>()
  for (const line of lines) {
    const group = line.path.includes('.') ? line.path.slice(0, line.path.indexOf('.')) : ''
    groups.set(group, [...(groups.get(group) ?? []), line])
  }
  const others = PRESET_NAMES.filter((name) => name !== config.preset && groups.delete(name))
  const blocks = [...groups].map(([, group]) => table(group, dim))
  const more = `Settings of the other presets: exitgate config ${others.join(' ')}\n`
  return [file === undefined ? 'No configuration file.\n' : `Configuration file: ${file}\n`, ...blocks, more].join('\n')
}
