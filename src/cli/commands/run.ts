import { readFileSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { count } from '../../../packages/core/src/count.ts'
import { LAUNCHERS } from '../../agents/launch/index.ts'
import type { Loaded } from '../../config/load.ts'
import type { LoopEvent } from '../../core/loop-event.ts'
import { ownPartsOf } from '../../core/own-parts.ts'
import type { PreflightFact, RunEnd } from '../../core/run.ts'
import { detect, preferred } from '../../evidence/detect/index.ts'
import { readHeldOut, restoreHeldOut } from '../../evidence/held-out/store.ts'
import { planFiles, planNow, planPath } from '../../evidence/plan/view.ts'
import { openWorkspace } from '../../evidence/workspace.ts'
import { readGoal } from '../../hooks/goal.ts'
import { readJournal } from '../../journal/read.ts'
import { agentOf, withAgentOf, withArguments } from '../../loop/agent/choose-agent.ts'
import { withFoundPlan } from '../../loop/found-plan.ts'
import { openingOfLoop } from '../../loop/opening-of-loop.ts'
import { preflight } from '../../loop/preflight/index.ts'
import { keptPrompt } from '../../loop/prompt.ts'
import { plain } from '../../reports/verdict-text.ts'
import { InputError } from '../errors.ts'
import { KILLED, OUTCOME_CODES } from '../exit-codes.ts'
import { DEFAULT_BY, type Io } from '../io.ts'
import { keepProgram } from '../keep-program.ts'
import { openLive } from '../live/open.ts'
import { parse } from '../parse.ts'
import { assertTemporaryFolder, placeOf, workspaceOf } from '../place.ts'
import { assertReadable, readText } from '../read-text.ts'
import { refuseOwnAgent, userOnly } from '../refuse-agent.ts'
import { giveBackTerminal } from '../run/detach.ts'
import { loadRunConfig, RUN_OPTIONS, type RunValues } from '../run/options.ts'
import { promptOf } from '../run/prompt-of.ts'
import { startRun } from '../run/start-run.ts'

export { RUN_OPTIONS as OPTIONS } from '../run/options.ts'

export async function run(args: readonly string[], io: Io): Promise<number> {
  const { values, afterDashes } = parse('run', args, RUN_OPTIONS, 0, meantByArgument)
  keepProgram()
  if (values.tasks !== undefined || values.parallel !== undefined || values.merge !== undefined) {
    const { runTasks } = await import('../run/parallel.ts')
    return runTasks(values, afterDashes, io)
  }
  const workspace = workspaceOf(io.cwd, values.dir)
  const read = await loadRunConfig(workspace, values, io)
  const force = forceOf(values, io)
  const { dir, warning } = placeOf(workspace, values['state-dir'], io)
  const { state } = readJournal(dir)
  refuseOwnAgent('run', dir, state, io)
  if (values.resume) {
    assertNotStoppedGoal(dir, state.run)
    // Before an agent is looked for: without a run to resume, none is needed. A finished run still has its agent.
    if (state.ended?.outcome !== 'completed')
      openingOfLoop(state, { dir, loaded: read, workspace, resume: true }, io.now())
  }
  const before = values.resume ? state : undefined
  // A resumed run keeps its agent, unless the user names another one.
  const named = afterDashes.length > 0 || values.agent !== undefined
  const chosen = named ? withArguments(read, afterDashes) : withAgentOf(read, before?.config?.run)
  const agent = agentOf({
    config: chosen.config.run,
    own: ownPartsOf(chosen.config).agents,
    workspace,
    env: io.env,
    mayBeMissing: values.anyway === true,
  })
  // The agent can change the file, so a resumed run keeps the prompt it started with, unless the user passes one.
  const kept = values.prompt === undefined ? keptPrompt(dir, before?.run) : undefined
  const prompt = kept ?? promptOf(workspace, io.cwd, chosen, values.task !== undefined)
  const task = values.task === undefined ? {} : { task: values.task }
  const { loaded, search } = values.resume
    ? { loaded: chosen, search: undefined }
    : withFoundPlan(chosen, workspace, [prompt, values.task ?? ''])
  if (!values.resume) assertPlan(loaded, workspace)
  assertTemporaryFolder()
  const handle = openWorkspace(workspace, { env: io.env, allow: loaded.config.evidence.passEnv })
  const tests = preferred(await detect(handle, { commands: loaded.config.commands, platform: io.platform }), 'test')
  const facts = preflight({
    ...{ workspace: handle, stateDir: dir, state, loaded, search, tests, env: io.env, platform: io.platform },
    ...{ now: io.now(), work: { prompt, ...task } },
  })
  if (values['dry-run']) {
    const { dryRun } = await import('../run/dry-run.ts')
    await dryRun({ workspace, dir, loaded, agent, prompt, ...task, facts, json: values.json === true }, io)
  }
  if (!values.resume && !values.anyway) refuseHopeless(facts)
  if (values['dry-run']) return 0
  const shown = openLive(io, {
    json: values.json,
    jsonOutput: values['json-output'],
    quiet: values.quiet,
    noColor: values['no-color'],
    plain: values.plain,
    exitCode: codeOf,
  })
  const setup = { workspace, dir, loaded, agent, prompt, ...task, ...force }
  let detached = false
  const detach = (): void => {
    detached = true
    void shown
      .detach(() => giveBackTerminal(io))
      .then(() => {
        detached = false
      })
  }
  try {
    const at = io.now()
    const before: LoopEvent[] = []
    if (warning !== undefined) before.push({ type: 'warning', text: warning, at })
    if (!values.resume) before.push({ type: 'preflight', facts, at })
    const end = await startRun(
      {
        ...setup,
        before,
        resume: values.resume === true,
        allowRemote: values['allow-remote-control'] === true,
        emit: shown.tell,
        showCode: shown.showCode,
        listen: (control) =>
          shown.listen?.({ control, detach, readDiff: (file) => readFileSync(join(dir, file), 'utf8') }),
        isDetached: () => detached,
        ...(shown.menu === undefined ? {} : { menu: shown.menu }),
        ...(shown.askFailing === undefined ? {} : { askFailing: shown.askFailing }),
        onKilled(end) {
          shown.close()
          process.exit(codeOf(end))
        },
      },
      io,
    )
    shown.close()
    const held = putBack(end, workspace, dir)
    if (held !== undefined && !detached) io.stderr.write(`${held}\n`)
    return codeOf(end)
  } finally {
    shown.close()
  }
}

/** A run that can't complete only costs money. */
function refuseHopeless(facts: readonly PreflightFact[]): void {
  const blocking = facts.filter(({ blocks }) => blocks)
  if (blocking.length === 0) return
  const lines = blocking.map(
    ({ text, remedy = '' }) => `${text.replace(/^./, (first) => first.toUpperCase())}. ${remedy}`,
  )
  const anyway = lines.some((line) => line.includes('--anyway')) ? '' : ' To start it in spite of this, use --anyway.'
  const why = blocking.every(({ name }) => name === 'limits' || name === 'task')
    ? 'This run was not started.'
    : "This run can't complete."
  throw new InputError(`${why} ${lines.join(' ')}${anyway}`)
}

/** After a completed run the held-out files come back. Otherwise the agent may continue, and must not see them. */
function putBack({ outcome, run }: RunEnd, workspace: string, dir: string): string | undefined {
  try {
    const held = readHeldOut(dir).length
    if (held === 0 || run === '') return undefined
    if (outcome !== 'completed')
      return `Still held out: ${count(held, 'file')}. To put ${held === 1 ? 'it' : 'them'} back: exitgate hold-out --restore`
    const { files, blocked } = restoreHeldOut(workspace, dir)
    if (blocked.length === 0) return `Put back ${count(files.length, 'held-out file')}.`
    return `${blocked.join(', ')} exists with other content. Move it away, then run: exitgate hold-out --restore`
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}

/** What the user probably meant by an argument without an option. */
function meantByArgument(word: string): string {
  if (word === 'acp' || LAUNCHERS.some(({ name }) => name === word)) return `--agent ${word}`
  if (/^\S+\.md$/.test(word)) return /prompt/i.test(word) ? `--prompt ${word}` : `--plan ${word}`
  if (/^\S+\.(?:ya?ml|json)$/.test(word)) return `--tasks ${word}`
  return /^\S*[/.]\S*$/.test(word) ? `-- ${word}` : `--task ${JSON.stringify(word)}`
}

/** Plans are read again after every iteration, up to this size. */
const MOST_PLAN_MEGABYTES = 2

/** With a mistyped plan, no claim could ever be verified. The default plan of a preset may be missing. */
function assertPlan({ config, sources }: Loaded, workspace: string): void {
  if (config.plan === undefined || /^(?:preset |default)/.test(sources.get('plan') ?? 'default')) return
  const path = resolve(workspace, config.plan)
  assertReadable('The plan', path)
  const stat = statSync(path, { throwIfNoEntry: false })
  if (stat === undefined)
    throw new InputError(`The plan ${config.plan} does not exist in ${workspace}. Check the path, or leave it out.`)
  const view = planNow(openWorkspace(workspace))
  if (!stat.isDirectory() && !stat.isFile())
    throw new InputError(`The plan ${path} is not a regular file. Pass a Markdown or JSON file, or a folder of tasks.`)
  if (stat.isFile() && readText('The plan', path, MOST_PLAN_MEGABYTES).trim() === '')
    throw new InputError(`The plan ${path} is empty. Add tasks to it, or leave it out.`)
  if (planFiles(view, planPath(workspace, config.plan)).length === 0)
    throw new InputError(`The plan ${path} contains no Markdown file. Pass another folder, or a file.`)
}

const codeOf = (end: RunEnd): number => (end.killed ? KILLED : OUTCOME_CODES[end.outcome])

function forceOf(values: RunValues, io: Io): { readonly force?: { readonly by: string; readonly reason: string } } {
  if (values['force-complete'] !== true) return {}
  if (!values.reason?.trim()) throw new InputError('Add --reason "..." to --force-complete: the journal records why.')
  userOnly('run --force-complete', io)
  return { force: { by: values.by ?? DEFAULT_BY, reason: values.reason } }
}

/** You stopped the goal, so resuming must not start it again. */
function assertNotStoppedGoal(dir: string, run: string | undefined): void {
  const goal = readGoal(dir)
  if (run === undefined || goal?.run !== run || goal.ended?.outcome !== 'stopped') return
  throw new InputError(`You stopped the goal "${plain(goal.text)}". Start a new run without --resume.`)
}
