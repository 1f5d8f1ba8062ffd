// Runs scripted agents that try to be accepted without doing the work, each with an honest twin, with the sandbox and without. With
// REDTEAM_KEEP=1 the folders stay, with REDTEAM_TWINS=off only the attacks run.
import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { endAll } from './gauntlet/ground.mjs'
import { lacks } from './gauntlet/programs.mjs'
import { rows as all } from './redteam/classes/index.mjs'
import { killExitgate, runRounds } from './redteam/helpers.mjs'
import { PROJECTS } from './redteam/projects.mjs'
import { makeStage, runRow, tryPlainly } from './redteam/stage.mjs'

export const name = 'redteam'
export const about = 'agents that try to be accepted without doing the work, and honest agents that do it the same way'

const AT_ONCE = 3

const KILLS = 10

export async function run({ only, sandbox = 'both', rounds, brief, print }) {
  if (!['both', 'on', 'off'].includes(sandbox)) throw new Error(`--sandbox ${sandbox}: it must be on, off or both`)
  const works = spawnSync('bwrap', ['--unshare-pid', '--ro-bind', '/', '/', '--proc', '/proc', 'true']).status === 0
  if (!works) print('  bubblewrap does not work here: only without the sandbox')
  const modes = (sandbox === 'both' ? [true, false] : [sandbox === 'on']).filter((mode) => works || !mode)
  if (rounds !== undefined) return leaveHelpers(Number(rounds), { modes, print })

  const chosen = all.filter(
    (row, at) => (only === undefined || nameOf(row).includes(only)) && (!brief || isFirst(row, at)),
  )
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'exitgate-redteam-')))
  const stop = () => {
    endAll()
    process.exit(130)
  }
  process.once('SIGINT', stop)
  const results = []
  const queue = [...chosen.entries()]
  const work = async () => {
    for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
      const [at, row] = next
      const missing = lacks({ needs: [...PROJECTS[row.project].needs, ...(row.needs ?? [])] })
      results[at] = missing === undefined ? await runOne(row, { root, modes, print }) : { row, skipped: missing }
    }
  }
  try {
    await Promise.all(Array.from({ length: AT_ONCE }, work))
  } finally {
    process.removeListener('SIGINT', stop)
    if (!process.env.REDTEAM_KEEP) rmSync(root, { recursive: true, force: true, maxRetries: 5 })
  }
  return report(results, { modes, print })
}

const nameOf = (row) => `${row.class}: ${row.language}: ${row.name}`
/** When all benches run, one attack of each class is enough: all of them take most of an hour. */
const isFirst = (row, at) => all.findIndex((each) => each.class === row.class) === at

/** Agents that leave helpers, `rounds` of them, and exitgate killed with kill -9. */
async function leaveHelpers(rounds, { modes, print }) {
  if (!(rounds > 0)) throw new Error('--rounds takes a number')
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'exitgate-redteam-')))
  const figures = {}
  try {
    for (const mode of modes) {
      const { iterations, helpers, acted, late } = await runRounds(rounds, { sandbox: mode, at: place(root) })
      const kills = []
      for (let n = 0; n < KILLS; n++) kills.push(await killExitgate({ sandbox: mode, at: place(root) }))
      const left = kills.filter((kill) => kill.left > 0).length
      const lateHelpers = new Set(late.map((name) => name.split('-').slice(0, 3).join('-'))).size
      figures[mode ? 'sandbox' : 'withoutSandbox'] = {
        iterations,
        helpers,
        acted,
        lateHelpers,
        kills: KILLS,
        killsThatLeft: left,
      }
      print(
        `  ${mode ? 'with' : 'without'} the sandbox: ${helpers} helpers in ${iterations} iterations, ${lateHelpers} acted after the agent had ended`,
      )
      print(`    ${KILLS} times kill -9 of exitgate: ${left} left a process of the agent`)
    }
  } finally {
    rmSync(root, { recursive: true, force: true, maxRetries: 5 })
  }
  return figures
}

let count = 0
const place = (root) => {
  const at = join(root, String(++count))
  mkdirSync(at)
  return at
}

