import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { AGENTS } from '../../scripts/install-agents.mjs'
import { endWith, type Recording, recordingsFile, recordingsOf, summaryOf } from '../loop/recorded-errors.ts'
import { patience } from '../timing.ts'
import { type ErrorCase, errorCases, RECORDED } from './error-cases.ts'
import { missingAgent } from './installed.ts'
import { openRig, type Rig } from './rig.ts'

const RECORDS = Boolean(process.env.UPDATE_GOLDEN)

/** Records every error of an agent with UPDATE_GOLDEN=1. Otherwise a run must end as with the recording. */
describe.for(RECORDED)('errors of %s', (agent) => {
  const missing = missingAgent(agent)

  it.for(errorCases(agent))('$name', { timeout: patience(200_000) }, async (row, { skip }) => {
    skip(missing !== undefined, missing)
    const recording = await record(agent, row)
    if (RECORDS) keep(agent, row.name, recording)
    const before = recordingsOf(agent).cases[row.name]
    expect(before, 'record it with UPDATE_GOLDEN=1').toBeDefined()
    const [now, then] = [await endWith(agent, recording), await endWith(agent, before as Recording)]
    expect(summaryOf(now.end)).toBe(summaryOf(then.end))
  })
})

async function record(
  agent: string,
  { turns, args, env, home = {}, stopAfter, stopAt }: ErrorCase,
): Promise<Recording> {
  const rig = await openRig(agent, turns)
  onTestFinished(() => rig.close())
  for (const [path, text] of Object.entries(home)) {
    mkdirSync(dirname(join(rig.env.HOME ?? '', path)), { recursive: true })
    writeFileSync(join(rig.env.HOME ?? '', path), text)
  }
  const call = args === undefined ? {} : { args }
  const { code, signal, stdout, stderr } = await rig.run(call, {
    ...(env === undefined ? {} : { env }),
    started(kill, printed) {
      if (stopAt !== undefined) printed.on('data', (chunk) => String(chunk).includes(stopAt) && kill('SIGTERM'))
      if (stopAfter !== undefined) rig.model.received(stopAfter).then(() => kill('SIGTERM'))
    },
  })
  return {
    code,
    ...(signal === null ? {} : { signal }),
    ended: stopAt !== undefined ? 'deadline' : stopAfter === undefined ? 'exit' : 'silence',
    stdout: withoutPlaces(stdout, rig),
    stderr: withoutPlaces(stderr, rig),
    ...(turns[0]?.tools === undefined ? {} : { works: true as const }),
  }
}

const MOST_LINES = 30
const SKILLS = '{"type":"session.skills_loaded"'

/** Without the paths and ports of this machine, and without long lists. */
function withoutPlaces(printed: string, { workspace, program, model }: Rig): string {
  const lines = printed
    .replaceAll(dirname(workspace), '/tmp/kettle')
    .replaceAll(/(?:file:\/\/)?[\w./-]*\/node_modules\//g, '/agents/')
    .replaceAll(dirname(program), '/agents')
    .replaceAll(model.url, 'http://127.0.0.1:4000')
    .replaceAll(new URL(model.url).host, '127.0.0.1:4000')
    .split('\n')
    .map((line) => (line.includes('"subtype":"init"') ? shortInit(line) : line))
    .map((line) => (line.startsWith(SKILLS) ? `${SKILLS},"data":{"skills":[]}}` : line))
  return (lines.length <= 2 * MOST_LINES ? lines : [...lines.slice(0, MOST_LINES), ...lines.slice(-MOST_LINES)]).join(
    '\n',
  )
}

function shortInit(line: string): string {
  const { type, subtype, cwd, session_id, model } = JSON.parse(line) as Record<string, unknown>
  return JSON.stringify({ type, subtype, cwd, session_id, model })
}

function keep(agent: string, name: string, recording: Recording): void {
  const { version = '' } = AGENTS[agent] ?? {}
  const before = readCases(agent)
  const known = new Set(errorCases(agent).map((row) => row.name))
  const cases = Object.entries({ ...before, [name]: recording }).filter(([each]) => known.has(each))
  mkdirSync(dirname(recordingsFile(agent)), { recursive: true })
  writeFileSync(
    recordingsFile(agent),
    `${JSON.stringify({ agent, version, cases: Object.fromEntries(cases) }, null, 1)}\n`,
  )
}

function readCases(agent: string): Readonly<Record<string, Recording>> {
  try {
    return recordingsOf(agent).cases
  } catch {
    return {}
  }
}
