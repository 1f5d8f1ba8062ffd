import { resolve } from 'node:path'
import { doctorText } from '../../reports/doctor-text.ts'
import { plain } from '../../reports/verdict-text.ts'
import type { Page } from '../command.ts'
import { diagnose } from '../doctor/diagnose.ts'
import { OUTCOME_CODES } from '../exit-codes.ts'
import { type Io, usesColor } from '../io.ts'
import { parse } from '../parse.ts'
import { assertTemporaryFolder, workspaceOf } from '../place.ts'
import { CONFIG_ROWS, LOOK_OPTIONS } from '../shared-options.ts'

export const OPTIONS = { ...LOOK_OPTIONS, config: { type: 'string' }, quick: { type: 'boolean' } } as const

export const HELP: Page = {
  usage: ['doctor [options]'],
  about: 'Test whether exitgate can verify work here: commands, hooks, and what is not protected.',
  rows: [['--quick', "only look; don't run commands or hooks"], ...CONFIG_ROWS],
  more: 'Each command runs in a copy of the project, once as it is and once with broken tests, and must fail there. Each installed hook gets a false "all tests pass" and must refuse it. Your files are not touched. Exit code 2 means that something important is missing.',
  examples: ['exitgate doctor', 'exitgate doctor --quick', 'exitgate doctor --dir packages/api --json'],
}

/** Lines are broken only in a terminal. */
const styleOf = (io: Io, noColor: boolean | undefined) => ({
  color: usesColor(io.stdout, io.env, noColor),
  ...(io.stdout.columns === undefined ? {} : { columns: io.stdout.columns }),
})

export async function run(args: readonly string[], io: Io): Promise<number> {
  const { values } = parse('doctor', args, OPTIONS)
  assertTemporaryFolder()
  const interrupted = new AbortController()
  const interrupt = (): void => interrupted.abort()
  // Ends the commands and removes the copies before the program exits.
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(name, interrupt)
  try {
    const diagnosis = await diagnose(
      {
        dir: workspaceOf(io.cwd, values.dir),
        config: values.config === undefined ? undefined : resolve(io.cwd, values.config),
        stateDir: values['state-dir'],
        quick: values.quick,
        signal: interrupted.signal,
        progress: (what) => (io.stderr.isTTY ? io.stderr.write(`${plain(what)} ...\n`) : undefined),
      },
      io,
    )
    if (interrupted.signal.aborted) return OUTCOME_CODES.interrupted
    if (values.json) io.stdout.write(`${JSON.stringify(diagnosis, null, 2)}\n`)
    else io.stdout.write(doctorText(diagnosis, styleOf(io, values['no-color'])))
    return diagnosis.ok ? 0 : OUTCOME_CODES.aborted
  } finally {
    for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.off(name, interrupt)
  }
}
