import { listedFindings } from '../core/accepting.ts'
import type { EventInput, State } from '../core/journal/events.ts'
import { policyFor } from '../core/presets/index.ts'
import type { Answer, Observation, Signals } from '../core/types.ts'
import { readJournal } from '../journal/read.ts'
import { sessionDir, sessionName } from '../journal/sessions.ts'
import { answerUntrusted } from './answer-untrusted.ts'
import {
  type Attempts,
  attemptsFile,
  closeTurn,
  keepTurnOpen,
  placeInRow,
  type RefusalLimits,
  readAttempts,
  refusalLimits,
  refusedAgain,
  whyLetGo,
  writeAttempts,
} from './attempts.ts'
import type { FoundWorkspace } from './find-workspace.ts'
import { gatherInTime, readStopSignals, type TimedEvidence } from './gather-in-time.ts'
import { writeGoal } from './goal.ts'
import type { Reply } from './hook-client.ts'
import { endText, letGoText, refusalText } from './messages.ts'
import { type HookEnd, noteInJournal, recordStop } from './record-stop.ts'
import { holdsGoal, loadClaimConfig, loadPinned } from './settings.ts'
import type { StopToVerify } from './stop-request.ts'
import { takeStop } from './take-stop.ts'
import { verifyPart } from './verify-part.ts'

/** Only a completion ends a goal. After any other end, the next stop needs claim and proof again. */
const GOAL_REMAINS = 'The goal is still active. Tell the agent to continue, or clear the goal with exitgate goal stop.'

/** If the hook is installed for the user and the project, both are called for the same stop. Only one of them decides. */
export async function verifyOnce(request: StopToVerify): Promise<Reply> {
  const turn = takeStop(request)
  if (turn === undefined) return { action: 'pass' }
  try {
    const reply = await verifyStop(request)
    if (reply.action === 'refuse') keepTurnOpen(request)
    else closeTurn(request)
    return reply
  } finally {
    turn.answered()
  }
}

/** Checks a stop against the project. An internal error never drops a goal silently. */
async function verifyStop(request: StopToVerify): Promise<Reply> {
  try {
    if (request.stop.of !== 'turn') return await verifyPart(request)
    return await (request.place.goal === undefined ? verifyClaim(request) : verifyGoal(request))
  } catch (error) {
    const why = `it could not be checked: ${error instanceof Error ? error.message : String(error)}`
    if (request.place.goal !== undefined && request.stop.of === 'turn') return refuseUnverified(request, why)
    return { action: 'pass', message: letGoText(why, []) }
  }
}

/** With a goal, every stop needs claim and proof, and every stop is an iteration of the goal's run. */
async function verifyGoal(request: StopToVerify): Promise<Reply> {
  const { place, call } = request
  const { state } = readJournal(place.stateDir)
  if (place.goal === undefined || !holdsGoal(state, place))
    return refuseUnverified(
      request,
      'the journal no longer contains the run of the goal; the user has to start the goal again',
    )
  const loaded = await loadPinned(state.config, place.workspace)
  const policy = policyFor(state.config)
  const signals = await readStopSignals(request, policy)
  const gathered = await gatherInTime(request, state.config, signals.claim === true, state)
  const { attempts, file, most } = nextAttempt(request, gathered)
  const why = whyLetGo(attempts, most)
  const { decision } = recordStop({
    place,
    loaded,
    observation: observationOf(request, signals, gathered),
    now: call.world.now(),
    run: place.goal.run,
    waitMs: waitOf(request),
    session: sessionOf(request),
    after: () => limitReached(why),
  })
  const { verdict } = decision
  if (verdict.action === 'stop') {
    const { outcome, ending, reason } = verdict
    if (outcome !== 'completed') return { action: 'pass', message: `${endText(verdict)}\n${GOAL_REMAINS}` }
    const end = { outcome: `${outcome}/${ending}`, reason, at: call.world.now() }
    writeGoal(place.stateDir, { ...place.goal, ended: end })
    return { action: 'pass', message: endText(verdict) }
  }
  if (why !== undefined) return { action: 'pass', message: `${letGoText(why, verdict.missing)}\n${GOAL_REMAINS}` }
  writeAttempts(file, attempts, call.world.now())
  return {
    action: 'refuse',
    reason: refusalText({
      missing: verdict.missing,
      ...placeInRow(attempts, most),
      goal: place.goal.text,
      findings: idsIn(gathered),
      ...(signals.claim === true ? {} : { protocol: policy.prompt }),
      notes: [
        ...(verdict.action === 'advance' ? [`The next phase is ${verdict.phase}.`] : []),
        ...(gathered.cut ? [`Not everything was checked: ${tooLong(request)}.`] : []),
      ],
    }),
  }
}

