import { dirname } from 'node:path'
import { runsFrame, runsInWindow } from '../../reports/runs/frame.ts'
import { errorCode } from '../../system/files.ts'
import { Runs } from '../../watch/runs.ts'
import { openWatch } from '../../watch/server.ts'
import { keptToken, newToken } from '../../watch/token.ts'
import type { Page } from '../command.ts'
import { InputError } from '../errors.ts'
import { type Io, usesColor, warn } from '../io.ts'
import { type Key, openRawKeyboard } from '../live/keyboard.ts'
import { openPainter, showsUnicode, type sizeOf, type TerminalIo } from '../live/terminal.ts'
import { parse, type ValuesOf, wholeNumber } from '../parse.ts'
import { placeOf, workspaceOf } from '../place.ts'
import { userOnly } from '../refuse-agent.ts'
import { openPage } from '../report/write.ts'
import { LOOK_OPTIONS, LOOK_ROWS } from '../shared-options.ts'

export const OPTIONS = {
  ...LOOK_OPTIONS,
  all: { type: 'boolean' },
  port: { type: 'string' },
  tty: { type: 'boolean' },
  open: { type: 'boolean' },
} as const

export const HELP: Page = {
  usage: ['watch [options]'],
  about: 'Follow your runs on a live page on this machine, with buttons to pause, stop, skip or force them.',
  rows: [
    ['--open', 'open the page in your browser'],
    ['--all', 'show the runs of all projects in the state folder'],
    ['--tty', 'show the list in this terminal instead; q quits'],
    ['--port N', 'port of the page; it keeps its URL after a restart (default: any free port)'],
    ...LOOK_ROWS,
  ],
  more: 'The URL contains a token: anyone who has it can see and control your runs. A run still refuses its own agent.',
  examples: ['exitgate watch --open', 'exitgate watch --all --tty', 'exitgate watch --all --port 7007'],
}

type Values = ValuesOf<typeof OPTIONS>

const INTERRUPTS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

export async function run(args: readonly string[], io: Io): Promise<number> {
  const { values } = parse('watch', args, OPTIONS)
  const workspace = workspaceOf(io.cwd, values.dir)
  const { dir } = placeOf(workspace, values['state-dir'], io)
  const places = { dir, all: values.all === true }
  const stop = new AbortController()
  const stopped = (): void => stop.abort()
  for (const interrupt of INTERRUPTS) process.on(interrupt, stopped)
  try {
    if (values.tty) await inTerminal(places, values, io, stop.signal)
    else await onLoopback(places, values, io, stop.signal)
    return 0
  } finally {
    for (const interrupt of INTERRUPTS) process.off(interrupt, stopped)
  }
}

async function inTerminal(places: { dir: string; all: boolean }, values: Values, io: Io, stop: AbortSignal) {
  if (values.port !== undefined || values.open || values.json)
    throw new InputError('--tty shows a list in this terminal. Leave out --port, --open and --json.')
  if (io.stdout.isTTY !== true || process.stdin.isTTY !== true || io.env.TERM === 'dumb')
    throw new InputError('--tty needs a terminal. For plain text use exitgate status or exitgate log.')
  await showRuns(new Runs(places), io, values['no-color'], stop)
}

async function onLoopback(places: { dir: string; all: boolean }, values: Values, io: Io, stop: AbortSignal) {
  // Its buttons act as the user who started it.
  userOnly('watch', io)
  const port = wholeNumber('--port', values.port, 0, 65_535) ?? 0
  const token = port === 0 ? newToken() : keptToken(dirname(places.dir), port)
  const watching = await openWatch({ ...places, port, token, now: io.now }).catch((error: unknown) => {
    if (!['EADDRINUSE', 'EACCES'].includes(errorCode(error))) throw error
    throw new InputError(`--port ${port} can't be used (${errorCode(error)}). Choose another port, or leave it out.`)
  })
  const tunnel = tunnelFor(watching.port, io.env)
  const { url } = watching
  io.stdout.write(`${values.json ? JSON.stringify({ url, port: watching.port, ...(tunnel && { tunnel }) }) : url}\n`)
  if (tunnel !== undefined && !values.json)
    io.stderr.write(
      `You are connected over ssh. Run this on your own computer, then open the URL there:\n  ${tunnel}\n`,
    )
  if (values.open && !(await openPage(watching.url, io))) warn(io, 'No browser found. Open the URL above yourself.')
  if (!values.json) io.stderr.write('Anyone with this URL can see and control your runs. Ctrl+C to stop.\n')
  await new Promise<void>((resolve) => {
    if (stop.aborted) resolve()
    stop.addEventListener('abort', () => resolve())
  })
  await watching.close()
}

/** Over ssh, the command that makes the page reachable from your own computer. The port stays, because the page checks it. */
function tunnelFor(port: number, env: Io['env']): string | undefined {
  const [, , host, sshPort] = (env.SSH_CONNECTION ?? '').split(' ')
  if (host === undefined || sshPort === undefined || !/^[\w.:%-]+$/.test(host) || !/^\d+$/.test(sshPort))
    return undefined
  const user = /^[\w.-]+$/.test(env.USER ?? '') ? `${env.USER}@` : ''
  return `ssh -N -L ${port}:127.0.0.1:${port} ${sshPort === '22' ? '' : `-p ${sshPort} `}${user}${host}`
}

/** The list of runs in the terminal, until you press q, Escape or Ctrl+C, or the terminal closes. */
function showRuns(runs: Runs, io: TerminalIo, noColor: boolean | undefined, stop: AbortSignal): Promise<void> {
  const look = { color: usesColor(io.stdout, io.env, noColor), unicode: showsUnicode(io) }
  let from = 0
  const painter = openPainter(io.stdout, (size) => {
    const rows = runs.rows()
    from = clamped(from, rows.length, size)
    return runsFrame(rows, { ...size, ...look, now: io.now(), from })
  })
  return new Promise((resolve) => {
    const unlisten = runs.listen(() => painter.soon())
    const leave = (): void => {
      unlisten()
      painter.close()
      stop.removeEventListener('abort', leave)
      keyboard.stop()
      resolve()
    }
    const press = (keys: readonly Key[]): void => {
      for (const key of keys) {
        if (leaves(key)) {
          leave()
          return
        }
        if (key.name === 'up') from -= 1
        if (key.name === 'down') from += 1
      }
      painter.soon()
    }
    const keyboard = openRawKeyboard(io.stdin ?? process.stdin, press, leave)
    stop.addEventListener('abort', leave)
    keyboard.start(() => painter.soon())
  })
}

const leaves = (key: Key): boolean =>
  key.name === 'interrupt' || key.name === 'end' || key.name === 'escape' || (key.name === 'char' && key.text === 'q')

/** Keeps the window filled: not above the first run, and not past the last. */
const clamped = (from: number, count: number, size: ReturnType<typeof sizeOf>): number =>
  Math.max(0, Math.min(from, count - runsInWindow(size)))
