import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { BASE } from '../config/defaults.ts'
import { eachIdOnce } from '../core/accepting.ts'
import type { Config } from '../core/config.ts'
import type { EventInput, State } from '../core/journal/events.ts'
import { policyFor, presetOf } from '../core/presets/index.ts'
import type { Control } from '../core/run.ts'
import type { Verdict } from '../core/types.ts'
import { decideAndRecord } from '../journal/decide-and-record.ts'
import { JournalError } from '../journal/errors.ts'
import { JOURNAL } from '../journal/load.ts'
import { type Journal, openJournal } from '../journal/log.ts'
import { readJournal } from '../journal/read.ts'
import { writeReadableCopy } from '../journal/readable-copy.ts'
import { journalOfRun } from '../journal/sessions.ts'
import { acceptable } from '../loop/controls.ts'
import { observationWithoutAgent } from '../loop/observation.ts'
import { writeCompat } from '../loop/write-compat.ts'
import { BREAKER_TEXT, withoutRemedy } from '../reports/plain-words.ts'
import { InputError } from './errors.ts'
import { isMember } from './refuse-agent.ts'

/** The result of a control while no run is running. */
export interface Done {
  readonly text: string
  readonly data: object
  readonly problems: readonly string[]
}

interface Place {
  readonly dir: string
  readonly workspace: string
}

/** Ends the unfinished run as forced: the same decision as in the loop, based only on the user's request. */
export function forceRun(place: Place, control: Control, at: number): Done {
  return withRun(place, control, at, (given) => {
    const problems = decide(given, { force: control })
    const { run, ended } = given.journal.state
    const text = `Run ${run} ended as ${ended?.outcome}, forced by ${control.by}: ${control.reason}`
    return { text, data: { run, ...ended }, problems }
  })
}

/** Skips the current phase if the preset has phases, else the task the run was working on. */
export function skipOne(place: Place, control: Control, at: number): Done {
  return withRun(place, control, at, (given) => {
    const { journal, config } = given
    const { by, reason } = control
    if (policyFor(config).phases !== undefined) {
      const skipped = journal.state.counters.phase
      const problems = decide(given, { skipPhase: control })
      const { counters, ended } = journal.state
      const now =
        ended === undefined ? `is now in phase ${counters.phase}` : `ended as ${ended.outcome}/${ended.ending}`
      return { text: `Skipped phase ${skipped}. The run ${now}.`, data: { skipped, ...ended }, problems }
    }
    const task = taskOf(journal.state) ?? ''
    journal.append([controlEvent(control), { type: 'task.skipped', task, by, reason }], at)
    return { text: `Skipped task ${task}.`, data: { skipped: task }, problems: [] }
  })
}

/** Accepts findings of the newest decision, also of an interactive session. The next checks leave them out. */
export function acceptWithoutRun({ dir }: Place, control: Control, at: number): Done {
  const ids = control.kind === 'accept' ? (control.ids ?? []) : []
  return withJournal(journalOfRun(dir, undefined), control, at, (journal) => {
    const findings = acceptable(journal.state, ids)
    if (typeof findings === 'string') throw new InputError(findings)
    const { by, reason } = control
    journal.append([controlEvent(control), { type: 'accepted', findings, by, reason }], at)
    const { run, ended } = journal.state
    const next = ended?.outcome === 'completed' ? '' : ' Continue with exitgate run --resume, or check again.'
    const texts = eachIdOnce(findings).map(({ id, detail }) => `Accepted ${id}: ${withoutRemedy(detail)}`)
    return { text: `${texts.join(' ')}${next}`, data: { run, accepted: findings }, problems: [] }
  })
}

/** Adds the user's words to the prompts of the run that is continued next. */
export function sayWithoutRun(place: Place, control: Control, at: number): Done {
  return withRun(place, control, at, ({ journal }) => {
    const { by, reason } = control
    journal.append([controlEvent(control), { type: 'guidance', text: reason, by }], at)
    const text = 'The agent gets it in its next prompt. Continue with exitgate run --resume.'
    return { text, data: { run: journal.state.run, said: reason }, problems: [] }
  })
}

/** Closes the breaker. The run itself doesn't change. */
export function closeBreaker({ dir }: Place, control: Control, at: number): Done {
  return withJournal(dir, control, at, (journal) => {
    const { state } = journal.state.counters.breaker
    const { by, reason } = control
    journal.append([{ type: 'breaker.reset', by, reason }], at)
    const text =
      state === 'closed'
        ? 'The circuit breaker is already closed.'
        : `The circuit breaker was ${BREAKER_TEXT[state]}. It is closed now.`
    return { text, data: { breaker: 'closed', was: state }, problems: [] }
  })
}

