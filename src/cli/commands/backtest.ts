import { backtest } from '../../backtest/backtest.ts'
import { withEffect } from '../../backtest/effect.ts'
import { summaryOf } from '../../backtest/summary.ts'
import type { Alternative, RunBacktest } from '../../backtest/types.ts'
import type { JournalEvent } from '../../core/journal/events.ts'
import { policyFor } from '../../core/presets/index.ts'
import { labelsOf } from '../../learning/labels.ts'
import { backtestText, type ProjectBacktest } from '../../reports/backtest-text.ts'
import { plain } from '../../reports/verdict-text.ts'
import { InputError } from '../errors.ts'
import { withThoseAside } from '../history/journals.ts'
import type { Io } from '../io.ts'
import { LOOK_OPTIONS, type LookValues } from '../look-options.ts'
import { parse } from '../parse.ts'
import { placeOf } from '../place.ts'
import { type AlternativeValues, alternativeOf } from '../replay/alternative.ts'
import { type Aside, lookAt } from '../replay/look-at.ts'
import { pastEvents } from '../replay/past.ts'
import { taskPlace } from '../task-place.ts'
import { usesColor } from '../terminal.ts'
import { workspaceOf } from '../workspace.ts'

export const OPTIONS = {
  ...LOOK_OPTIONS,
  preset: { type: 'string' },
  threshold: { type: 'string' },
  set: { type: 'string', multiple: true },
  config: { type: 'string' },
  run: { type: 'string' },
  all: { type: 'boolean' },
} as const

interface Values extends LookValues, AlternativeValues {
  readonly run?: string
  readonly all?: boolean
}

/** `exitgate backtest`: what past runs would have come to under another configuration. */
export async function run(args: readonly string[], io: Io): Promise<number> {
  const { values } = parse<Values>('backtest', args, OPTIONS)
  const workspace = workspaceOf(io.cwd, values.dir)
  const place = placeOf(workspace, values['state-dir'], io)
  const { dir, run: wanted } = taskPlace({ workspace, dir: place.dir }, values.run) ?? {
    dir: place.dir,
    run: values.run,
  }
  const alternative = await alternativeOf(workspace, values, io)
  const runs: ProjectBacktest[] = []
  const broken = lookAt(dir, values.all, io, (each, project, aside) => {
    for (const one of runsOf(each, alternative, aside))
      if (wanted === undefined || one.run === wanted) runs.push(project === undefined ? one : { project, ...one })
  })
  if (values.run !== undefined && runs.length === 0 && broken.length === 0)
    throw new InputError(`there is no run ${plain(values.run)} here; exitgate history --events lists them`)
  const summary = summaryOf(runs)
  if (values.json)
    io.stdout.write(`${JSON.stringify({ alternative: alternative.name, runs, summary, unreadable: broken })}\n`)
  else if (runs.length === 0) io.stderr.write('exitgate: nothing has been recorded here yet\n')
  else
    io.stdout.write(
      `with ${plain(alternative.name)}\n${backtestText(runs, summary, { color: usesColor(io.stdout, io.env, values['no-color']) })}`,
    )
  return 0
}

/** The runs of a journal and of those before it. Labels stand behind the runs they are about, so they are laid on last. */
function runsOf(dir: string, alternative: Alternative, aside: Aside): readonly ProjectBacktest[] {
  const labelled: JournalEvent[] = []
  const keeping = function* (events: Iterable<JournalEvent>) {
    for (const event of events) {
      if (event.type === 'labelled') labelled.push(event)
      yield event
    }
  }
  const runs: RunBacktest[] = []
  const read = (folder: string) => runs.push(...backtest(keeping(pastEvents(folder)), alternative, policyFor))
  for (const folder of withThoseAside(dir)) folder === dir ? read(folder) : aside(folder, read)
  const labels = labelsOf(labelled)
  return runs.map((run) => withEffect(run, labels.get(run.run)?.label))
}
