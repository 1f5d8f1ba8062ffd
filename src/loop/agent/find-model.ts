import { closeSync, fstatSync, openSync, readdirSync, readSync } from 'node:fs'
import { basename, join } from 'node:path'
import { type AgentLogin, type Launcher, optionIn } from '../../agents/launch/launcher.ts'
import type { Environment } from '../../system/environment.ts'
import { realHome } from '../../system/sandbox/sandbox.ts'

export interface AgentSession {
  readonly args: readonly string[]
  readonly workspace: string
  readonly env: Environment
  /** The session that just ended; absent before the first start. */
  readonly session?: string
}

const MOST_BYTES = 1024 * 1024
const MOST_FOLDERS = 200

/** The model of an agent whose output doesn't name it: from its options, its session file, its variables or its settings. */
export function findModel({ model: places, login }: Launcher, start: AgentSession): string | undefined {
  if (places === undefined) return undefined
  const { args, workspace, env } = start
  const option = optionIn(args, places.options)
  if (option !== undefined) return option
  for (const file of sessionFiles(places, login, start)) {
    const named = nameIn(places.session?.read(partOf(file)))
    if (named !== undefined) return named
  }
  const variable = places.variables?.map((name) => env[name]).find((value) => value !== undefined && value !== '')
  if (variable !== undefined) return variable
  for (const { file, read } of places.settings) {
    const paths = file.startsWith('~/') ? inHome(file.slice(2), login, env) : [join(workspace, file)]
    const named = paths.map((path) => nameIn(read(partOf(path), args))).find((name) => name !== undefined)
    if (named !== undefined) return named
  }
  return undefined
}

/** What is at the end of the file in which the agent keeps its session. */
export function atEndOfSession<Name extends 'usage' | 'sandboxError'>(
  { model, login }: Launcher,
  name: Name,
  start: AgentSession,
): ReturnType<NonNullable<SessionFile[Name]>> | undefined {
  const read = model?.session?.[name] as ((text: string) => ReturnType<NonNullable<SessionFile[Name]>>) | undefined
  if (read === undefined) return undefined
  return sessionFiles(model, login, start)
    .map((file) => read(partOf(file, 'end')))
    .find((each) => each !== undefined)
}

type SessionFile = NonNullable<NonNullable<Launcher['model']>['session']>

function sessionFiles(places: Launcher['model'], login: AgentLogin, { env, session }: AgentSession): readonly string[] {
  const written = places?.session
  if (written === undefined || session === undefined) return []
  return inHome(written.folder, login, env).flatMap((folder) => fileBelow(folder, session, written.isOf) ?? [])
}

/** A variable of the agent replaces the home folder, or the agent's folder in it. */
function inHome(path: string, { variables = [] }: AgentLogin, env: Environment): readonly string[] {
  const set = variables.flatMap((name) => env[name] || [])
  const below = [path, path.slice(path.indexOf('/') + 1), basename(path)]
  return [...set.flatMap((folder) => below.map((file) => join(folder, file))), join(realHome(env), path)]
}

const nameIn = (value: unknown): string | undefined =>
  typeof value === 'string' && /^[\w@~][\w ./:@~+-]{0,199}$/.test(value) ? value : undefined

/** The newest folders are searched first, because their names are dates. */
function fileBelow(
  folder: string,
  session: string,
  isOf: (file: string, session: string) => boolean,
): string | undefined {
  const waiting = [folder]
  for (let looked = 0; looked < MOST_FOLDERS; looked++) {
    const next = waiting.pop()
    if (next === undefined) return undefined
    const found = entriesOf(next)
    const file = found.find((entry) => entry.isFile() && isOf(entry.name, session))
    if (file !== undefined) return join(next, file.name)
    const folders = found.filter((entry) => entry.isDirectory()).map(({ name }) => join(next, name))
    waiting.push(...folders.sort())
  }
  return undefined
}

function entriesOf(folder: string) {
  try {
    return readdirSync(folder, { withFileTypes: true })
  } catch {
    return []
  }
}

/** The start or the end of a file as text; empty if it can't be read. */
function partOf(path: string, part: 'start' | 'end' = 'start'): string {
  let file: number | undefined
  try {
    file = openSync(path, 'r')
    const bytes = Buffer.alloc(MOST_BYTES)
    const from = part === 'start' ? 0 : Math.max(0, fstatSync(file).size - MOST_BYTES)
    return bytes.toString('utf8', 0, readSync(file, bytes, 0, MOST_BYTES, from))
  } catch {
    return ''
  } finally {
    if (file !== undefined) closeSync(file)
  }
}
