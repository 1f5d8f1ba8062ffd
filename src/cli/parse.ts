import { nearest } from '../config/nearest.ts'
import { InputError } from './errors.ts'

export interface Option {
  readonly type: 'string' | 'boolean'
  /** One letter: `h` for `-h`. */
  readonly short?: string
  /** May be given more than once: its value is a list. */
  readonly multiple?: true
}
export type Options = Readonly<Record<string, Option>>

type ValueOf<Each> = Each extends { readonly multiple: true }
  ? readonly string[]
  : Each extends { readonly type: 'boolean' }
    ? boolean
    : string

/** What the parser returns for a table of options. */
export type ValuesOf<Table extends Options> = { readonly [Name in keyof Table]?: ValueOf<Table[Name]> }

interface Parsed<Table extends Options> {
  readonly values: ValuesOf<Table>
  readonly positionals: readonly string[]
  /** Everything after `--`, for a command that runs another program. */
  readonly afterDashes: readonly string[]
}

/**
 * Parses the arguments of one command: `--name value`, `--name=value`, `--flag`, `-f`, positionals, and only positionals after `--`.
 * An error names the wrong argument and the nearest right one. Node's own parser does the same, but takes half a millisecond to load.
 */
export function parse<const Table extends Options>(
  command: string,
  args: readonly string[],
  options: Table,
  most = 0,
): Parsed<Table> {
  return parseWith(command, args, options, most, false)
}

/** The same for a command that runs another program: everything after `--` belongs to that program. */
export function parseWithCommand<const Table extends Options>(
  command: string,
  args: readonly string[],
  options: Table,
  most = 0,
): Parsed<Table> {
  return parseWith(command, args, options, most, true)
}

function parseWith<Table extends Options>(
  command: string,
  args: readonly string[],
  options: Table,
  most: number,
  hasCommand: boolean,
): Parsed<Table> {
  const afterDashes: string[] = []
  const values: Record<string, string | boolean | readonly string[]> = {}
  const positionals: string[] = []
  const wrong = (what: string): InputError =>
    new InputError(`${what}${what.endsWith('?') ? '' : ';'} see exitgate ${command} --help`)
  for (let at = 0; at < args.length; at++) {
    const arg = args[at] ?? ''
    if (arg === '--') {
      if (hasCommand) afterDashes.push(...args.slice(at + 1))
      else positionals.push(...args.slice(at + 1))
      break
    }
    if (!arg.startsWith('-') || arg === '-') {
      positionals.push(arg)
      continue
    }
    const equals = arg.indexOf('=')
    const written = equals < 0 ? arg : arg.slice(0, equals)
    const name = nameOf(written, options)
    if (name === undefined) throw wrong(unknownOption(command, written, options))
    if (options[name]?.type === 'boolean') {
      if (equals >= 0) throw wrong(`--${name} takes no value`)
      values[name] = true
      continue
    }
    // What looks like the next option is not a value, unless it is joined by "=".
    const value = equals < 0 ? args[++at] : arg.slice(equals + 1)
    if (value === undefined || (equals < 0 && value.startsWith('-') && value !== '-'))
      throw wrong(`--${name} needs a value`)
    values[name] = options[name]?.multiple ? [...listed(values[name]), value] : value
  }
  if (positionals.length <= most) return { values: values as ValuesOf<Table>, positionals, afterDashes }
  throw new InputError(
    `exitgate ${command} takes ${most === 0 ? 'no arguments' : `at most ${most}`}; "${positionals[most]}" is one too many`,
  )
}

const listed = (value: string | boolean | readonly string[] | undefined): readonly string[] =>
  typeof value === 'object' ? value : []

function nameOf(written: string, options: Options): string | undefined {
  if (written.startsWith('--')) return Object.hasOwn(options, written.slice(2)) ? written.slice(2) : undefined
  return Object.keys(options).find((name) => `-${options[name]?.short}` === written)
}

function unknownOption(command: string, written: string, options: Options): string {
  const names = Object.keys(options).map((name) => `--${name}`)
  const near = nearest(written, names)
  return `exitgate ${command} has no option ${written}${near === undefined ? '' : `; did you mean ${near}?`}`
}

/** A whole number of at least `least`, and at most `most` if that is given. Digits only: `0x10` and `1e3` are typing mistakes. */
export function wholeNumber(
  flag: string,
  text: string | undefined,
  least: number,
  most = Number.MAX_SAFE_INTEGER,
): number | undefined {
  if (text === undefined) return undefined
  const value = /^\d+$/.test(text) ? Number(text) : Number.NaN
  if (value >= least && value <= most) return value
  const range = most === Number.MAX_SAFE_INTEGER ? `of at least ${least}` : `from ${least} to ${most}`
  throw new InputError(`${flag} is "${text}"; it must be a whole number ${range}`)
}

/** One of a few words. */
export function oneOf<Word extends string>(flag: string, text: string, words: readonly Word[]): Word {
  const found = words.find((word) => word === text)
  if (found !== undefined) return found
  const near = nearest(text, words)
  throw new InputError(
    `${flag} is "${text}"; it must be one of ${words.join(', ')}${near === undefined ? '' : `; did you mean "${near}"?`}`,
  )
}
