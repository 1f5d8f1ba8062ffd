import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { configure } from '../../src/config/project-config.ts'
import type { EventInput } from '../../src/core/journal/events.ts'
import { openJournal } from '../../src/journal/log.ts'
import { stateDirFor } from '../../src/journal/place.ts'
import { writePlace } from '../../src/loop/control/place.ts'
import { project } from './run-cli.ts'

const started = (run: string): EventInput => ({ type: 'run.started', run, config: configure({}) })
const working: EventInput = { type: 'iteration.started', iteration: 1, attempt: 1 }
const ended = (ending: 'interrupt' | 'forced', reason: string): EventInput => ({
  type: 'run.ended',
  outcome: ending === 'forced' ? 'completed' : 'aborted',
  ending,
  reason,
  iteration: 0,
})
const INTERRUPTED = `Interrupted: stopped at once by the user.
Run b, after 0 iterations, preset default. Nothing was decided.

What to do:
  - \`exitgate run --resume\` continues it.
`

const waiting = (status: string, advice: string) =>
  `Run b, preset default, ${status}.\n\nWhat to do:\n  - \`exitgate ${advice}.\n`
/** No system gives a process this pid. */
const DEAD = 2 ** 30

/** The lock of a run in a container. */
const ELSEWHERE = { pid: DEAD, host: 'another machine', at: 1, command: 'run', nonce: '0'.repeat(32) }

const rows: readonly (readonly [string, readonly EventInput[], string, pid?: number, lock?: object | 'folder'])[] = [
  ['a run that was interrupted', [working, ended('interrupt', 'stopped at once by the user')], INTERRUPTED],
  [
    'a run that was forced',
    [working, ended('forced', 'by the user: good enough')],
    `Forced, not verified: by the user: good enough.
Run b, after 0 iterations, preset default. Nothing was decided.

What to do:
  - \`exitgate check\` checks the project as it is now.
`,
  ],
  ['a run of which only the journal knows', [working], waiting('has no decision yet', 'status` shows it')],
  ['a run that is going on', [working], waiting('has no decision yet', 'attach` shows it'), process.pid],
  [
    'a run that was killed',
    [working],
    waiting('crashed before its first decision', 'run --resume` continues it'),
    DEAD,
  ],
  [
    'a run that was killed, with a lock that cannot be read',
    [working],
    waiting('crashed before its first decision', 'run --resume` continues it'),
    DEAD,
    'folder',
  ],
  ['a run on another machine', [working], waiting('has no decision yet', 'status` shows it'), DEAD, ELSEWHERE],
]

it.for(rows)('explain without a decision: %s', async ([, events, text, pid, lock]) => {
  const { run, state, dir } = project()
  const place = stateDirFor(dir, { stateDir: state, env: {}, platform: 'linux', home: dir }).dir
  const journal = openJournal(place)
  journal.append([started('b'), ...events], 1)
  journal.close()
  if (pid !== undefined) writePlace(place, { path: '', folder: '', run: 'b', pid })
  if (lock === 'folder') mkdirSync(join(place, 'lock'))
  else if (lock !== undefined) writeFileSync(join(place, 'lock'), JSON.stringify(lock))
  const crashed = pid === DEAD && lock !== ELSEWHERE
  const status = await run(['status'])
  expect([status.stdout.includes('Crashed: exitgate was killed'), status.stdout.includes('--resume')]).toEqual([
    crashed,
    crashed,
  ])
  expect((await run(['status', '--json'])).json.crashed).toBe(crashed || undefined)
  expect(await run(['explain'])).toMatchObject({ code: 0, stdout: text })
  expect(JSON.parse((await run(['explain', '--json'])).stdout)).toMatchObject({ run: 'b', iteration: 0 })
})

it('explain shows how the newest run ended, not the decision of an older one', async () => {
  const { run, state, dir, write } = project()
  write('transcript.txt', 'EXIT_STATUS: COMPLETE\nEXIT_REASON: done\nREMAINING_WORK: none\n')
  write('evidence.json', JSON.stringify({ tests: { answer: 'yes', detail: '1 passed' } }))
  await run(['check', '--transcript', 'transcript.txt', '--evidence', 'evidence.json'])
  expect(await run(['explain'])).toMatchObject({ code: 0, stdout: expect.stringContaining('iteration 1') })
  const journal = openJournal(stateDirFor(dir, { stateDir: state, env: {}, platform: 'linux', home: dir }).dir)
  journal.append([started('b'), working, ended('interrupt', 'stopped at once by the user')], Date.now())
  journal.close()
  expect(await run(['explain'])).toMatchObject({ code: 0, stdout: INTERRUPTED })
})
