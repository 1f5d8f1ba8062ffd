import { attemptsFile, readAttempts, writeAttempts } from './attempts.ts'
import type { Reply } from './hook-client.ts'
import { approvalOf } from './settings.ts'
import type { StopToVerify } from './stop-request.ts'

/**
 * The answer if the user has not approved the commands that exitgate would run; undefined if they are approved. An unapproved folder
 * is reported once per session. Commands that changed after the approval may be a trick of the agent. So the stop is refused once,
 * and the user sees a message every time.
 */
export async function answerUntrusted(request: StopToVerify): Promise<Reply | undefined> {
  const { call, stop, place } = request
  const { trust, commands } = await approvalOf(place, call.world)
  if (trust === 'approved') return undefined
  const session = { ...stop, of: 'turn', prompt: '', part: '' } as const
  const file = attemptsFile(place.stateDir, call.client, session)
  const attempts = readAttempts(file, { ...session, again: true })
  const first = !attempts.told.includes(trust)
  if (first) writeAttempts(file, { ...attempts, told: [...attempts.told, trust] }, call.world.now())
  const remedy = `exitgate trust --dir ${JSON.stringify(place.workspace)}`
  if (trust === 'never')
    return first
      ? {
          action: 'pass',
          message: `exitgate: not verified, because you haven't approved the commands here yet. Run: ${remedy}`,
        }
      : { action: 'pass' }
  const what = `the commands that exitgate runs here changed since they were approved (now: ${commands.join('; ').slice(0, 1_000) || 'none'})`
  if (!first) return { action: 'pass', message: `exitgate: not verified: ${what}. To approve them, run: ${remedy}` }
  return {
    action: 'refuse',
    reason: `exitgate could not verify this: ${what}. Undo the change, or tell the user what you changed and why. Only the user can approve it, with: ${remedy}`,
  }
}
