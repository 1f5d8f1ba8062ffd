import { ConfigError } from '../config/errors.ts'
import { approvableIn } from '../hooks/trust.ts'
import { trustOf } from '../hooks/trust-file.ts'
import { readJournal } from '../journal/read.ts'
import type { Io } from './io.ts'

interface Place {
  readonly workspace: string
  readonly stateDir: string
  readonly newRun: boolean
  readonly io: Io
}

/**
 * An agent may have edited the configuration since it was executed last, and `check` would run that as the user. So changed code runs
 * only after the user approved it.
 */
export async function refuseChangedCode(
  { workspace, stateDir, newRun, io }: Place,
  name: string,
  hash: string,
): Promise<void> {
  const { run, ended, code } = readJournal(stateDir).state
  if (code === undefined || code === hash) return
  if (run !== undefined && ended === undefined && !newRun)
    throw new ConfigError(
      `${name} has changed since the run started, and it was not executed. Restore it, or start a new run with --new-run.`,
    )
  if (trustOf(stateDir, await approvableIn(workspace, io.platform)) === 'approved') return
  throw new ConfigError(
    `${name} has changed since exitgate last used it here, and it was not executed. Review it, then approve it with: exitgate trust`,
  )
}
