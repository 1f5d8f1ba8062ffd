import { InstallError } from './installation.ts'

/** What a TOML text says about hooks: the names of its tables and of its top-level keys, as they are written. */
export interface TomlOutline {
  readonly tables: readonly string[]
  readonly keys: readonly string[]
}

const STRINGS = /"""(?:[^\\]|\\[\s\S])*?"{3,5}|'''[\s\S]*?'{3,5}|"(?:[^"\\\n]|\\.)*"|'[^'\n]*'/y

/** Reads just enough of it to know where tables begin and that every bracket and every text is closed. */
export function outlineOf(text: string): TomlOutline {
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
