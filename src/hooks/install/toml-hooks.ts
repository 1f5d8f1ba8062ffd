import { type Call, type Installation, InstallError, isOurs } from './installation.ts'

/** The names of the tables and of all keys with a value in a TOML text. */
export interface TomlOutline {
  readonly tables: readonly string[]
  readonly keys: readonly { readonly table: string; readonly name: string }[]
  /** Tables in single brackets. A list of tables can't have the same name. */
  readonly single: readonly string[]
}

const STRINGS = /"""(?:[^\\]|\\[\s\S])*?"{3,5}|'''[\s\S]*?'{3,5}|"(?:[^"\\\n]|\\.)*"|'[^'\n]*'/y

/** Reads just enough to find the tables and to check that brackets and strings are closed. */
export function outlineOf(text: string): TomlOutline {
  const tables: string[] = []
  const single: string[] = []
  const keys: { readonly table: string; readonly name: string }[] = []
  let depth = 0
  let statement = ''
  const fail = (at: number, what: string): never => {
    throw new InstallError(`line ${text.slice(0, at).split('\n').length}: ${what}`)
  }
  const end = (at: number): void => {
    const line = statement.trim()
    statement = ''
    if (line === '') return
    if (line.startsWith('[')) {
      const name = nameOf(line.replace(/^\[+|\]+$/g, ''))
      tables.push(name)
      if (!line.startsWith('[[')) single.push(name)
    } else if (!line.includes('=')) fail(at, 'expected a table or a key with a value')
    else keys.push({ table: tables.at(-1) ?? '', name: nameOf(KEY.exec(line)?.[0] ?? '') })
  }
  for (let at = text.startsWith('\uFEFF') ? 1 : 0; at < text.length; ) {
    const c = text[at]!
    if (c === '#') {
      const line = text.indexOf('\n', at)
      at = line < 0 ? text.length : line
    } else if (c === '"' || c === "'") {
      STRINGS.lastIndex = at
      const found = STRINGS.exec(text)?.[0] ?? fail(at, 'a string is not closed')
      statement += found
      at += found.length
    } else {
      if (c === '[' || c === '{') depth++
      if (c === ']' || c === '}') depth--
      if (depth < 0) fail(at, `"${c}" closes nothing`)
      if (c === '\n' && depth === 0) end(at)
      else statement += c
      at++
    }
  }
  if (depth > 0) fail(text.length, 'a bracket is not closed')
  end(text.length)
  return { tables, keys, single }
}

/** A key up to the equals sign, which may be inside quotes too. */
const KEY = /^(?:"(?:[^"\\]|\\.)*"|'[^']*'|[^="'])*/

/** A dotted name without spaces, and without quotes where they are not needed. */
const nameOf = (name: string): string =>
  (name.match(/"(?:[^"\\]|\\.)*"|'[^']*'|[^.\s"']+/g) ?? [])
    .map((part) => (/^(["'])[\w-]+\1$/.test(part) ? part.slice(1, -1) : part))
    .join('.')

const BEGIN = '# exitgate: begin'
const END = '# exitgate: end'
const BLOCK = new RegExp(`${BEGIN}\\r?\\n[\\s\\S]*?${END}`)
const COMMAND = /^command = (".*")$/m

interface TomlHooks {
  readonly client: string
  /** The hook's tables, with the command as `command = "..."`. */
  lines(call: Call): readonly string[]
  /** Whether these tables can be added: in TOML, a key can't have a value and be a list of tables too. */
  takesTables(outline: TomlOutline): boolean
}

/** The hook as tables of a configuration file, between two comment lines that mark it. */
export function tomlHooks({ client, lines, takesTables }: TomlHooks): Pick<Installation, 'add' | 'remove' | 'find'> {
  return {
    add(text = '', call) {
      if (!takesTables(outlineOf(text))) throw new InstallError('its hooks are an inline value; write them as tables')
      const newline = text.includes('\r\n') ? '\r\n' : '\n'
      const block = [BEGIN, ...lines(call), END].join(newline)
      if (BLOCK.exec(text)?.[0] === block) return text
      const clean = without(text)
      // A file without a final newline stays without one.
      return clean === '' || clean.endsWith('\n') ? `${clean}${block}${newline}` : `${clean}${newline}${block}`
    },
    remove: (text) => {
      outlineOf(text)
      const left = without(text)
      return left === '' ? undefined : left
    },
    find: (text) => {
      const line = COMMAND.exec(BLOCK.exec(text)?.[0] ?? '')?.[1]
      const command: unknown = line === undefined ? undefined : JSON.parse(line)
      return isOurs(client, command) ? [command] : []
    },
  }
}

export const tomlText = (text: string): string => JSON.stringify(text).replace(/\u007f/g, '\\u007f')

function without(text: string): string {
  const found = BLOCK.exec(text)
  if (found === null) return text
  const before = text.slice(0, found.index)
  const after = text.slice(found.index + found[0].length)
  return after === '' ? before.replace(/\r?\n$/, '') : before + after.replace(/^\r?\n/, '')
}
