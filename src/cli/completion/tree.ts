import { COMMANDS } from '../commands/index.ts'
import { HELP } from '../help/index.ts'
import type { Row } from '../help/page.ts'
import type { Options } from '../parse.ts'
import { type Takes, VALUES, WORDS } from './values.ts'

export interface KnownOption {
  readonly name: string
  readonly about: string
  /** Absent for one that takes no value. */
  readonly takes?: Takes
}

export interface KnownCommand {
  readonly name: string
  readonly about: string
  readonly options: readonly KnownOption[]
  readonly words: readonly (readonly string[])[]
}

/** Every command with what its own parser accepts, and the words of its help beside it. */
export async function knownCommands(): Promise<readonly KnownCommand[]> {
  return Promise.all(
    Object.entries(COMMANDS).map(async ([name, { about, load }]) => {
      const { OPTIONS } = await load()
      const rows = HELP[name]?.rows ?? []
      const table: Options = { ...OPTIONS, help: { type: 'boolean' } }
      const options = Object.entries(table).map(([option, { type }]) => ({
        name: option,
        about: option === 'help' ? 'options and examples' : aboutOf(option, rows),
        ...(type === 'string' ? { takes: VALUES[`${name} ${option}`] ?? VALUES[option] ?? ('text' as const) } : {}),
      }))
      return { name, about, options, words: WORDS[name] ?? [] }
    }),
  )
}

function aboutOf(option: string, rows: readonly Row[]): string {
  return rows.find(([names]) => new RegExp(`--${option}(?![\\w-])`).test(names))?.[1] ?? ''
}
