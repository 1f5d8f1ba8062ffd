import { spawn, spawnSync } from 'node:child_process'
import { readdirSync, readFileSync, readlinkSync } from 'node:fs'

/** Whether a process holds a file open: it can open one only for itself. Undefined where nobody can tell. */
export function holds(pid: number, path: string): boolean | undefined {
  if (process.platform === 'linux') return holdsByProc(pid, path)
  return process.platform === 'win32' ? undefined : holdsByLsof(pid, path)
}

function holdsByProc(pid: number, path: string): boolean {
  try {
    const folder = `/proc/${pid}/fd`
    return readdirSync(folder).some((fd) => linkOf(`${folder}/${fd}`) === path)
  } catch {
    // Gone, or of another user: not proven.
    return false
  }
}

function linkOf(path: string): string {
  try {
    return readlinkSync(path)
  } catch {
    return ''
  }
}

export function holdsByLsof(pid: number, path: string): boolean | undefined {
  const env = { PATH: '/usr/sbin:/usr/bin:/sbin:/bin', LC_ALL: 'C' }
  const asked = spawnSync('lsof', ['-t', '--', path], { encoding: 'utf8', env, timeout: 10_000 })
  if (asked.error !== undefined) return undefined
  return asked.stdout.split('\n').includes(String(pid))
}

/**
 * Who adopts orphans here: on many systems not the first process but one of the user's session. A child of a child is left
 * alone and asked who its parent is now; it ends when it can read no more. Undefined when that could not be found out.
 */
export async function reaper(): Promise<number | undefined> {
  if (process.platform !== 'linux') return 1
  const child = spawn('/bin/sh', ['-c', '(read x <&3) >/dev/null & echo $!'], {
    stdio: ['ignore', 'pipe', 'ignore', 'pipe'],
    env: {},
  })
  // Unlike its standard input, this one is not closed when the child ends.
  const held = child.stdio[3]
  held?.on('error', () => {})
  let said = ''
  child.stdout?.on('data', (bytes: Buffer) => {
    said += bytes.toString('latin1')
  })
  const ended = new Promise<void>((resolve) => {
    child.on('exit', () => resolve())
    child.on('error', () => resolve())
  })
  const read = new Promise<void>((resolve) => child.stdout?.on('close', () => resolve()))
  await Promise.all([ended, read])
  const parent = parentOf(Number(said))
  held?.destroy()
  return parent
}

function parentOf(pid: number): number | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'latin1')
    return Number(text.slice(text.lastIndexOf(')') + 2).split(' ')[1]) || undefined
  } catch {
    return undefined
  }
}
