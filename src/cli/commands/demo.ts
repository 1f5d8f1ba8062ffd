import { cpSync, mkdtempSync, realpathSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { foldText } from '../../../packages/core/src/fold.ts'
import { shellWord } from '../../../packages/core/src/shell-word.ts'
import { loadConfig } from '../../config/load.ts'
import { PRESETS } from '../../core/presets/index.ts'
import type { RunEnd } from '../../core/run.ts'
import { agentOf } from '../../loop/agent/choose-agent.ts'
import { shortReport } from '../../reports/page/markdown.ts'
import { findProgram } from '../../system/find-program.ts'
import { removeFolderSync } from '../../system/remove-folder.ts'
import { runGit } from '../../system/run-git.ts'
import type { Page } from '../command.ts'
import { KILLED, OUTCOME_CODES } from '../exit-codes.ts'
import { type Io, usesColor } from '../io.ts'
import { openLive } from '../live/open.ts'
import { parse, type ValuesOf } from '../parse.ts'
import { assertTemporaryFolder } from '../place.ts'
import { writeFile } from '../report/write.ts'
import { promptOf } from '../run/prompt-of.ts'
import { startRun } from '../run/start-run.ts'
import { NO_COLOR_ROW } from '../shared-options.ts'

export const OPTIONS = {
  keep: { type: 'boolean' },
  plain: { type: 'boolean' },
  json: { type: 'boolean' },
  'no-color': { type: 'boolean' },
} as const

export const HELP: Page = {
  usage: ['demo [options]'],
  about: 'Run a scripted agent on a small sample project in a temporary folder.',
  rows: [
    ['--keep', 'keep the folder, with an HTML report in it'],
    ['--plain', 'print lines instead of the live view'],
    ['--json', 'print JSON lines on stdout while it runs'],
    NO_COLOR_ROW,
  ],
  more: 'The agent claims to be done four times. exitgate rejects the first three claims and verifies the fourth.',
  examples: ['exitgate demo', 'exitgate demo --keep', 'npx exitgate demo'],
}
type Values = ValuesOf<typeof OPTIONS>

const codeOf = (end: RunEnd): number => (end.killed ? KILLED : OUTCOME_CODES[end.outcome])

/** `exitgate demo`: a scripted agent on a real project with real tests, in the real loop. */
export async function run(args: readonly string[], io: Io): Promise<number> {
  const { values } = parse('demo', args, OPTIONS)
  assertTemporaryFolder()
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'exitgate-demo-')))
  const workspace = join(folder, 'project')
  const remove = (): void => removeFolderSync(folder)
  const stream = values.json ? io.stderr : io.stdout
  const say = (text: string): void => void stream.write(`${foldText(text, stream.columns)}\n`)
  try {
    cpSync(realpathSync(sampleFolder()), workspace, { recursive: true })
    await startRepository(workspace)
    say(
      "A scripted agent works on a small project in a temporary folder. It claims to be done too early, skips a test and changes what a test expects. The run completes when the agent says it is done and exitgate's own checks agree.\n",
    )
    const end = await loop(folder, workspace, values, io, () => (values.keep ? undefined : remove()))
    await report(folder, workspace, values, io, say)
    return codeOf(end)
  } finally {
    if (values.keep) say(`Kept: ${folder}`)
    else remove()
    say(`\n${doctorLine(io)}`)
  }
}

/** A summary in a few lines, and with --keep also as a page. */
async function report(
  folder: string,
  workspace: string,
  values: Values,
  io: Io,
  say: (text: string) => void,
): Promise<void> {
  // Loaded late: the demo needs it only at the end.
  const { readReport } = await import('../report/read.ts')
  const made = await readReport(join(folder, 'state'), workspace, undefined)
  say(`\n${shortReport(made, { color: usesColor(io.stdout, io.env, values['no-color']) }).trimEnd()}`)
  if (!values.keep) return
  const { htmlReport } = await import('../../reports/page/html.ts')
  say(`Report: ${writeFile(join(folder, 'report.html'), htmlReport(made))}`)
}

async function loop(folder: string, workspace: string, values: Values, io: Io, onKilled: () => void): Promise<RunEnd> {
  const env = { PATH: io.env.PATH, HOME: folder }
  const flags = { plan: 'PLAN.md', 'max-iterations': '8' }
  const loaded = await loadConfig({ dir: workspace, env: {}, flags, presets: PRESETS })
  const command = [process.execPath, 'agent.js']
  const config = { ...loaded.config, run: { ...loaded.config.run, notify: { bell: false, desktop: false }, command } }
  const agent = agentOf({ config: config.run, workspace, env })
  const shown = openLive(io, { ...values, noColor: values['no-color'], exitCode: codeOf, next: [] })
  try {
    return await startRun(
      {
        workspace,
        dir: join(folder, 'state'),
        loaded: { ...loaded, config },
        resume: false,
        agent,
        prompt: promptOf(workspace, workspace, loaded),
        allowRemote: false,
        emit: shown.tell,
        onKilled(end) {
          shown.close()
          onKilled()
          process.exit(codeOf(end))
        },
      },
      { ...io, env },
    )
  } finally {
    shown.close()
  }
}

/** How you start exitgate in another folder. `npx` and `npm start` don't put it on your PATH. */
function doctorLine({ cwd, env, platform }: Io): string {
  if (env.npm_command === 'exec') return 'Now in your project: npx exitgate doctor'
  const hint = `First: npm i -g ${shellWord(dirname(sampleFolder()), platform)}\n`
  return `${findProgram('exitgate', cwd, env, platform) === undefined ? hint : ''}Now in your project: exitgate doctor`
}

/** A first commit, so that the demo looks like a project. Without git it works too. */
async function startRepository(cwd: string): Promise<void> {
  const about = { cwd, env: { PATH: process.env.PATH ?? '', HOME: cwd }, input: undefined, encoding: 'utf8' } as const
  for (const line of ['init -q', 'add -A', '-c user.name=demo -c user.email=demo@localhost commit -qm start'])
    await runGit(line.split(' '), about)
}

/** The sample is in the root of the package, two folders above the program and three above its sources. */
function sampleFolder(): string {
  return fileURLToPath(new URL(import.meta.url.endsWith('.ts') ? '../../../sample' : '../../sample', import.meta.url))
}
