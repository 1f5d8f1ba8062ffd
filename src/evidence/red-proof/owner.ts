import { readFileSync, readlinkSync } from 'node:fs'
import { hostname } from 'node:os'
import * as v from 'valibot'
import { isAlive, startedAs } from '../../system/processes.ts'

const OwnerSchema = v.object({
  /** Tells our folders from everybody else's. */
  mark: v.literal('exitgate-scratch'),
  pid: v.pipe(v.number(), v.integer(), v.minValue(1)),
  /** When the process began, where that can be told: its number may be given to another one later. */
  start: v.optional(v.string()),
  /** The machine, its boot and its space of process numbers. */
  place: v.string(),
  at: v.number(),
})

/** Whose a scratch folder is, so that a later process can tell whether it is still needed. */
export type ScratchOwner = v.InferOutput<typeof OwnerSchema>

export function thisOwner(): ScratchOwner {
  const { since } = startedAs(process.pid, '')
  return {
    mark: 'exitgate-scratch',
    pid: process.pid,
    ...(since !== undefined && { start: since }),
    place: placeOf(),
    at: Date.now(),
  }
}

/** `elsewhere` is a process of another machine, container or boot, about which nothing can be learned from here. */
export function lifeOf({ pid, start, place }: ScratchOwner): 'alive' | 'gone' | 'elsewhere' {
  if (place !== placeOf()) return 'elsewhere'
  return isAlive({ pid, parent: 0, group: 0, started: start ?? '' }) ? 'alive' : 'gone'
}

export function readOwner(text: string): ScratchOwner | undefined {
  try {
    const read = v.safeParse(OwnerSchema, JSON.parse(text))
    return read.success ? read.output : undefined
  } catch {
    return undefined
  }
}

function placeOf(): string {
  const told = (tell: () => string) => {
    try {
      return tell().trim()
    } catch {
      return ''
    }
  }
  const boot = told(() => readFileSync('/proc/sys/kernel/random/boot_id', 'latin1'))
  return [hostname(), boot, told(() => readlinkSync('/proc/self/ns/pid'))].join(' ').trim()
}
