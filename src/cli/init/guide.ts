import { join } from 'node:path'
import { writeConfigFile } from '../../config/write-file.ts'
import { insideAgent } from '../../hooks/inside-agent.ts'
import { install } from '../../hooks/install/install.ts'
import { approvableIn } from '../../hooks/trust.ts'
import { approve } from '../../hooks/trust-file.ts'
import { foundText, planText } from '../../reports/init-text.ts'
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
