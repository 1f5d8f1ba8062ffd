import { join } from 'node:path'
import type { Installation, Where } from './installation.ts'
import { hookGroup, jsonHooks } from './json-hooks.ts'
import { outlineOf, type TomlOutline, tomlHooks, tomlText } from './toml-hooks.ts'

const folderOf = ({ scope, dir, home, env }: Where): string =>
  scope === 'project' ? join(dir, '.codex') : env.CODEX_HOME || join(home, '.codex')

const inJson = jsonHooks({
  client: 'codex',
  file: (where) => join(folderOf(where), 'hooks.json'),
  events: { Stop: hookGroup },
  notes: [],
})

const takesTables = ({ keys, single }: TomlOutline): boolean =>
  !keys.some(({ table, name }) =>
    table === '' ? /^hooks(?:\.stop(?:\.|$)|$)/i.test(name) : table === 'hooks' && /^stop(?:\.|$)/i.test(name),
  ) && !single.some((name) => /^hooks\.stop$/i.test(name))

const inToml = tomlHooks({
  client: 'codex',
  lines: ({ line, seconds }) => [
    '[[hooks.Stop]]',
    '[[hooks.Stop.hooks]]',
    'type = "command"',
    `command = ${tomlText(line)}`,
    `timeout = ${seconds}`,
  ],
  takesTables,
})

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
