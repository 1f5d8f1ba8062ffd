import { dirname } from 'node:path'
import { errorCode } from '../../system/files.ts'
import { Runs } from '../../watch/runs.ts'
import { openWatch } from '../../watch/server.ts'
import { keptToken, newToken } from '../../watch/token.ts'
import { InputError } from '../errors.ts'
import type { Io } from '../io.ts'
import { LOOK_OPTIONS, type LookValues } from '../look-options.ts'
import { parse, wholeNumber } from '../parse.ts'
import { peopleOnly } from '../people-only.ts'
import { placeOf } from '../place.ts'
import { openPage } from '../report/open-page.ts'
import { showRuns } from '../watch/list-screen.ts'
import { workspaceOf } from '../workspace.ts'

export const OPTIONS = {
  ...LOOK_OPTIONS,
  all: { type: 'boolean' },
  port: { type: 'string' },
  tty: { type: 'boolean' },
  open: { type: 'boolean' },
} as const

interface Values extends LookValues {
  readonly all?: boolean
  readonly port?: string
  readonly tty?: boolean
  readonly open?: boolean
}

const INTERRUPTS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/** `exitgate watch`: the runs as a live page on loopback, or as a list in the terminal. */
export async function run(args: readonly string[], io: Io): Promise<number> {
  const { values } = parse<Values>('watch', args, OPTIONS)
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
    throw new InputError('--tty shows the list in this terminal; it goes without --port, --open and --json')
  if (io.stdout.isTTY !== true || process.stdin.isTTY !== true || io.env.TERM === 'dumb')
    throw new InputError('--tty needs a terminal; exitgate state and exitgate history write lines')
  await showRuns(new Runs(places), io, values['no-color'], stop)
}

async function onLoopback(places: { dir: string; all: boolean }, values: Values, io: Io, stop: AbortSignal) {
  // Its buttons speak for the person who started it.
  peopleOnly('watch', io)
  const port = wholeNumber('--port', values.port, 1) ?? 0
  if (port > 65_535) throw new InputError(`--port is "${values.port}"; it must be at most 65535`)
  const token = port === 0 ? newToken() : keptToken(dirname(places.dir), port)
  const watching = await openWatch({ ...places, port, token, now: io.now }).catch((error: unknown) => {
    if (!['EADDRINUSE', 'EACCES'].includes(errorCode(error))) throw error
    throw new InputError(`--port ${port} cannot be used (${errorCode(error)}); choose another one, or leave it out`)
  })
  const told = values.json ? JSON.stringify({ url: watching.url, port: watching.port }) : watching.url
  io.stdout.write(`${told}\n`)
  if (values.open && !(await openPage(watching.url, io)))
    io.stderr.write('exitgate: no program was found to open it; open the address above in a browser\n')
  if (!values.json) io.stderr.write('exitgate: whoever has this address sees the runs; Ctrl+C ends it\n')
  await new Promise<void>((resolve) => {
    if (stop.aborted) resolve()
    stop.addEventListener('abort', () => resolve())
  })
  await watching.close()
}
