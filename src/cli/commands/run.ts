import { accessSync, constants, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { resolve } from 'node:path'
import type { Loaded } from '../../config/load.ts'
import { ownPartsOf } from '../../core/own-parts.ts'
import type { RunEnd } from '../../core/run.ts'
import { planFiles, planNow, planPath } from '../../evidence/plan/view.ts'
import { openWorkspace } from '../../evidence/workspace.ts'
import { readJournal } from '../../journal/read.ts'
import { agentOf, withAgentOf, withArguments } from '../../loop/agent/choose-agent.ts'
import { keptPrompt } from '../../loop/prompt.ts'
import { errorCode } from '../../system/files.ts'
import { InputError } from '../errors.ts'
import { KILLED, OUTCOME_CODES } from '../exit-codes.ts'
import type { Io } from '../io.ts'
import { openLive } from '../live/open.ts'
import { parseWithCommand } from '../parse.ts'
import { placeOf, workspaceOf } from '../place.ts'
import { readText } from '../read-text.ts'
import { peopleOnly, refuseOwnAgent } from '../refuse-agent.ts'
import { loadRunConfig, RUN_OPTIONS, type RunValues } from '../run/options.ts'
import { promptOf } from '../run/prompt-of.ts'
import { startRun } from '../run/start-run.ts'

export { RUN_OPTIONS as OPTIONS } from '../run/options.ts'

/** `exitgate run`: run an agent until it is really done, or until something says that it will not be. */
export async function run(args: readonly string[], io: Io): Promise<number> {
  const { values, afterDashes } = parseWithCommand('run', args, RUN_OPTIONS)
  if (values.tasks !== undefined || values.parallel !== undefined || values.merge !== undefined) {
    const { runTasks } = await import('../run/parallel.ts')
    return runTasks(values, afterDashes, io)
  }
  const workspace = workspaceOf(io.cwd, values.dir)
  const read = await loadRunConfig(workspace, values, io)
  const force = forceOf(values, io)
  const { dir, warning } = placeOf(workspace, values['state-dir'], io)
  const { state } = readJournal(dir)
  refuseOwnAgent('run', state, io)
  const before = values.resume ? state : undefined
  // A resumed run has its agent already, unless the person names another one.
  const named = afterDashes.length > 0 || values.agent !== undefined
  const loaded = named ? withArguments(read, afterDashes) : withAgentOf(read, before?.config?.run)
  const agent = agentOf({
    config: loaded.config.run,
    own: ownPartsOf(loaded.config).agents,
    workspace,
    env: io.env,
  })
  // The agent can write the file, so a resumed run goes on with the prompt it started with, unless the person names one.
  const kept = values.prompt === undefined ? keptPrompt(dir, before?.run) : undefined
  const prompt = kept ?? promptOf(workspace, io.cwd, loaded, values.task !== undefined)
  const task = values.task === undefined ? {} : { task: values.task }
  if (prompt === '' && values.task === undefined && loaded.config.plan === undefined && loaded.config.run.agent)
    throw new InputError(
      'the agent has nothing to do: write PROMPT.md, or name a prompt, a task or a plan with --prompt, --task or --plan',
    )
  if (!values.resume) assertPlan(loaded, workspace)
  assertTemporaryFolder()
  if (values['dry-run']) {
    const { dryRun } = await import('../run/dry-run.ts')
    return dryRun({ workspace, dir, loaded, agent, prompt, ...task, json: values.json === true }, io)
  }
  const shown = openLive(io, {
    json: values.json,
    jsonOutput: values['json-output'],
    quiet: values.quiet,
    noColor: values['no-color'],
    plain: values.plain,
    exitCode: codeOf,
  })
  const setup = { workspace, dir, loaded, agent, prompt, ...task, ...force }
  try {
    if (warning !== undefined) shown.tell({ type: 'warning', text: warning, at: io.now() })
    const end = await startRun(
      {
        ...setup,
        resume: values.resume === true,
        allowRemote: values['allow-remote-control'] === true,
        emit: shown.tell,
        ...(shown.menu === undefined ? {} : { menu: shown.menu }),
        onKilled(end) {
          shown.close()
          process.exit(codeOf(end))
        },
      },
      io,
    )
    return codeOf(end)
  } finally {
    shown.close()
  }
}

/** Plans are read again after every iteration, up to this size. */
const MOST_PLAN_MEGABYTES = 2

/** A mistyped name would cost a night: nothing could ever be proven. A preset's usual place may be empty. */
function assertPlan({ config, sources }: Loaded, workspace: string): void {
  if (config.plan === undefined || /^(?:preset |default)/.test(sources.get('plan') ?? 'default')) return
  const path = resolve(workspace, config.plan)
  const stat = statSync(path, { throwIfNoEntry: false })
  if (stat === undefined)
    throw new InputError(`the plan ${config.plan} does not exist in ${workspace}; check the path, or leave it out`)
  const view = planNow(openWorkspace(workspace))
  if (!stat.isDirectory() && !stat.isFile())
    throw new InputError(`the plan ${path} is not a regular file; name a Markdown or JSON file, or a folder of tasks`)
  if (stat.isFile() && readText('the plan', path, MOST_PLAN_MEGABYTES).trim() === '')
    throw new InputError(`the plan ${path} is empty; write the tasks into it, or leave it out`)
  if (planFiles(view, planPath(workspace, config.plan)).length === 0)
    throw new InputError(`the plan ${path} has no Markdown file of a task; name another folder or a file`)
}

/** Every test run needs it: without it nothing could ever be verified. */
function assertTemporaryFolder(): void {
  try {
    accessSync(`${tmpdir()}/.`, constants.W_OK)
  } catch (error) {
    throw new InputError(
      `the temporary folder ${tmpdir()} can't be used (${errorCode(error)}); set TMPDIR to a folder you can write to`,
    )
  }
}

const codeOf = (end: RunEnd): number => (end.killed ? KILLED : OUTCOME_CODES[end.outcome])

function forceOf(values: RunValues, io: Io): { readonly force?: { readonly by: string; readonly reason: string } } {
  if (values['force-complete'] !== true) return {}
  if (!values.reason?.trim())
    throw new InputError('--force-complete needs --reason "..."; it is written into the journal')
  peopleOnly('run --force-complete', io)
  return { force: { by: values.by ?? 'a person', reason: values.reason } }
}
