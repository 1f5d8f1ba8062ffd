import { policyFor } from '../core/presets/index.ts'
import { readJournal } from '../journal/read.ts'
import { sessionDir, sessionName } from '../journal/sessions.ts'
import { attemptsFile, readAttempts, refusedAgain, writeAttempts } from './attempts.ts'
import { gatherInTime, readStopSignals } from './gather-in-time.ts'
import type { Reply } from './hook-client.ts'
import { refusalText } from './messages.ts'
import { decideApart, noteInJournal } from './record-stop.ts'
import { approvalOf, holdsGoal, loadClaimConfig, loadPinned, withoutPlan } from './settings.ts'
import type { StopToVerify } from './stop-request.ts'

/** A part is refused at most twice; the end of the whole turn is checked anyway. */
const MAX_REFUSALS = 2

/**
 * A sub-agent, or an entry of the agent's own task list, claims to be done. It must leave nothing broken and no test weakened.
 * The whole task is not checked, so this does not count as an iteration of the run.
 */
export async function verifyPart(request: StopToVerify): Promise<Reply> {
  const { call, stop, place } = request
  const { world } = call
  const { state } = readJournal(place.stateDir)
  const ofGoal = holdsGoal(state, place)
  if (!ofGoal && (await approvalOf(place, world)).trust !== 'approved') return { action: 'pass' }
  const file = attemptsFile(place.stateDir, call.client, stop)
  const before = readAttempts(file, stop)
  if (before.row >= MAX_REFUSALS) return { action: 'pass' }
  const loaded = ofGoal
    ? await loadPinned(withoutPlan({ ...state.config, preset: 'default' }), place.workspace)
    : await loadClaimConfig(place.workspace, world)
  const signals = {
    ...(await readStopSignals(request, policyFor(loaded.config))),
    claim: true,
    vetoes: [],
    source: 'part',
  }
  const { evidence, ms } = await gatherInTime(request, loaded.config, true, ofGoal ? state : {})
  const observation = { signals, evidence, spent: { ms, tokens: 0, usd: 0 }, interrupted: false }
  const { verdict } = decideApart(loaded, observation, world.now())
  if (verdict.gate.proof !== 'no') return { action: 'pass' }
  writeAttempts(file, refusedAgain(before, {}), world.now())
  const what = stop.of === 'task' ? 'an entry of the task list' : 'the end of a sub-agent'
  const journal = ofGoal ? place.stateDir : sessionDir(place.stateDir, sessionName(call.client.name, stop.session))
  noteInJournal(journal, [{ type: 'note', text: `${what} was refused: ${verdict.missing.join('; ')}` }], world.now())
  return { action: 'refuse', reason: refusalText({ missing: verdict.missing, nth: before.row + 1, of: MAX_REFUSALS }) }
}
