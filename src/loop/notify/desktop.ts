import { execFile } from 'node:child_process'
import { findProgram } from '../../system/find-program.ts'
import { pathOutside } from '../../system/git.ts'
import type { NotifyIo } from './alert.ts'

const BELL = '\u0007'
const ESCAPE = '\u001b'
/** Terminals that support OSC 777. Others would show a second notification for the same event. */
const SUPPORTS_777 = /^(?:rxvt|foot|vte)/
/** Terminals that print escape sequences they don't know. */
const NO_SEQUENCES = /^(?:dumb|linux|cons25|vt\d+)?$/

/** The bell, and the notification that the terminal itself can show. */
export function ring(text: string, { stderr, env }: NotifyIo): void {
  const terminal = env.TERM ?? ''
  if (stderr.isTTY !== true || terminal === 'dumb') return
  stderr.write(NO_SEQUENCES.test(terminal) ? BELL : `${shown(text, terminal, env)}${BELL}`)
}

function shown(text: string, terminal: string, env: NotifyIo['env']): string {
  // A semicolon ends a field.
  if (SUPPORTS_777.test(terminal) || env.VTE_VERSION !== undefined)
    return `${ESCAPE}]777;notify;exitgate;${text.replaceAll(';', ',')}${BELL}`
  return `${ESCAPE}]9;exitgate: ${text}${BELL}`
}

const DEADLINE_MS = 5_000

/** The variables a program needs to reach the desktop; no secrets. */
const DESKTOP_VARIABLES = [
  'PATH',
  'HOME',
  'USER',
  'LANG',
  'DISPLAY',
  'WAYLAND_DISPLAY',
  'XAUTHORITY',
  'XDG_RUNTIME_DIR',
  'XDG_SESSION_TYPE',
  'DBUS_SESSION_BUS_ADDRESS',
]

const SCRIPT = ['on run argv', 'display notification (item 1 of argv) with title (item 2 of argv)', 'end run'].flatMap(
  (line) => ['-e', line],
)

interface Call {
  readonly program: string
  readonly args: readonly string[]
}

function callFor(platform: string, text: string): Call | undefined {
  if (platform === 'darwin') return { program: 'osascript', args: [...SCRIPT, text, 'exitgate'] }
  if (platform === 'win32') return undefined
  // Some desktops read the text as markup.
  const escaped = text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
  return { program: 'notify-send', args: ['--app-name=exitgate', '--', 'exitgate', escaped] }
}

/** Shows a desktop notification. Returns a sentence if that fails. */
export async function showOnDesktop(text: string, io: NotifyIo): Promise<string | undefined> {
  const call = callFor(io.platform, text)
  if (call === undefined) return 'No desktop notification: exitgate knows no program for it on this system.'
  const env = Object.fromEntries(
    DESKTOP_VARIABLES.flatMap((name) => (io.env[name] === undefined ? [] : [[name, io.env[name]] as const])),
  )
  const file = findProgram(call.program, io.workspace, { PATH: pathOutside(io.workspace, io.env.PATH ?? '') })
  if (file === undefined) return `No desktop notification: ${call.program} was not found.`
  return new Promise((resolve) => {
    const options = { env, timeout: DEADLINE_MS, killSignal: 'SIGKILL', windowsHide: true } as const
    const child = execFile(file, call.args, options, (error) => {
      resolve(error === null ? undefined : `No desktop notification: ${call.program} failed.`)
    })
    child.stdin?.end()
  })
}
