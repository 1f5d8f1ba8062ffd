import { resolve } from 'node:path'
import { doctorText } from '../../reports/doctor-text.ts'
import { plain } from '../../reports/verdict-text.ts'
import { diagnose } from '../doctor/diagnose.ts'
import { OUTCOME_CODES } from '../exit-codes.ts'
import type { Io } from '../io.ts'
import { LOOK_OPTIONS, type LookValues } from '../look-options.ts'
import { parse } from '../parse.ts'
import { usesColor } from '../terminal.ts'
import { workspaceOf } from '../workspace.ts'

export const OPTIONS = { ...LOOK_OPTIONS, config: { type: 'string' }, quick: { type: 'boolean' } } as const
type Values = LookValues & { readonly config?: string; readonly quick?: boolean }

/** `exitgate doctor`: what was found here, whether it does its work when it is tried, and what is not protected. */
export async function run(args: readonly string[], io: Io): Promise<number> {
  const { values } = parse<Values>('doctor', args, OPTIONS)
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
