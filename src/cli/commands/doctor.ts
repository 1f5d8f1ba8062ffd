import { resolve } from 'node:path'
import { doctorText } from '../../reports/doctor-text.ts'
import { plain } from '../../reports/verdict-text.ts'
import type { Page } from '../command.ts'
import { diagnose } from '../doctor/diagnose.ts'
import { OUTCOME_CODES } from '../exit-codes.ts'
import { type Io, usesColor } from '../io.ts'
import { parse } from '../parse.ts'
import { workspaceOf } from '../place.ts'
import { CONFIG_ROWS, LOOK_OPTIONS } from '../shared-options.ts'

export const OPTIONS = { ...LOOK_OPTIONS, config: { type: 'string' }, quick: { type: 'boolean' } } as const

export const HELP: Page = {
  usage: ['doctor [options]'],
  about:
    'Proves the installation. What evidence can be gathered here, from which commands and why; each of them is run in a copy of the project, as it is and with broken tests, and must go red there. Each installed hook is asked by a small failing project whether its agent may stop after "all tests pass", and must refuse. Then what is not protected. Your tree is not touched, and nothing is left behind.',
  rows: [['--quick', 'only look: run neither commands nor hooks'], ...CONFIG_ROWS],
  more: 'Exit code 0 when all is well, 2 when something that matters is missing: no test command that can be run, a command that stays green with broken tests, a hook that lets a false claim pass, a hook in a folder that was never approved.',
  examples: ['exitgate doctor', 'exitgate doctor --quick', 'exitgate doctor --dir packages/api --json'],
}

/** `exitgate doctor`: what was found here, whether it does its work when it is tried, and what is not protected. */
export async function run(args: readonly string[], io: Io): Promise<number> {
  const { values } = parse('doctor', args, OPTIONS)
  const interrupted = new AbortController()
  const interrupt = (): void => interrupted.abort()
  // Commands in copies are ended and the copies removed before the program goes.
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(name, interrupt)
  try {
    const diagnosis = await diagnose(
      {
        dir: workspaceOf(io.cwd, values.dir),
        config: values.config === undefined ? undefined : resolve(io.cwd, values.config),
        stateDir: values['state-dir'],
        quick: values.quick,
        signal: interrupted.signal,
        tell: (what) => (io.stderr.isTTY ? io.stderr.write(`exitgate: ${plain(what)} ...\n`) : undefined),
      },
      io,
    )
    if (interrupted.signal.aborted) return OUTCOME_CODES.interrupted
    if (values.json) io.stdout.write(`${JSON.stringify(diagnosis, null, 2)}\n`)
    else io.stdout.write(doctorText(diagnosis, { color: usesColor(io.stdout, io.env, values['no-color']) }))
    return diagnosis.ok ? 0 : OUTCOME_CODES.aborted
  } finally {
    for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.off(name, interrupt)
  }
}
