import { join } from 'node:path'
import { hookGroup } from '../claude.ts'
import { type Call, type Installation, InstallError, isOurs, type Where } from './installation.ts'
import { jsonHooks } from './json-hooks.ts'

/** What a TOML text says about hooks: the names of its tables and of its top-level keys, as they are written. */
interface TomlOutline {
  readonly tables: readonly string[]
  readonly keys: readonly string[]
}

const STRINGS = /"""(?:[^\\]|\\[\s\S])*?"{3,5}|'''[\s\S]*?'{3,5}|"(?:[^"\\\n]|\\.)*"|'[^'\n]*'/y

/** Reads just enough of it to know where tables begin and that every bracket and every text is closed. */
function outlineOf(text: string): TomlOutline {
  const tables: string[] = []
  const keys: string[] = []
  let depth = 0
  let statement = ''
  const fail = (at: number, what: string): never => {
    throw new InstallError(`line ${text.slice(0, at).split('\n').length}: ${what}`)
  }
  const end = (at: number): void => {
    const said = statement.trim()
    statement = ''
    if (said === '') return
    if (said.startsWith('[')) tables.push(said.replace(/^\[+\s*|\s*\]+$/g, '').replace(/\s*\.\s*/g, '.'))
    else if (!said.includes('=')) fail(at, 'a table or a key with a value is expected')
    else if (tables.length === 0)
      keys.push(
        said
          .slice(0, said.indexOf('='))
          .trim()
          .replace(/\s*\.\s*/g, '.'),
      )
  }
  for (let at = text.startsWith('\uFEFF') ? 1 : 0; at < text.length; ) {
    const c = text[at]!
    if (c === '#') {
      const line = text.indexOf('\n', at)
      at = line < 0 ? text.length : line
    } else if (c === '"' || c === "'") {
      STRINGS.lastIndex = at
      const found = STRINGS.exec(text)?.[0] ?? fail(at, 'a text is not closed')
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
  return { tables, keys }
}

const folderOf = ({ scope, dir, home, env }: Where): string =>
  scope === 'project' ? join(dir, '.codex') : env.CODEX_HOME || join(home, '.codex')

const inJson = jsonHooks({
  host: 'codex',
  file: (where) => join(folderOf(where), 'hooks.json'),
  events: { Stop: hookGroup },
  notes: [],
})

const BEGIN = '# exitgate: begin'
const END = '# exitgate: end'
const BLOCK = new RegExp(`${BEGIN}\\r?\\n[\\s\\S]*?${END}`)
const COMMAND = /^command = (".*")$/m

/** The same as tables of the configuration file, between two lines of comment by which they are found again. */
const inToml: Pick<Installation, 'add' | 'remove' | 'find'> = {
  add(text = '', call) {
    const { keys } = outlineOf(text)
    if (keys.some((key) => key === 'hooks' || key.startsWith('hooks.Stop') || key.startsWith('hooks.stop')))
      throw new InstallError('its hooks are written as a value, to which nothing can be added; write them as tables')
    const newline = text.includes('\r\n') ? '\r\n' : '\n'
    const block = blockOf(call).join(newline)
    if (BLOCK.exec(text)?.[0] === block) return text
    const clean = without(text)
    // A file that ends in the middle of a line ends so again.
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

/** One begins with a bracket or a comment of JSON, the other cannot. */
const isToml = (text: string): boolean => !/^\uFEFF?\s*(?:[{]|\/[/*])/.test(text)
const formOf = (text: string | undefined) => (text !== undefined && isToml(text) ? inToml : inJson)

/** Codex has two places for hooks and wants only one of them used: where the person has tables already, ours goes there. */
export const installation: Installation = {
  files(where) {
    const settings = join(folderOf(where), 'config.toml')
    const text = where.read(settings)
    const tables = text === undefined ? [] : outlineOf(text).tables
    const used = tables.some((table) => /^hooks(?:\.|$)/.test(table) && !/^hooks\.state(?:\.|$)/.test(table))
    return used ? [settings, ...inJson.files(where)] : [...inJson.files(where), settings]
  },
  add: (text, call) => formOf(text).add(text, call),
  remove: (text) => formOf(text).remove(text),
  find: (text) => formOf(text).find(text),
  notes: [
    'Codex skips a hook without a word until you approve it, and again after every change: start codex and type /hooks.',
    'In a project, Codex also has to trust the folder.',
  ],
}