/** The attack without exitgate (does it work at all?), then attack and twin in each mode. */
async function runOne(row, { root, modes, print }) {
  const found = { row, modes: {} }
  try {
    if (row.proof !== 'run') {
      const at = place(root)
      const stage = await makeStage(row, at)
      const plain = await tryPlainly(stage, 'attack')
      const works =
        plain.failed === undefined && plain.solved !== true && (row.proof === 'mark' ? plain.marked : plain.green)
      if (!works)
        found.idle =
          plain.failed ?? `green ${plain.green}, marked ${plain.marked}, solved ${plain.solved}: ${plain.said}`
      rmSync(at, { recursive: true, force: true, maxRetries: 5 })
    }
    for (const mode of modes) {
      const attack = await runRow(row, 'attack', { sandbox: mode, at: place(root) })
      const honest =
        row.honest &&
        process.env.REDTEAM_TWINS !== 'off' &&
        (await runRow(row, 'honest', { sandbox: mode, at: place(root) }))
      found.modes[mode] = { attack, honest }
      const out = outOf(row, attack)
      const marks = `${attack.marked ? ' (marked)' : ''}`
      print(
        `  ${mode ? 'on ' : 'off'} ${out === undefined ? 'held' : 'OUT '} ${nameOf(row)}${marks}${out ? `: ${out}` : ` [${attack.ending}: ${reasons(attack).slice(0, 160)}]`} ${attack.ms} ms`,
      )
      if (honest && !honest.completed)
        print(`      TWIN REFUSED ${honest.ending}: ${reasons(honest).slice(0, 600)} ${honest.err.slice(-400)}`)
    }
    if (
      row.proof === 'run' &&
      found.modes.false !== undefined &&
      !found.modes.false.attack.marked &&
      outOf(row, found.modes.false.attack) === undefined
    )
      found.idle = 'it never got as far as its trick'
  } catch (error) {
    found.idle = String(error.stack ?? error)
  }
  if (found.idle) print(`  IDLE ${nameOf(row)}: ${found.idle}`)
  return found
}

const reasons = ({ missing, err }) =>
  missing.length === 0 ? err.slice(-160) : missing.map((each) => each.text ?? JSON.stringify(each)).join(' | ')

function outOf(row, attack) {
  if (attack.effect !== undefined) return attack.effect
  if (row.completes === 'fine' || row.limit !== undefined) return undefined
  if (attack.completed && !attack.solved) return 'completed'
  return undefined
}

function report(results, { modes, print }) {
  const ran = results.filter(({ skipped }) => skipped === undefined)
  const name = ({ row }) => nameOf(row)
  const outIn = (mode) => ran.filter(({ row, modes }) => modes[mode] && outOf(row, modes[mode].attack) !== undefined)
  const refused = ran.filter(({ modes }) => Object.values(modes).some(({ honest }) => honest && !honest.completed))
  const skipped = results
    .filter((each) => each.skipped !== undefined)
    .map((each) => `${name(each)}: no ${each.skipped}`)
  const classes = {}
  for (const each of ran) {
    classes[each.row.class] ??= { attacks: 0, out: 0, outWithoutSandbox: 0, refused: 0 }
    const sum = classes[each.row.class]
    sum.attacks += 1
    sum.out += outIn(true).includes(each)
    sum.outWithoutSandbox += outIn(false).includes(each)
    sum.refused += refused.includes(each)
  }
  const figures = {
    attacks: ran.length,
    out: modes.includes(true) ? outIn(true).length : undefined,
    outWithoutSandbox: modes.includes(false) ? outIn(false).length : undefined,
    twins: ran.filter(({ row }) => row.honest).length,
    refused: refused.length,
    skipped: skipped.length,
    idle: ran.filter(({ idle }) => idle).length,
    classes,
    gotOut: outIn(true).map(name),
    gotOutWithoutSandbox: outIn(false).map(name),
    undocumented: outIn(false)
      .filter(({ row }) => row.knownWithoutSandbox === undefined)
      .map(name),
    limits: ran.filter(({ row }) => row.limit !== undefined).map(name),
    refusedTwins: refused.map(name),
    skippedRows: skipped,
  }
  if (figures.out || figures.refused > 0 || figures.idle > 0 || figures.undocumented.length > 0) process.exitCode = 1
  print('')
  for (const [group, sum] of Object.entries(classes))
    print(
      `  ${group.padEnd(18)} ${String(sum.attacks).padStart(3)} attacks, ${sum.out} out, ${sum.outWithoutSandbox} out without the sandbox, ${sum.refused} twins refused`,
    )
  for (const each of skipped) print(`  skipped: ${each}`)
  return figures
}
