import { execFile } from 'node:child_process'
import { isAbsolute, relative } from 'node:path'
import type { RunEnd } from '../../core/run.ts'
import { findProgram } from '../../system/find-program.ts'
import type { NotifyIo } from './types.ts'
import { endWords } from './words.ts'

const DEADLINE_MS = 5_000

/** What a program needs to reach the desktop, and no key of anybody's. */
const PASSED = [
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

function callFor(platform: string, words: string): Call | undefined {
  if (platform === 'darwin') return { program: 'osascript', args: [...SCRIPT, words, 'exitgate'] }
  if (platform === 'win32') return undefined
  // Some desktops read the text as markup.
  const text = words.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
  return { program: 'notify-send', args: ['--app-name=exitgate', '--', 'exitgate', text] }
}

/** Shows the end on the desktop. A sentence when it could not be shown. */
export async function showOnDesktop(end: RunEnd, io: NotifyIo): Promise<string | undefined> {
  const call = callFor(io.platform, endWords(end))
  if (call === undefined) return 'No desktop notification was shown: this system has no program for it that we know.'
  const env = Object.fromEntries(
    PASSED.flatMap((name) => (io.env[name] === undefined ? [] : [[name, io.env[name]] as const])),
  )
  const file = findProgram(call.program, io.workspace, { PATH: pathOutside(io) })
  if (file === undefined) return `No desktop notification was shown: ${call.program} was not found.`
  return new Promise((resolve) => {
    const options = { env, timeout: DEADLINE_MS, killSignal: 'SIGKILL', windowsHide: true } as const
    const child = execFile(file, call.args, options, (error) => {
      resolve(error === null ? undefined : `No desktop notification was shown: ${call.program} failed.`)
    })
    child.stdin?.end()
  })
}

/** A program of that name inside the workspace is the agent's. */
function pathOutside({ env, workspace }: NotifyIo): string {
  const outside = (folder: string) => isAbsolute(folder) && relative(workspace, folder).startsWith('..')
  return (env.PATH ?? '').split(':').filter(outside).join(':')
}
