import { nearest } from '../../packages/core/src/nearest.ts'
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
 * An error names the wrong argument and the nearest right one. With `meant`, everything after `--` belongs to another program, and
 * `meant` says what the user probably meant by an argument that is one too many. Node's own parser takes half a millisecond to load.
 */
export function parse<const Table extends Options>(
  command: string,
  args: readonly string[],
  options: Table,
  most = 0,
  meant?: (word: string) => string | undefined,
): Parsed<Table> {
  const afterDashes: string[] = []
  const values: Record<string, string | boolean | readonly string[]> = {}
  const positionals: string[] = []
  const seeHelp = `See exitgate ${command} --help.`
  for (let at = 0; at < args.length; at++) {
    const arg = args[at] ?? ''
    if (arg === '--') {
      if (meant === undefined) positionals.push(...args.slice(at + 1))
      else afterDashes.push(...args.slice(at + 1))
      break
    }
    if (!arg.startsWith('-') || arg === '-') {
      positionals.push(arg)
      continue
    }
    const equals = arg.indexOf('=')
    const written = equals < 0 ? arg : arg.slice(0, equals)
    const name = nameOf(written, options)
    if (name === undefined) {
      const hint = meant === undefined || args.includes('--') ? '' : ' Options for the agent itself go after --.'
      throw new InputError(`Unknown option ${written}.${didYouMean(nearOption(written, options)) || hint} ${seeHelp}`)
    }
    if (options[name]?.type === 'boolean') {
      if (equals >= 0) throw new InputError(`--${name} takes no value. ${seeHelp}`)
      values[name] = true
      continue
    }
    // An argument that looks like the next option is not a value, unless it is joined by "=".
    const value = equals < 0 ? args[++at] : arg.slice(equals + 1)
    if (value === undefined || (equals < 0 && value.startsWith('-') && value !== '-'))
      throw new InputError(`--${name} needs a value. ${seeHelp}`)
    if (name === 'reason' && /^\s*[.…][.…\s]*$/.test(value))
      throw new InputError(`--reason "${value}" is only a placeholder. Write the reason in its place.`)
    values[name] = options[name]?.multiple ? [...listed(values[name]), value] : value
  }
  const extra = positionals[most]
  if (extra === undefined) return { values: values as ValuesOf<Table>, positionals, afterDashes }
  const hint = didYouMean(meant?.(extra) ?? nearOption(`--${extra}`, options))
  throw new InputError(`Unexpected argument "${extra}".${hint || ` ${seeHelp}`}`)
}

const didYouMean = (text: string | undefined): string => (text === undefined ? '' : ` Did you mean ${text}?`)

const listed = (value: string | boolean | readonly string[] | undefined): readonly string[] =>
  typeof value === 'object' ? value : []

function nameOf(written: string, options: Options): string | undefined {
  if (written.startsWith('--')) return Object.hasOwn(options, written.slice(2)) ? written.slice(2) : undefined
  return Object.keys(options).find((name) => `-${options[name]?.short}` === written)
}

const nearOption = (written: string, options: Options): string | undefined =>
  nearest(
    written,
    Object.keys(options).map((name) => `--${name}`),
  )

/** A whole number of at least `least`, and at most `most` if that is given. Digits only: `0x10` and `1e3` are typos. */
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
  throw new InputError(`${flag} must be a whole number ${range}, not "${text}".`)
}

export function oneOf<Word extends string>(flag: string, text: string, words: readonly Word[]): Word {
  const found = words.find((word) => word === text)
  if (found !== undefined) return found
  const near = nearest(text, words)
  throw new InputError(`${flag} must be one of ${words.join(', ')}, not "${text}".${didYouMean(near && `"${near}"`)}`)
}

/** The argument that says what a command like `goal` or `hook` should do. */
export function subcommandOf<Word extends string>(
  command: string,
  text: string | undefined,
  words: readonly Word[],
): Word {
  const takes = `exitgate ${command} takes one of ${words.join(', ')}.`
  if (text === undefined) throw new InputError(`Missing argument: ${takes} See exitgate ${command} --help.`)
  const found = words.find((word) => word === text)
  if (found !== undefined) return found
  throw new InputError(`Unexpected argument "${text}": ${takes}${didYouMean(nearest(text, words))}`)
}
