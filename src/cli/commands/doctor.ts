import { resolve } from 'node:path'
import { doctorText } from '../../reports/doctor-text.ts'
import { diagnose } from '../diagnose.ts'
import { USAGE } from '../exit-codes.ts'
import type { Io } from '../io.ts'
import { LOOK_OPTIONS, type LookValues } from '../look-options.ts'
import { parse } from '../parse.ts'
import { usesColor } from '../terminal.ts'
import { workspaceOf } from '../workspace.ts'

export const OPTIONS = { ...LOOK_OPTIONS, config: { type: 'string' } } as const

/** `exitgate doctor`: what was found here, why, and what is missing before evidence can be gathered. */
export async function run(args: readonly string[], io: Io): Promise<number> {
  const { values } = parse<LookValues & { config?: string }>('doctor', args, OPTIONS)
  const config = values.config === undefined ? undefined : resolve(io.cwd, values.config)
  const diagnosis = await diagnose({ dir: workspaceOf(io.cwd, values.dir), config, stateDir: values['state-dir'] }, io)
  if (values.json) io.stdout.write(`${JSON.stringify(diagnosis, null, 2)}\n`)
  else io.stdout.write(doctorText(diagnosis, { color: usesColor(io.stdout, io.env, values['no-color']) }))
  return diagnosis.ready ? 0 : USAGE
}
