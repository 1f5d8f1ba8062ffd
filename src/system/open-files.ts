import { spawn, spawnSync } from 'node:child_process'
import { readdirSync, readlinkSync } from 'node:fs'
import { fromProc } from './process-ancestry.ts'

/** Whether a process has a file open, which proves who it is. Undefined if the system doesn't tell. */
export function hasFileOpen(pid: number, path: string): boolean | undefined {
  if (process.platform === 'linux') return hasFileOpenByProc(pid, path)
  return process.platform === 'win32' ? undefined : hasFileOpenByLsof(pid, path)
}

function hasFileOpenByProc(pid: number, path: string): boolean {
  try {
    const folder = `/proc/${pid}/fd`
    return readdirSync(folder).some((fd) => linkOf(`${folder}/${fd}`) === path)
  } catch {
    // The process is gone or belongs to another user, so nothing is proven.
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

export function hasFileOpenByLsof(pid: number, path: string): boolean | undefined {
  const env = { PATH: '/usr/sbin:/usr/bin:/sbin:/bin', LC_ALL: 'C' }
  const asked = spawnSync('lsof', ['-t', '--', path], { encoding: 'utf8', env, timeout: 10_000 })
  if (asked.error !== undefined) return undefined
  return asked.stdout.split('\n').includes(String(pid))
}

/**
 * The process that adopts orphans here, which is often not pid 1 but one of the user's session. Found by orphaning a process and
 * reading its new parent. Undefined if that fails.
 */
export async function findReaper(): Promise<number | undefined> {
  if (process.platform !== 'linux') return 1
  const child = spawn('/bin/sh', ['-c', '(read x <&3) >/dev/null & echo $!'], {
    stdio: ['ignore', 'pipe', 'ignore', 'pipe'],
    env: {},
  })
  // Unlike stdin, this descriptor stays open when the child ends.
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
  const parent = fromProc([])(Number(said))?.parent
  held?.destroy()
  return parent || undefined
}
