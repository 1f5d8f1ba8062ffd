import type { Config } from '../core/config.ts'
import { scrubbed } from '../evidence/scrub-environment.ts'
import { runCommand } from '../system/run-command.ts'

const LAST_LINES = 12
const LONGEST_LINE = 300

/** Runs the command that makes a fresh worktree ready. Gives a sentence with its last lines when it did not succeed. */
export async function setUp(
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
    ran.problem ??
    (ran.ended === 'deadline' ? 'it took too long' : `exit ${ran.code === null ? 'by a signal' : ran.code}`)
  const last = ran.output
    .split('\n')
    .map((line) => line.trimEnd().slice(0, LONGEST_LINE))
    .filter((line) => line !== '')
    .slice(-LAST_LINES)
  return [`run.setup failed (${how}): ${run.setup}`, ...last].join('\n')
}
