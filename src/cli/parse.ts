import { type ParseArgsConfig, parseArgs } from 'node:util'
import { nearest } from '../config/nearest.ts'
import { InputError } from './errors.ts'

type Options = NonNullable<ParseArgsConfig['options']>

export interface Parsed<Values> {
  readonly values: Values
  readonly words: readonly string[]
}

/** The arguments of one command. A wrong one is named, with the nearest right one beside it. */
export function parse<Values>(command: string, args: readonly string[], options: Options, words = 0): Parsed<Values> {
  try {
    const { values, positionals } = parseArgs({ args: [...args], options, allowPositionals: true, strict: true })
    if (positionals.length > words)
      throw new InputError(
        `exitgate ${command} takes ${words === 0 ? 'no arguments' : `at most ${words}`}; "${positionals[words]}" is one too many`,
      )
    return { values: values as Values, words: positionals }
  } catch (error) {
    if (error instanceof InputError) throw error
    throw new InputError(sentence(command, args, options, error))
  }
}

function sentence(command: string, args: readonly string[], options: Options, error: unknown): string {
  const names = Object.keys(options).map((name) => `--${name}`)
  const unknown = args
    .map((arg) => arg.replace(/=.*$/s, ''))
    .find((arg) => arg.startsWith('--') && arg !== '--' && !names.includes(arg))
  if (unknown !== undefined) {
    const near = nearest(unknown, names)
    return `exitgate ${command} has no option ${unknown}${near === undefined ? '' : `; did you mean ${near}?`}${near === undefined ? ';' : ''} see exitgate ${command} --help`
  }
  const text = error instanceof Error ? (error.message.split('\n')[0] ?? '') : String(error)
  const valueless = /^Option '(?:-\w, )?(--[\w-]+) <value>' argument (?:missing|is ambiguous)/.exec(text)?.[1]
  return `${valueless === undefined ? `exitgate ${command}: ${text}` : `${valueless} needs a value`}; see exitgate ${command} --help`
}

/** A whole number of at least `least`. */
export function wholeNumber(flag: string, text: string | undefined, least: number): number | undefined {
  if (text === undefined) return undefined
  const value = Number(text)
  if (!Number.isInteger(value) || value < least || text.trim() === '')
    throw new InputError(`${flag} is "${text}"; it must be a whole number of at least ${least}`)
  return value
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
