import type { Fields } from './fields.ts'
import type { Found, World } from './find-workspace.ts'
import type { Heard } from './hear.ts'
import type { Host, Stop } from './host.ts'

export interface Asked {
  readonly host: Host
  /** What the host sent; a sentence when it could not be read. */
  readonly payload: Fields | string
  readonly world: World
  /** Seconds the host waits for us. */
  readonly seconds: number
  /** Refusals in a row, when the person chose another number. */
  readonly most?: number
}

/** A stop that has to be checked against the project. */
export interface Doubt {
  readonly asked: Asked
  readonly stop: Stop
  readonly place: Found
  readonly message: string
  readonly heard: Heard
}
