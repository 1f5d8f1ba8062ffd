import { resolve } from 'node:path'
import { ConfigError, shown } from '../../config/errors.ts'
import { CONFIG_FLAGS } from '../../config/flags.ts'
import { LEAVES } from '../../config/leaves.ts'
import { type Loaded, loadConfig } from '../../config/load.ts'
import { valueAt } from '../../config/merge.ts'
import { nearest } from '../../config/nearest.ts'
import { parseFlags } from '../../config/parse-flags.ts'
import type { Preset } from '../../config/types.ts'
import { USAGE } from '../exit-codes.ts'
import type { Io } from '../io.ts'

export const HELP = `exitgate config [PATH...]

Prints every effective value and where it came from: default, preset, file and line, environment, or flag.
A PATH such as limits or cub.threshold shows that part only.

  --json            one JSON document: config, sources, file
  --dir DIR         the workspace (default: the current folder)
  --config FILE     read this file instead of looking for one
  --no-color        no colours
  --preset, --threshold, --max-iterations, --max-minutes, --max-cost, --max-tokens, --test, --build, --task-type, --plan
                    as for the other commands, to see what they change
`

const FLAGS = {
  ...CONFIG_FLAGS,
  json: { type: 'boolean' },
  dir: { type: 'string' },
  config: { type: 'string' },
  'no-color': { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
} as const

interface Line {
  readonly path: string
  /** The value as JSON; `-` where there is none. */
  readonly value: string
  readonly source: string
}

export async function run(
  args: readonly string[],
  io: Io,
  presets?: Readonly<Record<string, Preset>>,
): Promise<number> {
  try {
    const { values, positionals } = parseFlags(args, FLAGS)
    if (values.help) {
      io.stdout.write(HELP)
      return 0
    }
    const loaded = await loadConfig({
      dir: resolve(io.cwd, values.dir ?? '.'),
      file: values.config === undefined ? undefined : resolve(io.cwd, values.config),
      env: io.env,
      flags: values,
      presets: presets ?? (await import('../../presets/index.ts')).PRESETS,
    })
    for (const warning of loaded.warnings) io.stderr.write(`warning: ${warning}\n`)
    const lines = chosen(linesOf(loaded), positionals)
    if (values.json) io.stdout.write(asJson(loaded, lines, positionals.length > 0))
    else if (io.stdout.isTTY)
      io.stdout.write(asTable(loaded, lines, !values['no-color'] && io.env.NO_COLOR === undefined))
    else io.stdout.write(lines.map(({ path, value, source }) => `${path}\t${value}\t${source}\n`).join(''))
    return 0
  } catch (thrown) {
    if (!(thrown instanceof ConfigError)) throw thrown
    io.stderr.write(`${thrown.message}\n`)
    return USAGE
  }
}

/** In the order of the schema; phases and task types, whose names are the user's own, come last. */
function linesOf({ config, sources }: Loaded): readonly Line[] {
  const paths = [...new Set([...LEAVES.keys(), ...sources.keys()])]
  return paths.map((path) => {
    const value = valueAt(config, path)
    return { path, value: value === undefined ? '-' : JSON.stringify(value), source: sources.get(path) ?? 'default' }
  })
}

function chosen(lines: readonly Line[], wanted: readonly string[]): readonly Line[] {
  if (wanted.length === 0) return lines
  return wanted.flatMap((name) => {
    const found = lines.filter(({ path }) => path === name || path.startsWith(`${name}.`))
    if (found.length > 0) return found
    const paths = lines.map(({ path }) => path)
    const sections = paths.flatMap((path) => (path.includes('.') ? [path.slice(0, path.lastIndexOf('.'))] : []))
    const near = nearest(name, [...paths, ...sections])
    throw new ConfigError(`there is no value ${shown(name)}${near === undefined ? '.' : `; did you mean "${near}"?`}`)
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
  return [`${file === undefined ? 'no configuration file' : `configuration file ${file}`}\n\n`, ...rows].join('')
}