/** Why no run answers: none is running, or its socket is gone. */
export function whyNoAnswer({ dir, workspace }: Place): string {
  try {
    if (existsSync(join(dir, JOURNAL))) openJournal(dir, { waitMs: 0 }).close()
  } catch (error) {
    if (!(error instanceof JournalError)) throw error
    return `The run in ${workspace} does not answer: ${error.message}`
  }
  return `No run is running in ${workspace}.`
}

/** Records that an agent tried this after its run had stopped. */
export function noteRefusal(dir: string, asked: Record<'kind' | 'by' | 'reason', string>, at: number): void {
  const { kind, by, reason } = asked
  if (!existsSync(join(dir, JOURNAL))) return
  const journal = openJournal(dir)
  try {
    journal.append([{ type: 'note', text: `refused: ${kind} by ${by} (${reason}): it came from inside a run` }], at)
  } finally {
    journal.close()
  }
}

function withJournal(dir: string, control: Control, at: number, act: (journal: Journal) => Done): Done {
  if (!existsSync(join(dir, JOURNAL))) throw new InputError(NO_RUN)
  const journal = openJournal(dir)
  try {
    refuseLeftovers(journal, control, at)
    refuseWithoutEffect(journal.state, control)
    return act(journal)
  } finally {
    journal.close()
  }
}

/** The agent may have outlived its loop, or ended it. */
function refuseLeftovers(journal: Journal, { kind, by, reason }: Control, at: number): void {
  if (!isMember(journal.dir, journal.state)) return
  const why = "it came from the run's own agent"
  journal.append([{ type: 'note', text: `refused: ${kind} by ${by} (${reason}): ${why}` }], at)
  throw new InputError(`Refused: ${why}. Run it in your own terminal.`)
}

type Given = Place & Readonly<{ journal: Journal; config: Config; control: Control; now: number }>

const withRun = (place: Place, control: Control, now: number, act: (given: Given) => Done): Done =>
  withJournal(place.dir, control, now, (journal) =>
    act({ ...place, journal, config: { ...BASE, ...journal.state.config }, control, now }),
  )

const NO_RUN = 'There is no run here yet. Pass the project with --dir, or its journals with --state-dir.'

/** Refuses a control that would have no effect, before exitgate asks for a code. */
export function refuseUseless(dir: string, control: Control): void {
  const place = control.kind === 'accept' ? journalOfRun(dir, undefined) : dir
  if (!existsSync(join(place, JOURNAL))) throw new InputError(NO_RUN)
  refuseWithoutEffect(readJournal(place).state, control)
}

function refuseWithoutEffect(state: State, control: Control): void {
  const { run, config, ended } = state
  const { kind } = control
  const findings = kind === 'accept' ? acceptable(state, control.ids ?? []) : []
  if (typeof findings === 'string') throw new InputError(findings)
  if (kind === 'accept' || kind === 'reset-breaker') return
  if (run === undefined || config === undefined) throw new InputError(NO_RUN)
  if (ended?.outcome === 'completed')
    throw new InputError(
      `Run ${run} has already ended as ${ended.outcome}/${ended.ending}: nothing to ${kind === 'guidance' ? 'say' : kind}.`,
    )
  if (kind === 'skip' && policyFor({ ...BASE, ...config }).phases === undefined && taskOf(state) === undefined)
    throw new InputError('Nothing to skip: the run has neither phases nor a task.')
}

function decide(
  { journal, config, workspace, control, now }: Given,
  request: Parameters<typeof observationWithoutAgent>[0],
): readonly string[] {
  const observation = observationWithoutAgent(request)
  const policy = policyFor(config)
  const first = [controlEvent(control)]
  const decided = decideAndRecord(journal, observation, { policy, now, first, eventsAfter: refuseUnforced })
  const { verdict, transitions, facts } = decided
  const { state } = journal
  const files = config.files && presetOf(config).stateFiles === true
  const given = { config, state, observation, verdict, transitions, at: facts.at }
  return [...writeReadableCopy(workspace, state), ...(files ? writeCompat(workspace, given) : [])]
}

/** In some presets an open breaker comes before the user's request; then nothing is recorded. */
function refuseUnforced({ verdict }: { readonly verdict: Verdict }): readonly EventInput[] {
  if (verdict.action === 'advance' || (verdict.action === 'stop' && verdict.outcome === 'completed')) return []
  throw new InputError(`Not done, because another rule comes first: ${verdict.reason}`)
}

const controlEvent = ({ kind, by, reason }: Control): EventInput => ({ type: 'control', kind, by, reason })

const taskOf = (state: State): string | undefined => state.running?.task ?? state.previous?.task ?? state.task
