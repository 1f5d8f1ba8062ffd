import { policyFor } from '../core/presets/index.ts'
import { readJournal } from '../journal/read.ts'
import { attemptsFile, readAttempts, refusedAgain, writeAttempts } from './attempts.ts'
import type { Reply } from './host.ts'
import { listen, lookInTime } from './look.ts'
import { decideApart, noteInJournal } from './record-stop.ts'
import { approvalOf, forOneClaim, holdsGoal, loosened, pinned } from './settings.ts'
import type { Doubt } from './stop-request.ts'
import { refusalText } from './words.ts'

/** A part is asked again twice; the end of the whole turn is judged anyway. */
const MOST = 2

/**
 * A helper of the agent, or an entry of its own list, says to be done. It is held to what holds for every part: nothing broken and
 * nothing tampered with. Whether the whole is finished is not its business, so it is no iteration of the run.
 */
export async function verifyPart(doubt: Doubt): Promise<Reply> {
  const { asked, stop, place } = doubt
  const { world } = asked
  const { state } = readJournal(place.stateDir)
  const ofGoal = holdsGoal(state, place)
  if (!ofGoal && (await approvalOf(place, world)).trust !== 'approved') return { action: 'pass' }
  const file = attemptsFile(place.stateDir, asked.host, stop)
  const before = readAttempts(file, stop)
  if (before.row >= MOST) return { action: 'pass' }
  const loaded = ofGoal
    ? pinned(loosened({ ...state.config, preset: 'default' }))
    : await forOneClaim(place.workspace, world)
  const signals = { ...(await listen(doubt, policyFor(loaded.config))), claim: true, vetoes: [], source: 'part' }
  const { evidence, ms } = await lookInTime(doubt, loaded.config, true, ofGoal ? state.baselineId : undefined)
  const observation = { signals, evidence, spent: { ms, tokens: 0, usd: 0 }, interrupted: false }
  const { verdict } = decideApart(loaded, observation, world.now())
  if (verdict.gate.proof !== 'no') return { action: 'pass' }
  writeAttempts(file, refusedAgain(before, { ...asked.host, forgives: false }, ''), world.now())
  const what = stop.of === 'task' ? 'an entry of the list of work' : 'the end of a helper'
  noteInJournal(place, [{ type: 'note', text: `${what} was refused: ${verdict.missing.join('; ')}` }], world.now())
  return { action: 'refuse', reason: refusalText({ missing: verdict.missing, nth: before.row + 1, of: MOST }) }
}
