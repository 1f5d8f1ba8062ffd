import { shellCommands } from '../../system/shell/commands.ts'
import { stringsOf } from './project.ts'

type Read = (path: string) => string | undefined

const MOST_LINES = 100
const MANAGERS = /^(?:npm|pnpm|yarn|bun)$/
const MAKEFILES = ['GNUmakefile', 'makefile', 'Makefile']

function packageScripts(text: string | undefined): Readonly<Record<string, string>> {
  try {
    return stringsOf((JSON.parse(text ?? '') as { scripts?: unknown }).scripts)
  } catch {
    return {}
  }
}

/** The lines of a target, without make's own signs; one that starts with `-` goes on after a failure. */
function recipe(makefile: string, target: string): readonly string[] {
  const lines = makefile.split(/\r?\n/)
  const from = lines.findIndex(
    (line) => /^[A-Za-z][\w .-]*::?(?!=)/.test(line) && line.split(':')[0]!.split(' ').includes(target),
  )
  if (from < 0) return []
  const rest = lines.slice(from + 1)
  const end = rest.findIndex((line) => !/^\t|^\s*(?:#.*)?$/.test(line))
  const own = rest.slice(0, end < 0 ? undefined : end).map((line) => line.trim())
  return own.filter((line) => line !== '' && !line.startsWith('#')).map(shellLine)
}

function shellLine(line: string): string {
  const signs = /^[@+-]*/.exec(line)![0]
  const rest = line.slice(signs.length).trim()
  return signs.includes('-') ? `${rest} || true` : rest
}

/** Every line that a command line leads to by way of package.json or a Makefile, itself first, each once. */
export function linesBehind(line: string, read: Read): readonly string[] {
  const seen = new Set([line])
  // A set that grows while it is walked through is walked through to its end.
  for (const each of seen) for (const next of nextLines(each, read)) if (seen.size < MOST_LINES) seen.add(next)
  return [...seen]
}

function nextLines(line: string, read: Read): readonly string[] {
  return shellCommands(line).flatMap(({ words }): readonly string[] => {
    const [program = '', ...rest] = words
    const names = rest.filter((word) => !word.startsWith('-'))
    if (MANAGERS.test(program)) {
      const name = names[0] === 'run' || names[0] === 'run-script' ? names[1] : names[0]
      const script = name === undefined ? undefined : packageScripts(read('package.json'))[name]
      return script === undefined ? [] : [script]
    }
    if (program !== 'make' && program !== 'gmake') return []
    const file = MAKEFILES.map(read).find((text) => text !== undefined)
    return file === undefined ? [] : names.flatMap((name) => recipe(file, name))
  })
}
