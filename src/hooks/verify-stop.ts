import type { EventInput } from '../core/journal/events.ts'
import { policyFor } from '../core/presets/index.ts'
import type { Answer, Observation, Signals } from '../core/types.ts'
import { readJournal } from '../journal/read.ts'
import { untrusted } from './answer-untrusted.ts'
import {
  type Attempts,
  attemptsFile,
  mostInARow,
  readAttempts,
  refusedAgain,
  whyLetGo,
  writeAttempts,
} from './attempts.ts'
import type { Found } from './find-workspace.ts'
import { writeGoal } from './goal.ts'
import type { Reply } from './host.ts'
import { type Looked, listen, lookInTime } from './look.ts'
import { type HookEnd, noteInJournal, recordStop } from './record-stop.ts'
import { forOneClaim, holdsGoal, pinned } from './settings.ts'
import type { Doubt } from './stop-request.ts'
import { verifyPart } from './verify-part.ts'
import { endText, letGoText, refusalText } from './words.ts'

/** Only a completion ends a goal: everything else is a pause, and the next stop is asked for both keys again. */
const STANDS = 'The goal stands: tell the agent to go on, or give it up with exitgate goal stop.'

/** Holds a stop against the project. Trouble of our own never lets a goal go silently. */
export async function verifyStop(doubt: Doubt): Promise<Reply> {
  try {
    if (doubt.stop.of !== 'turn') return await verifyPart(doubt)
    return await (doubt.place.goal === undefined ? verifyClaim(doubt) : verifyGoal(doubt))
  } catch (error) {
    const why = `it could not be checked: ${error instanceof Error ? error.message : String(error)}`
    if (doubt.place.goal !== undefined && doubt.stop.of === 'turn') return refuseUnseen(doubt, why)
    return { action: 'pass', message: letGoText(why, []) }
  }
}

/** With a goal, both keys are asked of every stop, and every stop is an iteration of the goal's run. */
async function verifyGoal(doubt: Doubt): Promise<Reply> {
  const { place, asked } = doubt
  const { state } = readJournal(place.stateDir)
  if (place.goal === undefined || !holdsGoal(state, place))
    return refuseUnseen(
      doubt,
      'the run of the goal is not the one in the journal any more; a person has to begin it anew',
    )
  const loaded = pinned(state.config)
  const policy = policyFor(state.config)
  const signals = await listen(doubt, policy)
  const looked = await lookInTime(doubt, state.config, signals.claim === true, state.baselineId)
  const { attempts, file, most } = counted(doubt, looked)
  const why = whyLetGo(attempts, most)
  const { decision } = recordStop({
    place,
    loaded,
    observation: observed(doubt, signals, looked),
    now: asked.world.now(),
    run: place.goal.run,
    waitMs: waitOf(doubt),
    after: () => limitReached(why),
  })
  const { verdict } = decision
  if (verdict.action === 'stop') {
    const { outcome, ending, reason } = verdict
    if (outcome !== 'completed') return { action: 'pass', message: `${endText(verdict)}\n${STANDS}` }
    const end = { outcome: `${outcome}/${ending}`, reason, at: asked.world.now() }
    writeGoal(place.stateDir, { ...place.goal, ended: end })
    return { action: 'pass', message: endText(verdict) }
  }
  if (why !== undefined) return { action: 'pass', message: `${letGoText(why, verdict.missing)}\n${STANDS}` }
  writeAttempts(file, attempts, asked.world.now())
  return {
    action: 'refuse',
    reason: refusalText({
      missing: verdict.missing,
      nth: attempts.row,
      of: most,
      goal: place.goal.text,
      ...(signals.claim === true ? {} : { protocol: policy.prompt }),
      notes: [
        ...(verdict.action === 'advance' ? [`The phase ${verdict.phase} begins.`] : []),
        ...(looked.cut ? [tooLong(doubt)] : []),
      ],
    }),
  }
}

