import { readFileSync, readlinkSync } from 'node:fs'
import { hostname } from 'node:os'
import * as v from 'valibot'
import { isAlive, startedCommand } from '../../system/processes.ts'

const OwnerSchema = v.object({
  /** Identifies exitgate's folders. */
  mark: v.literal('exitgate-scratch'),
  pid: v.pipe(v.number(), v.integer(), v.minValue(1)),
  /** When the process started, if known: its number can be reused later. */
  start: v.optional(v.string()),
  /** The machine, its boot and its process namespace. */
  place: v.string(),
  at: v.number(),
})

/** The process that owns a scratch folder, so that a later one can tell whether it is still needed. */
export type ScratchOwner = v.InferOutput<typeof OwnerSchema>

export function thisOwner(): ScratchOwner {
  const { since } = startedCommand(process.pid, '')
  return {
    mark: 'exitgate-scratch',
    pid: process.pid,
    ...(since !== undefined && { start: since }),
    place: processNamespace(),
    at: Date.now(),
  }
}

/** `elsewhere`: on another machine, in another container or before the last boot, so its state is unknown. */
export function ownerState({ pid, start, place }: ScratchOwner): 'alive' | 'ended' | 'elsewhere' {
  if (place !== processNamespace()) return 'elsewhere'
  return isAlive({ pid, parent: 0, group: 0, started: start ?? '' }) ? 'alive' : 'ended'
}

export function readOwner(text: string): ScratchOwner | undefined {
  try {
    const read = v.safeParse(OwnerSchema, JSON.parse(text))
    return read.success ? read.output : undefined
  } catch {
    return undefined
  }
}

function processNamespace(): string {
  const readOrEmpty = (read: () => string) => {
    try {
      return read().trim()
    } catch {
      return ''
    }
  }
  const boot = readOrEmpty(() => readFileSync('/proc/sys/kernel/random/boot_id', 'latin1'))
  return [hostname(), boot, readOrEmpty(() => readlinkSync('/proc/self/ns/pid'))].join(' ').trim()
}
