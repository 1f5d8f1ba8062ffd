import { spawn } from 'node:child_process'
import { existsSync, realpathSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { type Fields, fieldsOf, listIn, textIn } from '../../hooks/fields.ts'
import type { Looked } from '../../reports/doctor-text.ts'
import { plain } from '../../reports/verdict-text.ts'
import { findProgram } from '../../system/find-program.ts'
import type { Io } from '../io.ts'
import { VERSION } from '../version.ts'
import type { InstalledHook } from './prove-hooks.ts'

/** Codex answers in about a second. */
const DEADLINE_MS = 30_000
const RUNS = new Set(['trusted', 'managed'])
const APPROVE = 'Start codex in this folder, type /hooks, and approve the hook of exitgate.'

/** Codex silently skips hooks that the user has not approved in Codex itself, so Codex has to list those that it would run. */
export async function askCodex(
  dir: string,
  hooks: readonly InstalledHook[],
  io: Io,
  signal: AbortSignal,
): Promise<readonly Looked[]> {
  const ours = hooks.filter(({ host }) => host === 'codex')
  const program = ours.length === 0 ? undefined : findProgram('codex', dir, io.env, io.platform)
  if (program === undefined) return []
  const name = 'codex approval'
  const settings = io.env.CODEX_HOME || join(io.home, '.codex')
  // Asking would create the folder.
  if (!existsSync(settings))
    return [
      { name, state: 'bad', text: 'Codex was never started here, so it has not approved the hook', remedy: APPROVE },
    ]
  const listed = await listHooks(program, dir, io, signal)
  if (typeof listed === 'string')
    return [{ name, state: 'note', text: `Codex did not say whether it runs the hook: ${listed}`, remedy: APPROVE }]
  const asked = ours.map(({ file, command, scope }): Looked => {
    const found = listed.find((each) => textIn(each, 'command') === command && isSame(textIn(each, 'sourcePath'), file))
    if (found === undefined) {
      const text = `Codex does not load ${file}`
      const trust = `Codex must trust the folder: start codex in ${dir} and confirm it. Then approve the hook with /hooks.`
      return { name, state: 'bad', text, remedy: scope === 'project' ? trust : APPROVE }
    }
    const status = textIn(found, 'trustStatus') ?? 'unknown'
    if (found.enabled === false)
      return { name, state: 'bad', text: `the hook is turned off in Codex (${scope})`, remedy: APPROVE }
    if (RUNS.has(status)) return { name, state: 'good', text: `Codex runs the hook (${scope}, ${status})` }
    const why =
      status === 'modified' ? 'it changed since you approved it in Codex' : 'you have not approved it in Codex'
    return { name, state: 'bad', text: `Codex skips the hook (${scope}): ${why}`, remedy: APPROVE }
  })
  // One hook that runs is enough.
  const runs = asked.some(({ state }) => state === 'good')
  return asked.map((each) => (runs && each.state === 'bad' ? { ...each, state: 'note' } : each))
}

function isSame(one: string | undefined, other: string): boolean {
  if (one === undefined) return false
  const real = (path: string): string => {
    try {
      return realpathSync.native(path)
    } catch {
      return path
    }
  }
  return real(one) === real(other)
}

/** The hooks that `codex app-server` lists for the folder, or why it doesn't. */
export function listHooks(
  program: string,
  dir: string,
  io: Pick<Io, 'env' | 'home'>,
  signal: AbortSignal,
): Promise<readonly Fields[] | string> {
  return new Promise((resolve) => {
    const env = { ...io.env, HOME: io.home }
    // The program from npm starts another one, so both are ended as a group.
    const child = spawn(program, ['app-server'], { cwd: dir, env, stdio: ['pipe', 'pipe', 'ignore'], detached: true })
    const timer = setTimeout(() => done('it did not answer in time'), DEADLINE_MS)
    const onAbort = (): void => done('interrupted')
    signal.addEventListener('abort', onAbort, { once: true })
    const done = (answer: readonly Fields[] | string): void => {
      clearTimeout(timer)
      signal.removeEventListener('abort', onAbort)
      try {
        process.kill(-(child.pid ?? Number.NaN), 'SIGKILL')
      } catch {
        // It has already ended.
      }
      resolve(answer)
    }
    const say = (message: object): void => void child.stdin.write(`${JSON.stringify(message)}\n`)
    child.on('error', (error) => done(error.message))
    child.on('close', (code) => done(`codex app-server ended with ${code}`))
    child.stdin.on('error', () => {})
    createInterface({ input: child.stdout }).on('line', (line) => {
      const message = messageIn(line)
      if (message?.id === 1) {
        say({ method: 'initialized' })
        say({ id: 2, method: 'hooks/list', params: { cwds: [dir] } })
      }
      if (message?.id !== 2) return
      const problem = textIn(fieldsOf(message.error) ?? {}, 'message')
      if (problem !== undefined) return done(plain(problem).slice(0, 200))
      const places = listIn(fieldsOf(message.result) ?? {}, 'data').map((each) => fieldsOf(each) ?? {})
      done(places.flatMap((place) => listIn(place, 'hooks').map((each) => fieldsOf(each) ?? {})))
    })
    say({ id: 1, method: 'initialize', params: { clientInfo: { name: 'exitgate', version: VERSION } } })
  })
}

function messageIn(line: string): Fields | undefined {
  try {
    return fieldsOf(JSON.parse(line))
  } catch {
    return undefined
  }
}
