import { join } from 'node:path'
import { hookGroup } from '../claude.ts'
import { type Call, type Installation, InstallError, isOurs, type Where } from './installation.ts'
import { jsonHooks } from './json-hooks.ts'

/** The names of the tables and of all keys with a value in a TOML text. */
interface TomlOutline {
  readonly tables: readonly string[]
  readonly keys: readonly { readonly table: string; readonly name: string }[]
  /** Tables in single brackets. A list of tables can't have the same name. */
  readonly single: readonly string[]
}

const STRINGS = /"""(?:[^\\]|\\[\s\S])*?"{3,5}|'''[\s\S]*?'{3,5}|"(?:[^"\\\n]|\\.)*"|'[^'\n]*'/y

/** Reads just enough to find the tables and to check that brackets and strings are closed. */
function outlineOf(text: string): TomlOutline {
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

const folderOf = ({ scope, dir, home, env }: Where): string =>
  scope === 'project' ? join(dir, '.codex') : env.CODEX_HOME || join(home, '.codex')

const inJson = jsonHooks({
  client: 'codex',
  file: (where) => join(folderOf(where), 'hooks.json'),
  events: { Stop: hookGroup },
  notes: [],
})

const BEGIN = '# exitgate: begin'
const END = '# exitgate: end'
const BLOCK = new RegExp(`${BEGIN}\\r?\\n[\\s\\S]*?${END}`)
const COMMAND = /^command = (".*")$/m

/** The hook as tables of the configuration file, between two comment lines that mark it. */
const inToml: Pick<Installation, 'add' | 'remove' | 'find'> = {
  add(text = '', call) {
    if (!takesTables(outlineOf(text))) throw new InstallError('its hooks are an inline value; write them as tables')
    const newline = text.includes('\r\n') ? '\r\n' : '\n'
    const block = blockOf(call).join(newline)
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
    return isOurs('codex', command) ? [command] : []
  },
}

const blockOf = ({ line, seconds }: Call): readonly string[] => [
  BEGIN,
  '[[hooks.Stop]]',
  '[[hooks.Stop.hooks]]',
  'type = "command"',
  `command = ${JSON.stringify(line).replace(/\u007f/g, '\\u007f')}`,
  `timeout = ${seconds}`,
  END,
]

function without(text: string): string {
  const found = BLOCK.exec(text)
  if (found === null) return text
  const before = text.slice(0, found.index)
  const after = text.slice(found.index + found[0].length)
  return after === '' ? before.replace(/\r?\n$/, '') : before + after.replace(/^\r?\n/, '')
}

/** Whether a list of tables `hooks.Stop` can be added: in TOML, a key can't have a value and be a list of tables too. */
const takesTables = ({ keys, single }: TomlOutline): boolean =>
  !keys.some(({ table, name }) =>
    table === '' ? /^hooks(?:\.stop(?:\.|$)|$)/i.test(name) : table === 'hooks' && /^stop(?:\.|$)/i.test(name),
  ) && !single.some((name) => /^hooks\.stop$/i.test(name))

/** JSON starts with a brace or a comment; TOML can't. */
const isToml = (text: string): boolean => !/^\uFEFF?\s*(?:[{]|\/[/*])/.test(text)
const formOf = (text: string | undefined) => (text !== undefined && isToml(text) ? inToml : inJson)

/** Codex supports hooks in two files but wants only one used: if the user already has tables, the hook goes there. */
export const installation: Installation = {
  files(where) {
    const settings = join(folderOf(where), 'config.toml')
    const text = where.read(settings)
    const outline = text === undefined ? undefined : outlineOf(text)
    const used = outline?.tables.some((table) => /^hooks(?:\.|$)/.test(table) && !/^hooks\.state(?:\.|$)/.test(table))
    return used && takesTables(outline!) ? [settings, ...inJson.files(where)] : [...inJson.files(where), settings]
  },
  add: (text, call) => formOf(text).add(text, call),
  remove: (text) => formOf(text).remove(text),
  find: (text) => formOf(text).find(text),
  notes: [
    'Codex silently skips a hook until you approve it, and again after every change. Start codex and type /hooks.',
    'In a project, Codex must also trust the folder.',
  ],
}
