import { join } from 'node:path'
import { writeConfigFile } from '../../config/write-file.ts'
import { insideAgent } from '../../hooks/inside-agent.ts'
import { install } from '../../hooks/install/install.ts'
import { approvableIn } from '../../hooks/trust.ts'
import { approve } from '../../hooks/trust-file.ts'
import { plain } from '../../reports/verdict-text.ts'
import { linesOf } from '../commands/trust.ts'
import { OUTCOME_CODES } from '../exit-codes.ts'
import { callOf, SECONDS } from '../hook-setup.ts'
import type { Io } from '../io.ts'
import { placeOf } from '../place.ts'
import { askYesNo } from './ask.ts'
import { systemsIn } from './config-file.ts'
import { type InitPlan, lookAround, type PlanOptions, planInit } from './plan.ts'

export interface GuideOptions extends PlanOptions {
  readonly yes: boolean | undefined
  readonly json: boolean | undefined
  readonly dryRun: boolean | undefined
}

/** Shows what was found and what would be written, and writes what the person says yes to. */
export async function guide(options: GuideOptions, io: Io): Promise<number> {
  const { dir } = options
  const around = await lookAround(dir, io)
  const plan = await planInit(options, around, io)
  const say = (text: string): unknown => (options.json ? io.stderr : io.stdout).write(text)
  const shownHooks = plan.hooks.map(({ host, file }) => ({ host: host.name, file }))
  say(foundText({ ...around, systems: systemsIn(dir).map(({ name }) => name) }))
  say(planText({ ...plan, hooks: shownHooks }))
  const written: string[] = []
  const ask = async (question: string): Promise<boolean | undefined> =>
    options.dryRun ? false : options.yes ? true : askYesNo(io, question, true)
  const done = options.dryRun ? 'finished' : await write(plan, options, ask, written, io)
  const hooked = shownHooks.some(({ file }) => written.includes(file))
  if (done === 'finished' && hooked && !options.yes) await offerTrust(dir, io)
  if (options.json)
    io.stdout.write(`${JSON.stringify({ found: around, ...plan.config, hooks: shownHooks, written }, null, 2)}\n`)
  else say(endText(written, options.dryRun === true, hooked && options.yes === true))
  return done === 'finished' ? 0 : OUTCOME_CODES.interrupted
}

/** In the order in which it was shown; whoever breaks off keeps what was written before. */
async function write(
  { config, hooks }: InitPlan,
  { dir, force }: GuideOptions,
  ask: (question: string) => Promise<boolean | undefined>,
  written: string[],
  io: Io,
): Promise<'finished' | 'broken off'> {
  if (config !== undefined) {
    const said = await ask(`Write ${config.file}?`)
    if (said === undefined) return 'broken off'
    if (said) {
      writeConfigFile(join(dir, config.file), config.text, { force: force === true })
      written.push(config.file)
    }
  }
  for (const { host, file } of hooks) {
    const said = await ask(`Let ${host.name} ask exitgate before it stops (${file})?`)
    if (said === undefined) return 'broken off'
    if (!said) continue
    const where = { scope: 'project', dir, home: io.home, env: io.env } as const
    await install(host, where, (more) => callOf(host, 'project', SECONDS, more, io))
    written.push(file)
  }
  return 'finished'
}

/** A hook runs nothing before a person has approved it; an agent is no person. */
async function offerTrust(dir: string, io: Io): Promise<void> {
  if (insideAgent(io.env, io.pid) !== undefined) return
  const found = await approvableIn(dir, io.platform)
  io.stdout.write(`${linesOf(dir, found).join('\n')}\n`)
  if (await askYesNo(io, 'May hooks run this here?', true)) approve(placeOf(dir, undefined, io).dir, found, io.now())
}

function endText(written: readonly string[], dryRun: boolean, trust: boolean): string {
  if (dryRun) return 'Nothing was written: this is a dry run.\n'
  const lines = [written.length === 0 ? 'Nothing was written.' : `Written: ${plain(written.join(', '))}.`]
  if (trust) lines.push('Before hooks run anything here: exitgate trust')
  if (written.length > 0) lines.push('To see whether it works: exitgate doctor')
  return `${lines.join('\n')}\n`
}

interface Command {
  readonly command: string
  readonly cwd: string
  readonly why: string
}

interface FoundHere {
  readonly agents: readonly string[]
  readonly tests: readonly Command[]
  readonly builds: readonly Command[]
  readonly loops: readonly string[]
  readonly systems: readonly string[]
  readonly plan?: string
  readonly prompt?: string
}

/** What is here already, for people. */
function foundText({ agents, tests, builds, loops, systems, plan, prompt }: FoundHere): string {
  const commands = (found: readonly Command[]): string =>
    found.map(({ command, cwd }) => `${command}${cwd === '' ? '' : ` (in ${cwd})`}`).join(', ')
  const rows: readonly (readonly [string, string])[] = [
    ['agents', agents.join(', ') || 'none on the search path'],
    ['tests', commands(tests) || 'no command was found; name one as commands.test'],
    ['build', commands(builds)],
    ['older loop', [...systems, ...loops].join(', ')],
    ['plan', plan ?? ''],
    ['prompt', prompt ?? ''],
  ]
  const lines = rows.filter(([, text]) => text !== '').map(([name, text]) => `  ${name.padEnd(11)}${plain(text)}`)
  return `Found here:\n${lines.join('\n')}\n`
}

interface Planned {
  readonly config?: {
    readonly file: string
    readonly text: string
    readonly migration: { readonly noCounterpart: readonly string[] }
  }
  readonly kept?: string
  readonly system?: { readonly name: string }
  readonly hooks: readonly { readonly host: string; readonly file: string }[]
  readonly problems: readonly string[]
}

/** What would be written, for people. */
function planText({ config, kept, system, hooks, problems }: Planned): string {
  const lines: string[] = []
  if (kept !== undefined) lines.push(`${kept} stays as it is; --force replaces a file of ours.`)
  if (config !== undefined) {
    const from = system === undefined ? '' : `, with the settings of ${system.name}`
    lines.push(
      `${config.file}${from}:`,
      ...config.text
        .trimEnd()
        .split('\n')
        .map((line) => `  ${plain(line)}`),
    )
    lines.push(...config.migration.noCounterpart.map((line) => `  left behind: ${plain(line)}`))
  }
  lines.push(...hooks.map(({ host, file }) => `${plain(file)}: ${host} asks exitgate before it stops`))
  lines.push(...problems.map((problem) => `left alone: ${plain(problem)}`))
  return lines.length === 0 ? '\nThere is nothing to write.\n' : `\nTo be written:\n${lines.join('\n')}\n\n`
}
