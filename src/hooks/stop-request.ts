import type { Fields } from './fields.ts'
import type { FoundWorkspace, HookContext } from './find-workspace.ts'
import type { HookClient, Stop } from './hook-client.ts'
import type { MessageClaim } from './read-message.ts'

export interface HookCall {
  readonly client: HookClient
  /** What the client sent; a sentence if it could not be read. */
  readonly payload: Fields | string
  readonly world: HookContext
  /** The client's timeout in seconds. */
  readonly seconds: number
  /** Maximum refusals in a row, if the user set it. */
  readonly most?: number
}

/** A stop that has to be checked against the project. */
export interface StopToVerify {
  readonly call: HookCall
  readonly stop: Stop
  readonly place: FoundWorkspace
  readonly message: string
  readonly claim: MessageClaim
}
