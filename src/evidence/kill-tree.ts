import { spawnSync } from 'node:child_process'

/** Children, grandchildren and so on, found while they still have their parents: a child may have left the group. */
export function descendants(pid: number): number[] {
  const listed = spawnSync('ps', ['-A', '-o', 'pid=,ppid='], { encoding: 'utf8' })
  if (listed.status !== 0) return []
  const children = new Map<number, number[]>()
  for (const [, child, parent] of listed.stdout.matchAll(/^\s*(\d+)\s+(\d+)\s*$/gm)) {
    const siblings = children.get(Number(parent))
    if (siblings === undefined) children.set(Number(parent), [Number(child)])
    else siblings.push(Number(child))
  }
  const found: number[] = []
  const queue = [pid]
  for (let next = queue.pop(); next !== undefined; next = queue.pop()) {
    for (const child of children.get(next) ?? []) {
      found.push(child)
      queue.push(child)
    }
  }
  return found
}

function send(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name)
  } catch {
    // It is gone already, which is what was wanted.
  }
}

/** Ends what is left in the group of a process that led one. */
export function killGroup(pid: number): void {
  if (process.platform !== 'win32') send(-pid, 'SIGKILL')
}

/** Asks the whole tree to end, and after the grace period ends it. Resolves when the last signal is sent. */
export async function killTree(pid: number, graceMs: number, gone: () => boolean): Promise<void> {
  if (process.platform === 'win32') {
    spawnSync('taskkill', ['/pid', String(pid), '/T', '/F'])
    return
  }
  const tree = new Set(descendants(pid))
  send(-pid, 'SIGTERM')
  for (const child of tree) send(child, 'SIGTERM')
  const until = performance.now() + graceMs
  while (performance.now() < until && !gone()) await new Promise((resolve) => setTimeout(resolve, 20))
  for (const child of descendants(pid)) tree.add(child)
  send(-pid, 'SIGKILL')
  for (const child of tree) send(child, 'SIGKILL')
}