/** Without a goal, the claim of this one message is checked against the project. */
async function verifyClaim(request: StopToVerify): Promise<Reply> {
  const { place, call, claim } = request
  const untrusted = await answerUntrusted(request)
  if (untrusted !== undefined) return untrusted
  const loaded = await loadClaimConfig(place.workspace, call.world)
  const signalsRead = await readStopSignals(request, policyFor(loaded.config))
  const claims = signalsRead.claim ?? claim.inWords
  if (!claims || signalsRead.vetoes.length > 0) return { action: 'pass' }
  const signals: Signals = signalsRead.claim === true ? signalsRead : { ...signalsRead, claim: true, source: 'words' }
  const gathered = await gatherInTime(request, loaded.config, true, acceptedIn(request))
  const { attempts, file, most } = nextAttempt(request, gathered)
  const why = whyLetGo(attempts, most)
  const { decision, run } = recordStop({
    place,
    loaded,
    observation: observationOf(request, signals, gathered),
    now: call.world.now(),
    run: attempts.run,
    waitMs: waitOf(request),
    session: sessionOf(request),
    after: ({ verdict: { gate } }) => {
      if (isAnswered(gate.proof, gathered)) return limitReached(why)
      return { outcome: 'aborted', ending: 'unverifiable', reason: gathered.cut ? tooLong(request) : NOTHING_ANSWERS }
    },
  })
  const { verdict } = decision
  if (verdict.action === 'stop') return { action: 'pass', message: endText(verdict) }
  if (!isAnswered(verdict.gate.proof, gathered))
    return { action: 'pass', message: letGoText(gathered.cut ? tooLong(request) : NOTHING_ANSWERS, verdict.missing) }
  if (why !== undefined) return { action: 'pass', message: letGoText(why, verdict.missing) }
  writeAttempts(file, { ...attempts, run }, call.world.now())
  return {
    action: 'refuse',
    reason: refusalText({ missing: verdict.missing, ...placeInRow(attempts, most), findings: idsIn(gathered) }),
  }
}

const limitReached = (why: string | undefined): HookEnd | undefined =>
  why === undefined ? undefined : { outcome: 'aborted', ending: 'iterations', reason: why }

const NOTHING_ANSWERS = 'no check here can verify the claim'

/**
 * Whether the project contradicts the claim: a check failed, or the tests ran and did not pass. Without tests, or without time for
 * them, the conversation continues.
 */
const isAnswered = (proof: Answer, { evidence, cut }: TimedEvidence): boolean =>
  proof === 'no' || (!cut && evidence.tests !== undefined)

/** Refuses without evidence, because the check could not run and a goal must not pass unchecked. It counts as a refusal. */
export function refuseUnverified(request: StopToVerify, problem: string): Reply {
  const { call, place } = request
  const { attempts, file, most } = nextAttempt(request, undefined)
  const why = whyLetGo(attempts, most)
  if (why !== undefined) {
    const reason = `${why}: ${problem}`
    noteInJournal(place.stateDir, [endOrNote(place, reason)], call.world.now())
    return { action: 'pass', message: `${letGoText(reason, [])}\n${GOAL_REMAINS}` }
  }
  try {
    writeAttempts(file, attempts, call.world.now())
  } catch (error) {
    // If refusals can't be counted, they might never end.
    const also = error instanceof Error ? error.message : String(error)
    return { action: 'pass', message: letGoText(`${problem}; and the refusal could not be counted: ${also}`, []) }
  }
  const text = place.goal?.text
  const reason = refusalText({
    missing: [problem],
    ...placeInRow(attempts, most),
    ...(text === undefined ? {} : { goal: text }),
  })
  return { action: 'refuse', reason }
}

/** The end of the goal's run, if it is the journal's current run; otherwise a note. */
function endOrNote(place: FoundWorkspace, reason: string): EventInput {
  const note: EventInput = { type: 'note', text: `a hook let the agent stop: ${reason}` }
  try {
    const { state } = readJournal(place.stateDir)
    if (!holdsGoal(state, place)) return note
    return { type: 'run.ended', outcome: 'aborted', ending: 'errors', reason, iteration: state.iterations }
  } catch {
    return note
  }
}

/** The counter after one more refusal. */
function nextAttempt(
  { call, stop, place }: StopToVerify,
  gathered: TimedEvidence | undefined,
): { attempts: Attempts; file: string; most: RefusalLimits } {
  const file = attemptsFile(place.stateDir, call.client, stop)
  const attempts = refusedAgain(readAttempts(file, stop), gathered?.evidence ?? {})
  return { attempts, file, most: refusalLimits(call.client, call.world.env, call.most) }
}

function observationOf({ call, stop }: StopToVerify, signals: Signals, { evidence, ms }: TimedEvidence): Observation {
  const session = stop.session === '' ? {} : { session: { id: `${call.client.name} ${stop.session}`.slice(0, 200) } }
  return { signals, evidence, spent: { ms, tokens: 0, usd: 0 }, interrupted: false, ...session }
}

const idsIn = ({ evidence }: TimedEvidence): readonly string[] => listedFindings(evidence).map(({ id }) => id)

/** What the user accepted in the journal of a session without a goal. */
function acceptedIn(request: StopToVerify): Pick<State, 'accepted'> {
  const { accepted } = readJournal(sessionDir(request.place.stateDir, sessionOf(request))).state
  return accepted === undefined ? {} : { accepted }
}

const sessionOf = ({ call, stop }: StopToVerify): string => sessionName(call.client.name, stop.session)

const tooLong = ({ call: { client, seconds } }: StopToVerify): string =>
  `the checks take longer than the ${seconds} s that ${client.name} waits for the hook`

/** Another hook may hold the journal for a moment; the client's timeout is the limit. */
const waitOf = ({ call: { seconds, world } }: StopToVerify): number =>
  Math.max(500, Math.min(10_000, (seconds * 1000 - world.age()) / 2))
