import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { nodeBinary } from '../scripts/with-node.mjs'
import { median, round } from './median.mjs'

export const name = 'hook'
export const about =
  'wall time of one `exitgate hook` answer without evidence, as a multiple of `node -e 0` (goal: at most 1.5)'

const rounds = 25
const warmUps = 3
const meteredRounds = 15
const goal = 1.5
const cli = fileURLToPath(new URL('../dist/cli/cli.cjs', import.meta.url))

const stop = (message, more = {}) => ({
  session_id: '5f0c9a52-7f0b-4a39-9f3c-2f6d2f6c9a10',
  prompt_id: '0b8f3d1c-55d2-4a6e-8a53-6b7c5d9a1e20',
  hook_event_name: 'Stop',
  permission_mode: 'acceptEdits',
  stop_hook_active: false,
  last_assistant_message: message,
  background_tasks: [],
  session_crons: [],
  ...more,
})

/** What agents usually say: nothing about being done. Also a long answer of that kind. */
const answer =
  'The importer reads the header first and then hands each row to the parser. Which of the two formats do you need?\n'
const cases = {
  talk: stop(answer),
  long: stop(answer.repeat(200)),
  'not done': stop(`${answer}\nEXIT_STATUS: CONTINUE\nEXIT_REASON: two items are open\nREMAINING_WORK: two items\n`),
  'plan mode': stop(answer, { permission_mode: 'plan' }),
}

export async function run({ print }) {
  const figures = { goal, rounds, versions: {}, skipped: {} }
  print(
    `  node           bare ${Object.keys(cases)
      .map((each) => each.padStart(10))
      .join('')}   worst ratio  cpu ratio`,
  )
  for (const major of new Set([process.versions.node.split('.')[0], '22', '24'])) {
    const { path, skipped } = await nodeBinary(major)
    if (skipped) {
      figures.skipped[major] = skipped
      print(`  ${major.padEnd(9)} skipped: ${skipped}`)
      continue
    }
    const measured = measure(path)
    figures.versions[measured.version] = measured
    const { version, bareMs, ms, worstRatio, cpuRatio } = measured
    const cells = [bareMs, ...Object.keys(cases).map((each) => ms[each])].map((each) => `${each} ms`.padStart(10))
    print(
      `  ${version.padEnd(8)} ${cells.join('')} ${String(worstRatio).padStart(13)} ${String(cpuRatio).padStart(10)}`,
    )
  }
  const worstRatio = Math.max(...Object.values(figures.versions).map((each) => each.worstRatio))
  return { ...figures, worstRatio, met: worstRatio <= goal }
}

/** The commands alternate, so that a busy moment of the machine affects all of them. */
function measure(node) {
  const folder = mkdtempSync(join(tmpdir(), 'exitgate-hook-'))
  try {
    const workspace = join(folder, 'workspace')
    mkdirSync(join(workspace, '.git'), { recursive: true })
    writeFileSync(join(workspace, 'package.json'), '{"name": "small", "scripts": {"test": "node --test"}}\n')
    const times = Object.fromEntries(['bare', ...Object.keys(cases)].map((each) => [each, []]))
    for (let turn = -warmUps; turn < rounds; turn += 1) {
      const bare = time(node, ['-e', '0'], workspace, '')
      if (turn >= 0) times.bare.push(bare)
      for (const [each, payload] of Object.entries(cases)) {
        const ms = time(node, [cli, 'hook', 'claude'], workspace, JSON.stringify({ cwd: workspace, ...payload }))
        if (turn >= 0) times[each].push(ms)
      }
    }
    const bare = median(times.bare)
    const spent = cpu(node, folder, workspace)
    const medians = Object.keys(cases).map((each) => [each, median(times[each])])
    return {
      version: spawnSync(node, ['-p', 'process.versions.node'], { encoding: 'utf8' }).stdout.trim(),
      bareMs: round(bare, 1),
      ms: Object.fromEntries(medians.map(([each, ms]) => [each, round(ms, 1)])),
      ratios: Object.fromEntries(medians.map(([each, ms]) => [each, round(ms / bare, 2)])),
      worstRatio: round(Math.max(...medians.map(([, ms]) => ms)) / bare, 2),
      ...spent,
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** The same in CPU time, which depends less on other load. The measuring module is loaded into both commands. */
function cpu(node, folder, workspace) {
  const meter = join(folder, 'meter.cjs')
  writeFileSync(
    meter,
    `process.on('exit', () => {
      const { user, system } = process.cpuUsage()
      require('node:fs').writeFileSync(process.env.METER, String(user + system))
    })`,
  )
  const result = join(folder, 'meter.txt')
  const taken = { bare: [], talk: [] }
  const input = JSON.stringify({ cwd: workspace, ...cases.talk })
  for (let turn = 0; turn < meteredRounds; turn += 1) {
    time(node, ['-r', meter, '-e', '0'], workspace, '', { METER: result })
    taken.bare.push(Number(readFileSync(result, 'utf8')) / 1000)
    time(node, ['-r', meter, cli, 'hook', 'claude'], workspace, input, { METER: result })
    taken.talk.push(Number(readFileSync(result, 'utf8')) / 1000)
  }
  return { cpuRatio: round(median(taken.talk) / median(taken.bare), 2) }
}

function time(node, args, cwd, input, more = {}) {
  const env = { PATH: process.env.PATH, HOME: dirname(cwd), NO_COLOR: '1', ...more }
  const start = performance.now()
  const ended = spawnSync(node, args, { cwd, env, input, encoding: 'utf8' })
  const ms = performance.now() - start
  // An answer with text was not the fast path, and a failed command is not an answer, so such a result is rejected.
  if (ended.status !== 0 || ended.stdout !== '')
    throw new Error(`${args.slice(1).join(' ')}: ${ended.stdout}${ended.stderr}`)
  return ms
}
