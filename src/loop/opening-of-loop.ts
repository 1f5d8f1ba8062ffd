import { count } from '../../packages/core/src/count.ts'
import { type StoredSession, storedSession } from '../compat/index.ts'
import type { Loaded } from '../config/load.ts'
import type { State } from '../core/journal/events.ts'
import { ownPartsOf } from '../core/own-parts.ts'
import { policyFor } from '../core/presets/index.ts'
import { openWorkspace } from '../evidence/workspace.ts'
import { JournalError } from '../journal/errors.ts'
import { calibrationFor } from './calibration-file.ts'
import { type Opening, opening } from './opening.ts'

interface LoopOpeningOptions {
  /** The folder of this workspace's journal. */
  readonly dir: string
  readonly loaded: Loaded
  readonly workspace: string
  readonly resume: boolean
  readonly task?: string
}

/** How a loop starts its run, or resumes the one in the journal. */
export function openingOfLoop(state: State, options: LoopOpeningOptions, now: number): Opening {
  const { dir, loaded, resume, task } = options
  const about = { loaded, now, ...(task === undefined ? {} : { task }) }
  const stored = resume && state.run === undefined ? sessionToResume(options) : undefined
  if (stored !== undefined) {
    const { file, id, phase } = stored
    const opened = opening(state, { ...about, newRun: true, phase })
    const text = `Resuming the session ${id} of ${file} in phase ${phase}. exitgate did not verify the phases before it.`
    return { ...opened, warnings: [...opened.warnings, text] }
  }
  if (resume) assertResumable(state, loaded)
  const opened = opening(state, { ...about, newRun: !resume, resumed: resume, ...calibrationFor(dir) })
  if (!resume) return unfinishedNoted(opened, state)
  const reason = state.ended === undefined ? 'the previous process was gone' : `it had ended as ${state.ended.ending}`
  const again = state.ended === undefined || state.ended.outcome === 'interrupted' ? {} : ({ again: true } as const)
  return { ...opened, first: [{ type: 'run.resumed', iteration: state.iterations, reason, ...again }, ...opened.first] }
}

/** A session of an older system, for a workspace without a journal. */
function sessionToResume({ workspace, loaded, task }: LoopOpeningOptions): StoredSession | undefined {
  const stored = storedSession(loaded.config, task, openWorkspace(workspace).read)
  const known = policyFor(loaded.config).phases ?? []
  const problem =
    stored !== undefined && stored.problem === undefined && !known.includes(stored.phase)
      ? `its phase ${stored.phase} is turned off here`
      : stored?.problem
  if (stored !== undefined && problem !== undefined)
    throw new JournalError(
      `The session in ${stored.file} can't be resumed: ${problem}. Start a new run with \`exitgate run\` without --resume.`,
      64,
    )
  return stored
}

/** Refuses to resume a finished run, or one with other code than it started with. */
function assertResumable({ run, ended, config, attempt, baseline }: State, loaded: Loaded): void {
  const start = 'Start one with `exitgate run` without --resume.'
  if (run === undefined || config === undefined) throw new JournalError(`There is no run to resume here. ${start}`, 64)
  if (attempt === undefined && baseline === undefined)
    throw new JournalError(`There is no run to resume here: ${run} was started by a check. ${start}`, 64)
  if (ended?.outcome === 'completed')
    throw new JournalError(
      `The run ${run} is finished (${ended.outcome}/${ended.ending}). Start a new one with \`exitgate run\` without --resume.`,
      64,
    )
  ownPartsOf(config)
  if (config.preset !== loaded.config.preset)
    throw new JournalError(
      `The run ${run} uses the preset "${config.preset}", not "${loaded.config.preset}". Resume it with --preset ${config.preset}.`,
      64,
    )
}

function unfinishedNoted(opened: Opening, { run, ended, iterations, config }: State): Opening {
  if (run === undefined || ended !== undefined || config === undefined) return opened
  const text = `The run ${run} was left unfinished after ${count(iterations, 'iteration')}. This is a new run. To continue the old one, use --resume.`
  return { ...opened, warnings: [...opened.warnings, text] }
}
