import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { configure } from '../../src/config/project-config.ts'
import { presetOf } from '../../src/core/presets/index.ts'
import { readEvents, readJournal } from '../../src/journal/read.ts'
import { type Engine, stepName } from '../../src/loop/engine.ts'
import { localEngine } from '../../src/loop/engine-local.ts'
import type { Host } from '../../src/loop/host.ts'
import { LocalHost } from '../../src/loop/local-host.ts'
import { runLoop } from '../../src/loop/run-loop.ts'
import { evidenceOf, runOf } from './fake-host.ts'

const root = realpathSync(mkdtempSync(join(tmpdir(), 'exitgate-killed-')))
afterAll(() => rmSync(root, { recursive: true, force: true }))

const DONE = 'Done.\n\nEXIT_STATUS: COMPLETE\nEXIT_REASON: done\nREMAINING_WORK: none\n'
const ITERATIONS = 2

class Killed extends Error {}

function workspace(name: string) {
  const dir = join(root, name)
  mkdirSync(dir)
  const git = (...args: readonly string[]) =>
    execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@localhost', ...args], { cwd: dir, encoding: 'utf8' })
  git('init', '-q')
  writeFileSync(join(dir, 'work.txt'), 'none')
  git('add', '-A')
  git('commit', '-qm', 'start')
  return { dir, git, state: join(root, `${name}-state`) }
}

/**
 * One process of the run: the real journal, checkpoints and copies, with an agent that writes its iteration number. It ends without
 * cleanup at the first point for which `dies` is true. Points are before and after each step, at each event and at each read of the clock.
 */
async function runProcess({ dir, state }: { dir: string; state: string }, dies: (point: string) => boolean) {
  const config = configure({ run: { checkpoint: true }, required: ['tests'] })
  const loaded = { config, preset: presetOf(config), sources: new Map<string, string>(), hash: '', warnings: [] }
  let place = 'open'
  let reads = 0
  const pass = (point: string) => {
    if (dies(point)) throw new Killed(point)
  }
  const resume = readJournal(state).state.run !== undefined
  const local = new LocalHost({
    ...{ workspace: dir, dir: state, loaded, resume, prompt: 'work', env: {} },
    agent: { shown: [], format: 'text', command: () => ({ argv: [] }) },
    now() {
      pass(`${place}: clock ${++reads}`)
      return 1_000_000
    },
    emit: (event) => pass(`${place}: ${event.type}`),
  })
  const kept = localEngine(local.memory)
  const engine: Engine = {
    poll: kept.poll,
    async step(id, work) {
      place = `${id.kind === 'agent' ? id.kind : stepName(id)} of iteration ${local.state.iterations + 1}`
      reads = 0
      pass(`before ${place}`)
      const result = await kept.step(id, work)
      pass(`after ${place}`)
      return result
    },
  }
  const host: Host = {
    emit: local.emit,
    begin: (signal) => local.begin(signal),
    ready: (now, start) => local.ready(now, start),
    record: (events) => local.record(events),
    async agent({ iteration }) {
      writeFileSync(join(dir, 'work.txt'), `iteration ${iteration}`)
      return { ...runOf({ says: iteration === ITERATIONS ? DONE : 'More to do.\n' }), at: 1_000_000 }
    },
    gatherEvidence: async () => ({ evidence: evidenceOf({ tests: [1, 0] }, 'tree'), problems: [], ms: 1 }),
    decideAndRecord: (observation) => local.decideAndRecord(observation),
    wait: (until, signal) => local.wait(until, signal),
  }
  try {
    return await runLoop(engine, host, { prompt: 'work' })
  } finally {
    local.close()
  }
}

describe('a run that is killed', () => {
  it('once at every point has one checkpoint per iteration, and its end is in status.json', async () => {
    const place = workspace('every')
    const seen = new Set<string>()
    const dies = (point: string) => !seen.has(point) && seen.add(point).has(point)
    let processes = 0
    for (let over = false; !over; ) {
      expect(++processes).toBeLessThan(200)
      over = await runProcess(place, dies).then(
        () => true,
        (error: Error) => {
          if (error instanceof Killed) return false
          // Killed after the end was recorded, so nothing is left to do.
          expect(error.message).toMatch(/is finished \(completed\/verified\)/)
          return true
        },
      )
    }
    expect([...seen].some((point) => point.startsWith('decide'))).toBe(true)
    const { state } = readJournal(place.state)
    const events = [...readEvents(place.state)]
    const decided = events.filter((event) => event.type === 'iteration.decided').map(({ iteration }) => iteration)
    const checkpoints = events.filter((event) => event.type === 'checkpoint')
    expect(decided).toEqual([1, 2])
    expect(checkpoints.map(({ iteration }) => iteration)).toEqual([1, 2])
    const commits = place.git('log', '--format=%H', `exitgate/${state.run}`).trim().split('\n')
    expect(commits.slice(0, 2)).toEqual(checkpoints.map(({ commit }) => commit).reverse())
    expect(commits).toHaveLength(3)
    const works = checkpoints.map(({ commit }) => place.git('show', `${commit}:work.txt`))
    expect(works).toEqual(['iteration 1', 'iteration 2'])
    const status = JSON.parse(readFileSync(join(place.dir, '.exitgate/status.json'), 'utf8'))
    expect(status).toMatchObject({ ended: { outcome: 'completed', ending: 'verified' }, events: state.seq })
  })
})
