import { count } from '../../../packages/core/src/count.ts'
import { type HeldFile, heldOutFolder, holdOut, readHeldOut, restoreHeldOut } from '../../evidence/held-out/store.ts'
import { openWorkspace } from '../../evidence/workspace.ts'
import { makeStateFolder } from '../../journal/errors.ts'
import { readJournal } from '../../journal/read.ts'
import { globMatcher, isGlob } from '../../system/glob.ts'
import type { Page } from '../command.ts'
import { InputError } from '../errors.ts'
import { type Io, printResult } from '../io.ts'
import { parse } from '../parse.ts'
import { placeOf, workspaceOf } from '../place.ts'
import { userOnly } from '../refuse-agent.ts'
import { LOOK_OPTIONS, LOOK_ROWS } from '../shared-options.ts'

export const OPTIONS = { ...LOOK_OPTIONS, restore: { type: 'boolean' } } as const

export const HELP: Page = {
  usage: ['hold-out FILE... [options]', 'hold-out --restore', 'hold-out'],
  about: "Keep tests and examples where the agent can't see them, and run them when it claims to be done.",
  rows: [['--restore', 'put everything back'], ...LOOK_ROWS],
  more: 'FILE is a path or a glob. Of a Markdown plan, only the example lines are taken out. A completed run puts everything back. Without FILE it lists what is held out.',
  examples: [
    "exitgate hold-out 'tests/hidden/**'",
    'exitgate hold-out examples.json PLAN.md',
    'exitgate hold-out --restore',
  ],
}

const MOST_PATHS = 1_000

export async function run(args: readonly string[], io: Io): Promise<number> {
  const { values, positionals } = parse('hold-out', args, OPTIONS, MOST_PATHS)
  const workspace = workspaceOf(io.cwd, values.dir)
  const { dir: stateDir } = placeOf(workspace, values['state-dir'], io)
  userOnly('hold-out', io)
  if (!values.restore && positionals.length === 0) {
    const files = readHeldOut(stateDir)
    const lines = files.length === 0 ? ['Nothing is held out.'] : [...files.map(shown), `In ${heldOutFolder(stateDir)}`]
    return printResult(io, values, { files: files.map(({ path }) => path) }, lines)
  }
  refuseDuringRun(stateDir)
  if (values.restore) {
    const { files, blocked } = restoreHeldOut(workspace, stateDir)
    if (blocked.length > 0)
      throw new InputError(
        `${blocked.join(', ')} exists with other content. Move it away, then run exitgate hold-out --restore again.`,
      )
    const line = files.length === 0 ? 'Nothing is held out.' : `Put back ${count(files.length, 'file')}.`
    return printResult(io, values, { restored: files.map(({ path }) => path) }, [line])
  }
  const { chosen, tracked } = await choose(workspace, positionals)
  makeStateFolder(stateDir)
  const files = holdOut(workspace, stateDir, chosen)
  const warnings =
    tracked.length === 0
      ? []
      : [`The agent can still read the committed version of ${tracked.slice(0, 3).join(', ')} with git.`]
  const lines = [...files.map(shown), ...warnings, 'To put them back: exitgate hold-out --restore']
  return printResult(io, values, { heldOut: files.map(({ path }) => path), tracked }, lines)
}

const shown = ({ path, lines }: HeldFile): string =>
  `held out: ${path}${lines === undefined ? '' : ` (${count(lines.length, 'example')})`}`

/** Files that disappear or appear during a run would look like the agent's work. */
function refuseDuringRun(stateDir: string): void {
  const { run, ended, attempt, baseline } = readJournal(stateDir).state
  // A run of `check` has no baseline, and no agent works in it.
  if (run === undefined || ended !== undefined || baseline === undefined) return
  const finish = attempt === undefined ? 'Let its loop finish' : 'Finish it with exitgate run --resume'
  throw new InputError(`The run ${run} has not ended. ${finish}, or end it with exitgate reset.`)
}

async function choose(workspace: string, patterns: readonly string[]) {
  const handle = openWorkspace(workspace)
  const all = await handle.list()
  const chosen = patterns.flatMap((pattern) => {
    const matches = all.filter(globMatcher(pattern.replace(/\/$/, '/**')))
    if (matches.length === 0)
      throw new InputError(`${isGlob(pattern) ? 'No file matches' : 'There is no file'} ${pattern} in ${workspace}.`)
    return matches
  })
  const listed = await handle.git(['ls-files', '-z', '--', ...chosen])
  const tracked = new Set((listed ?? '').split('\0'))
  const paths = [...new Set(chosen)]
  return { chosen: paths, tracked: paths.filter((path) => tracked.has(path)) }
}
