import type { Config } from '../core/config.ts'
import { scrubbed } from '../evidence/scrub-environment.ts'
import { runCommand } from '../system/run-command.ts'

const LAST_LINES = 12
const LONGEST_LINE = 300

/** Runs the setup command in a new worktree. Returns an error with its last lines if it fails. */
export async function runSetup(
  workspace: string,
  { run, evidence }: Config,
  signal: AbortSignal,
): Promise<string | undefined> {
  if (run.setup === undefined) return undefined
  const ran = await runCommand(workspace, run.setup, {
    deadlineMs: run.iterationMinutes * 60_000,
    env: scrubbed(process.env, evidence.passEnv),
    signal,
  })
  if (ran.code === 0 && ran.ended === 'exit') return undefined
  const how =
    ran.problem ?? (ran.ended === 'deadline' ? 'timed out' : `exit ${ran.code === null ? 'by a signal' : ran.code}`)
  const last = ran.output
    .split('\n')
    .map((line) => line.trimEnd().slice(0, LONGEST_LINE))
    .filter((line) => line !== '')
    .slice(-LAST_LINES)
  return [`run.setup failed (${how}): ${run.setup}`, ...last].join('\n')
}
