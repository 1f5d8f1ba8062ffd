// The live view in a real terminal: what it adds to a run, and when its first frame is there.
import { spawn, spawnSync } from 'node:child_process'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { cli, envOf, METER, makeWorkspace } from './loop-runs.mjs'
import { median, round } from './median.mjs'

/** The terminal of the child gets this size, and everything it shows comes on our output. */
const IN_TERMINAL =
  'import pty, sys; sys.exit(pty.spawn(["/bin/sh", "-c", "stty rows 40 cols 120; exec \\"$@\\"", "sh", *sys.argv[1:]]))'
/** The painter writes it at the start of each frame. */
const FRAME = '\u001b[?2026h'
const NEEDED = 'python3 with its module pty is not installed'

/** Every pair runs the same work with the view and without, in turns, because the machine may have other work meanwhile. */
export async function viewRatio(folder, { iterations, pairs }) {
  if (spawnSync('python3', ['-c', 'import pty']).status !== 0) return { skipped: NEEDED }
  const runs = { with: [], without: [] }
  for (let pair = 0; pair < pairs; pair += 1) {
    const order = pair % 2 === 0 ? ['without', 'with'] : ['with', 'without']
    for (const kind of order) {
      const place = makeWorkspace(join(folder, `${kind}-${pair}`), { git: true, tests: true, iterations })
      runs[kind].push(await runInTerminal(place, kind === 'with' ? [] : ['--quiet']))
      rmSync(place.folder, { recursive: true, force: true })
    }
  }
  const of = (kind, figure) => median(runs[kind].map((each) => each[figure]))
  const ratio = (figure) => round(median(runs.with.map((each, at) => each[figure] / runs.without[at][figure])), 2)
  return {
    iterations,
    pairs,
    wallRatio: ratio('wallMs'),
    cpuRatio: ratio('cpuMs'),
    frames: of('with', 'frames'),
    firstFrameMs: round(of('with', 'firstFrameMs'), 0),
    withMs: round(of('with', 'wallMs'), 0),
    withoutMs: round(of('without', 'wallMs'), 0),
    withCpuMs: round(of('with', 'cpuMs'), 0),
    withoutCpuMs: round(of('without', 'cpuMs'), 0),
  }
}

async function runInTerminal({ dir, folder }, options) {
  const [meter, figures] = [join(folder, 'meter.cjs'), join(folder, 'figures.jsonl')]
  writeFileSync(meter, METER)
  const program = [process.execPath, '--expose-gc', '-r', meter, cli, 'run', '--anyway', ...options]
  const args = [...program, '--state-dir', join(folder, 'state'), '--', '/bin/sh', 'agent.sh']
  const { NO_COLOR: _plain, ...env } = envOf(folder)
  const began = performance.now()
  const child = spawn('python3', ['-c', IN_TERMINAL, ...args], {
    cwd: dir,
    env: { ...env, TERM: 'xterm-256color', LANG: 'C.UTF-8', METER: figures, SAMPLES: 'no' },
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  let [frames, firstFrameMs, tail] = [0, 0, '']
  child.stdout.setEncoding('utf8').on('data', (text) => {
    frames += text.split(FRAME).length - 1
    if (frames > 0) firstFrameMs ||= performance.now() - began
    tail = `${tail}${text}`.slice(-2000)
  })
  await new Promise((resolve) => child.once('close', resolve))
  if (!tail.includes('iteration limit')) throw new Error(`the run did not end at its limit: ${tail}`)
  return { ...JSON.parse(readFileSync(figures, 'utf8')), frames, firstFrameMs }
}
