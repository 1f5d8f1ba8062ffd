import { join } from 'node:path'
import { writeConfigFile } from '../../config/write-file.ts'
import type { ConfigPatch } from '../../core/config.ts'
import { insideAgent } from '../../hooks/inside-agent.ts'
import { install } from '../../hooks/install/install.ts'
import { approvableIn } from '../../hooks/trust.ts'
import { approve } from '../../hooks/trust-file.ts'
import { plain } from '../../reports/verdict-text.ts'
import { askYesNo } from '../ask.ts'
import { linesOf } from '../commands/trust.ts'
import { OUTCOME_CODES } from '../exit-codes.ts'
import { callOf, recordIn, SECONDS } from '../hook-setup.ts'
import type { Io } from '../io.ts'
import { placeOf } from '../place.ts'
import { systemsIn } from './config-file.ts'
import { type InitPlan, lookAround, type PlanOptions, planInit, type Surroundings } from './plan.ts'

export interface GuideOptions extends PlanOptions {
  readonly yes: boolean | undefined
  readonly json: boolean | undefined
  readonly dryRun: boolean | undefined
}

/** Shows what was found and what would be written, and writes what the user agrees to. */
export async function guide(options: GuideOptions, io: Io): Promise<number> {
  const { dir } = options
  const around = await lookAround(dir, io)
  const plan = await planInit(options, around, io)
  const print = (text: string): unknown => (options.json ? io.stderr : io.stdout).write(text)
  const shownHooks = plan.hooks.map(({ host, file }) => ({ host: host.name, file }))
  print(foundText({ ...around, systems: systemsIn(dir).map(({ name }) => name) }))
  print(planText({ ...plan, hooks: shownHooks }))
  const written: string[] = []
  const ask = async (question: string): Promise<boolean | undefined> =>
    options.dryRun ? false : options.yes ? true : askYesNo(io, question, { usual: true })
  const done = options.dryRun ? 'finished' : await write(plan, options, ask, written, io)
  const next = nextSteps(plan.config?.migration.patch ?? {}, around)
  const hooked = shownHooks.some(({ file }) => written.includes(file))
  if (done === 'finished' && hooked && !options.yes) await offerTrust(dir, io)
  if (options.json)
    io.stdout.write(`${JSON.stringify({ found: around, ...plan.config, hooks: shownHooks, written }, null, 2)}\n`)
  else print(endText(written, options.dryRun === true, hooked && options.yes === true, next))
  return done === 'finished' ? 0 : OUTCOME_CODES.interrupted
}

/** In the order shown. After Ctrl+C, the files written so far stay. */
async function write(
  { config, hooks }: InitPlan,
  { dir, force }: GuideOptions,
  ask: (question: string) => Promise<boolean | undefined>,
  written: string[],
  io: Io,
): Promise<'finished' | 'cancelled'> {
  if (config !== undefined) {
    const yes = await ask(`Write ${config.file}?`)
    if (yes === undefined) return 'cancelled'
    if (yes) {
      writeConfigFile(join(dir, config.file), config.text, { force: force === true })
      written.push(config.file)
    }
  }
  for (const { host, file } of hooks) {
    const yes = await ask(`Install the stop hook for ${host.name} (${file})?`)
    if (yes === undefined) return 'cancelled'
    if (!yes) continue
    const where = { scope: 'project', dir, home: io.home, env: io.env } as const
    await install(host, where, (more) => callOf(host, 'project', SECONDS, more, io), recordIn(where, io))
    written.push(file)
  }
  return 'finished'
}

/** A hook runs nothing before the user has approved it, and an agent can't approve it. */
async function offerTrust(dir: string, io: Io): Promise<void> {
  if (insideAgent(io.env, io.pid) !== undefined) return
  const found = await approvableIn(dir, io.platform)
  io.stdout.write(`${linesOf(dir, found).join('\n')}\n`)
  if (await askYesNo(io, 'May hooks run these commands here?', { usual: true }))
    approve(placeOf(dir, undefined, io).dir, found, io.now())
}

/** What to do after a configuration was written. */
export function nextSteps({ commands, run }: ConfigPatch, { tests }: Pick<Surroundings, 'tests'>): readonly string[] {
  if (tests.length === 0)
    return ['Next: set commands.test to the command that runs your tests, then try it with exitgate doctor.']
  const agent = run?.agent === undefined ? ' -- AGENT' : ''
  return [
    ...(commands ? ['Its commands must pass before a run can complete. Delete those that should not count.'] : []),
    `Next: test the setup with exitgate doctor, then start with exitgate run --task "..."${agent}`,
  ]
}

function endText(written: readonly string[], dryRun: boolean, trust: boolean, next: readonly string[]): string {
  if (dryRun) return 'Dry run: nothing was written.\n'
  const lines = [written.length === 0 ? 'Nothing was written.' : `Wrote ${plain(written.join(', '))}.`]
  if (trust) lines.push('Approve the commands of the hooks with exitgate trust.')
  if (written.length > 0) lines.push(...next)
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
  readonly checks: readonly Command[]
  readonly loops: readonly string[]
  readonly systems: readonly string[]
  readonly plan?: string
  readonly prompt?: string
}

export function foundText({ agents, tests, builds, checks, loops, systems, plan, prompt }: FoundHere): string {
  const commands = (found: readonly Command[]): string =>
    found.map(({ command, cwd }) => `${command}${cwd === '' ? '' : ` (in ${cwd})`}`).join(', ')
  const rows: readonly (readonly [string, string])[] = [
    ['agents', agents.join(', ') || 'none found on the PATH'],
    ['tests', commands(tests) || 'no command found; set commands.test'],
    ['build', commands(builds)],
    ['checks', commands(checks)],
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

function planText({ config, kept, system, hooks, problems }: Planned): string {
  const lines: string[] = []
  if (kept !== undefined) lines.push(`${kept} already exists. Use --force to overwrite it.`)
  if (config !== undefined) {
    const from = system === undefined ? '' : `, with settings from ${system.name}`
    lines.push(
      `${config.file}${from}:`,
      ...config.text
        .trimEnd()
        .split('\n')
        .map((line) => `  ${plain(line)}`),
    )
    lines.push(...config.migration.noCounterpart.map((line) => `  not imported: ${plain(line)}`))
  }
  lines.push(...hooks.map(({ host, file }) => `${plain(file)}: stop hook for ${host}`))
  lines.push(...problems.map((problem) => `warning: ${plain(problem)}`))
  return lines.length === 0 ? '\nNothing to write.\n' : `\nPlan:\n${lines.join('\n')}\n\n`
}
