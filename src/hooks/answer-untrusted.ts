import { attemptsFile, readAttempts, writeAttempts } from './attempts.ts'
import type { Reply } from './host.ts'
import { approvalOf } from './settings.ts'
import type { Doubt } from './stop-request.ts'

/**
 * The answer where a person has not approved what would be run; undefined where one has. A folder nobody looked at is named once
 * in a session. What was changed after it was approved may be the agent's way out, so that is refused once, in order that the
 * agent has to speak of it, and told to the person every time.
 */
export async function untrusted(doubt: Doubt): Promise<Reply | undefined> {
  const { asked, stop, place } = doubt
  const { trust, commands } = await approvalOf(place, asked.world)
  if (trust === 'approved') return undefined
  const session = { ...stop, of: 'turn', prompt: '', part: '' } as const
  const file = attemptsFile(place.stateDir, asked.host, session)
  const attempts = readAttempts(file, { ...session, again: true })
  const first = !attempts.told.includes(trust)
  if (first) writeAttempts(file, { ...attempts, told: [...attempts.told, trust] }, asked.world.now())
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
