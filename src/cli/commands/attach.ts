import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { FeedEvent } from '../../core/loop-event.ts'
import type { RunEnd } from '../../core/run.ts'
import { insideAgent } from '../../hooks/inside-agent.ts'
import { RUN_MARK } from '../../inbox/attempt.ts'
import { lockHolder } from '../../journal/lock.ts'
import { readEvents, readJournal } from '../../journal/read.ts'
import { askRun } from '../../loop/control/ask.ts'
import { followRun } from '../../loop/control/follow-run.ts'
import { CRASHED, findPlace, RESUME } from '../../loop/control/place.ts'
import { endOf } from '../../loop/ending.ts'
import { viewOfJournal } from '../../reports/live/history.ts'
import { MARKER } from '../../system/processes.ts'
import type { Page } from '../command.ts'
import { InputError } from '../errors.ts'
import { OUTCOME_CODES } from '../exit-codes.ts'
import type { Io } from '../io.ts'
import { openLive } from '../live/open.ts'
import { parse } from '../parse.ts'
import { typeCode } from '../person.ts'
import { placeOf, workspaceOf } from '../place.ts'
import { LOOK_OPTIONS, LOOK_ROWS } from '../shared-options.ts'
import { taskNamed } from '../task-place.ts'
import { whyNoAnswer } from '../without-run.ts'

export const OPTIONS = { ...LOOK_OPTIONS, run: { type: 'string' }, plain: { type: 'boolean' } } as const

export const HELP: Page = {
  usage: ['attach [options]'],
  about: 'Show the live view of a run that is running elsewhere, such as after q.',
  rows: [
    ['--run TASK', 'the run of this task of --tasks (default: the run of the project)'],
    ['--plain', 'print lines instead of the live view, for screen readers and logs'],
    ...LOOK_ROWS.map((row) =>
      row[0] === '--json' ? (['--json', 'print JSON lines on stdout until the run ends'] as const) : row,
    ),
  ],
  more: 'The keys are those of exitgate run. q and Ctrl+C leave the view, and the run continues. If the run ends meanwhile, the exit code is the one of exitgate run.',
  examples: ['exitgate attach', 'exitgate attach --run login', 'exitgate attach --plain'],
}

const HISTORY = 5_000
const LOOKS = 50
const LOOK_MS = 100

export async function run(args: readonly string[], io: Io): Promise<number> {
  const { values } = parse('attach', args, OPTIONS)
  const here = workspaceOf(io.cwd, values.dir)
  const place = taskNamed({ workspace: here, dir: placeOf(here, values['state-dir'], io).dir }, values.run)
  const { dir } = place
  const inside = io.env[RUN_MARK] || io.env[MARKER] || insideAgent(io.env, io.pid)
  const live = openLive(io, {
    json: values.json,
    noColor: values['no-color'],
    plain: values.plain,
    exitCode: ({ outcome }) => OUTCOME_CODES[outcome],
  })
  let code: number | undefined
  let leave = (_by: 'you' | 'connection'): void => {}
  const gone = new Promise<'you' | 'connection'>((resolve) => {
    leave = resolve
  })
  const interrupted = (): void => leave('you')
  const onEvent = (event: FeedEvent): void => {
    if (event.type === 'ended') code = OUTCOME_CODES[event.end.outcome]
    live.tell(event.type === 'decided' ? { ...event, state: readJournal(dir).state } : event)
  }
  process.on('SIGINT', interrupted)
  try {
    const { state } = readJournal(dir)
    // While a run takes its baseline, the journal still ends with the run before it.
    if (findPlace(dir)?.run === state.run) live.show?.(viewOfJournal(state, readEvents(dir, { last: HISTORY })))
    const followed = await followRun(dir, { inside, onEvent, onEnd: () => leave('connection') })
    if (followed === undefined)
      throw new InputError(`${whyNoAnswer(place)} To see the last run, use exitgate report --open.`)
    if (typeof followed === 'string') throw new InputError(followed)
    live.listen?.({
      attached: true,
      control: async (control) =>
        (await askRun(dir, control, { inside, typeCode })) ?? { taken: false, text: 'The run has ended.' },
      detach: () => leave('you'),
      readDiff: (file) => readFileSync(join(dir, file), 'utf8'),
    })
    const by = await gone
    followed.close()
    const end = by === 'connection' && code === undefined ? await endInJournal(place) : undefined
    if (end !== undefined) onEvent({ type: 'ended', end, at: io.now() })
    live.close()
    if (code !== undefined) return code
    const left = 'Left the view. The run continues; exitgate attach shows it again.'
    io.stderr.write(`${by === 'you' ? left : `${CRASHED} ${RESUME}`}\n`)
    return by === 'you' ? 0 : OUTCOME_CODES.interrupted
  } finally {
    process.off('SIGINT', interrupted)
    live.close(true)
  }
}

/** The end of a run whose connection ended without one; undefined if the run was killed. */
async function endInJournal(place: Parameters<typeof whyNoAnswer>[0]): Promise<RunEnd | undefined> {
  const { dir } = place
  const isThere = (): boolean => (lockHolder(dir)?.liveness ?? 'gone') !== 'gone'
  // A killed process closes its connections before it is gone, and a run may be about to open its socket again.
  for (let looks = 0; looks < LOOKS && isThere(); looks++) {
    const answer = await askRun(dir, { kind: 'status', by: 'a viewer', reason: 'shows the run' })
    if (answer?.taken) throw new InputError('The connection ended. The run continues; exitgate attach shows it again.')
    await sleep(LOOK_MS)
  }
  const { state } = readJournal(dir)
  if (state.ended !== undefined) return endOf(state)
  if (isThere()) throw new InputError(whyNoAnswer(place))
  return undefined
}
