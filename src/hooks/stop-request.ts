import type { Fields } from './fields.ts'
import type { FoundWorkspace, HookContext } from './find-workspace.ts'
import type { Host, Stop } from './host.ts'
import type { MessageClaim } from './read-message.ts'

export interface HookCall {
  readonly host: Host
  /** What the host sent; a sentence when it could not be read. */
  readonly payload: Fields | string
  readonly world: HookContext
  /** Seconds the host waits for us. */
  readonly seconds: number
  /** Refusals in a row, when the person chose another number. */
  readonly most?: number
}

/** A stop that has to be checked against the project. */
export interface StopToVerify {
  readonly call: HookCall
  readonly stop: Stop
  readonly place: FoundWorkspace
  readonly message: string
  readonly heard: MessageClaim
}
