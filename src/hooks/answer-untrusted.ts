import { attemptsFile, readAttempts, writeAttempts } from './attempts.ts'
import type { Reply } from './host.ts'
import { approvalOf } from './settings.ts'
import type { StopToVerify } from './stop-request.ts'

/**
 * The answer where the user has not approved what exitgate would run; undefined where it is approved. An unapproved folder is reported
 * once per session. A change after the approval may be the agent's way out: it is refused once, so that the agent has to mention it,
 * and reported to the user every time.
 */
export async function answerUntrusted(request: StopToVerify): Promise<Reply | undefined> {
  const { call, stop, place } = request
  const { trust, commands } = await approvalOf(place, call.world)
  if (trust === 'approved') return undefined
  const session = { ...stop, of: 'turn', prompt: '', part: '' } as const
  const file = attemptsFile(place.stateDir, call.host, session)
  const attempts = readAttempts(file, { ...session, again: true })
  const first = !attempts.told.includes(trust)
  if (first) writeAttempts(file, { ...attempts, told: [...attempts.told, trust] }, call.world.now())
  const remedy = `a person has to look at it first: exitgate trust --dir ${JSON.stringify(place.workspace)}`
  if (trust === 'never')
    return first
      ? { action: 'pass', message: `exitgate runs nothing here yet, so nothing was verified; ${remedy}` }
      : { action: 'pass' }
  const what = `what exitgate would run here has changed since it was approved (now: ${commands.join('; ').slice(0, 1_000) || 'nothing'})`
  if (!first) return { action: 'pass', message: `exitgate: nothing was verified: ${what}; ${remedy}` }
  return {
    action: 'refuse',
    reason: `exitgate could not verify this: ${what}. Take the change back, or tell the person what you changed and why; ${remedy}.`,
  }
}
