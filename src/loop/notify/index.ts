import type { NotifyConfig } from '../../core/config.ts'
import type { RunEnd } from '../../core/run.ts'
import { ring } from './bell.ts'
import { showOnDesktop } from './desktop.ts'
import type { NotifyIo } from './types.ts'
import { callWebhook, webhookBody } from './webhook.ts'

/** Tells people that the run has ended, in the ways they chose. Gives back what did not work, one sentence each; it never throws. */
export async function notify(end: RunEnd, config: NotifyConfig, io: NotifyIo): Promise<readonly string[]> {
  if (config.bell) ring(end, io)
  const told = await Promise.all([
    config.desktop ? showOnDesktop(end, io) : undefined,
    config.webhook === undefined ? undefined : callWebhook(config.webhook, webhookBody(end, io.workspace)),
  ])
  return told.filter((problem) => problem !== undefined)
}