/** Without a goal, the claim of this one message is held against the project. */
async function verifyClaim(doubt: Doubt): Promise<Reply> {
  const { place, asked, heard } = doubt
  const distrust = await untrusted(doubt)
  if (distrust !== undefined) return distrust
  const loaded = await forOneClaim(place.workspace, asked.world)
  const heardWell = await listen(doubt, policyFor(loaded.config))
  const claims = heardWell.claim ?? heard.inWords
  if (!claims || heardWell.vetoes.length > 0) return { action: 'pass' }
  const signals: Signals = heardWell.claim === true ? heardWell : { ...heardWell, claim: true, source: 'words' }
  const looked = await lookInTime(doubt, loaded.config, true, undefined)
  const { attempts, file, most } = counted(doubt, looked)
  const why = whyLetGo(attempts, most)
  const { decision, run } = recordStop({
    place,
    loaded,
    observation: observed(doubt, signals, looked),
    now: asked.world.now(),
    run: attempts.run,
    waitMs: waitOf(doubt),
    after: ({ verdict: { gate } }) => {
      if (isAnswered(gate.proof, looked)) return limitReached(why)
      return { outcome: 'aborted', ending: 'unverifiable', reason: looked.cut ? tooLong(doubt) : NOTHING_ANSWERS }
    },
  })
  const { verdict } = decision
  if (verdict.action === 'stop') return { action: 'pass', message: endText(verdict) }
  if (!isAnswered(verdict.gate.proof, looked))
    return { action: 'pass', message: letGoText(looked.cut ? tooLong(doubt) : NOTHING_ANSWERS, verdict.missing) }
  if (why !== undefined) return { action: 'pass', message: letGoText(why, verdict.missing) }
  writeAttempts(file, { ...attempts, run }, asked.world.now())
  return { action: 'refuse', reason: refusalText({ missing: verdict.missing, nth: attempts.row, of: most }) }
}

const limitReached = (why: string | undefined): HookEnd | undefined =>
  why === undefined ? undefined : { outcome: 'aborted', ending: 'iterations', reason: why }

const NOTHING_ANSWERS = 'nothing here can verify the claim'

/**
 * Whether the project has spoken against the claim: a check said no, or tests were run and would not say yes. Where there are no
 * tests, or no time for them, a conversation is not held up.
 */
const isAnswered = (proof: Answer, { evidence, cut }: Looked): boolean =>
  proof === 'no' || (!cut && evidence.tests !== undefined)

/** A refusal without evidence: something hinders us, and with a goal that is no way out. It is counted like any other. */
export function refuseUnseen(doubt: Doubt, problem: string): Reply {
  const { asked, place } = doubt
  const { attempts, file, most } = counted(doubt, undefined)
  const why = whyLetGo(attempts, most)
  if (why !== undefined) {
    const reason = `${why}: ${problem}`
    noteInJournal(place, [endOrNote(place, reason)], asked.world.now())
    return { action: 'pass', message: `${letGoText(reason, [])}\n${STANDS}` }
  }
  try {
    writeAttempts(file, attempts, asked.world.now())
  } catch (error) {
    // What cannot be counted could be refused for ever.
    const also = error instanceof Error ? error.message : String(error)
    return { action: 'pass', message: letGoText(`${problem}; and it cannot be counted: ${also}`, []) }
  }
  const text = place.goal?.text
  const reason = refusalText({
    missing: [problem],
    nth: attempts.row,
    of: most,
    ...(text === undefined ? {} : { goal: text }),
  })
  return { action: 'refuse', reason }
}

/** The end of the goal's run, where that is the run of the journal. */
function endOrNote(place: Found, reason: string): EventInput {
  const note: EventInput = { type: 'note', text: `a hook let go: ${reason}` }
  try {
    const { state } = readJournal(place.stateDir)
    if (!holdsGoal(state, place)) return note
    return { type: 'run.ended', outcome: 'aborted', ending: 'errors', reason, iteration: state.iterations }
  } catch {
    return note
  }
}

/** The counter as it would stand after one refusal more. */
function counted(
  { asked, stop, place }: Doubt,
  looked: Looked | undefined,
): { attempts: Attempts; file: string; most: number } {
  const file = attemptsFile(place.stateDir, asked.host, stop)
  const tree = Object.values(looked?.evidence ?? {}).find((each) => each.tree !== '')?.tree ?? ''
  const attempts = refusedAgain(readAttempts(file, stop), asked.host, tree)
  return { attempts, file, most: mostInARow(asked.host, asked.world.env, asked.most) }
}

function observed({ asked, stop }: Doubt, signals: Signals, { evidence, ms }: Looked): Observation {
  const session = stop.session === '' ? {} : { session: { id: `${asked.host.name} ${stop.session}`.slice(0, 200) } }
  return { signals, evidence, spent: { ms, tokens: 0, usd: 0 }, interrupted: false, ...session }
}

const tooLong = ({ asked: { host, seconds } }: Doubt): string =>
  `It could not be verified in time: ${host.name} waits ${seconds} s for an answer, and the checks take longer`

/** Another hook may hold the journal for a moment; the host's time is the bound. */
const waitOf = ({ asked: { seconds, world } }: Doubt): number =>
  Math.max(500, Math.min(10_000, (seconds * 1000 - world.age()) / 2))
