// One long run as the loop records it: every iteration with its start, agent, result, and a real decision on evidence.
import { mkdirSync } from 'node:fs'
import { basename, join } from 'node:path'

const BATCH = 25
/** As fast as a scripted agent: thousands of iterations start within one hour. */
const BETWEEN_MS = 300
const BEGAN = Date.UTC(2026, 0, 2)
const CHECKS = ['changed', 'clean', 'tampering', 'checklist']

/** Writes the journal of a project folder and returns both paths. `ended` also records the end of the run. */
export function writeLongRun(api, root, iterations, { ended = true, every = 4096 } = {}) {
  const work = join(root, `work-${iterations}`)
  mkdirSync(work, { recursive: true })
  const stateDir = join(root, `state-${iterations}`)
  const { dir } = api.stateDirFor(work, { stateDir, env: {}, platform: process.platform, home: root })
  const journal = api.openJournal(dir, { snapshotEvery: every })
  appendIterations(api, journal, iterations)
  if (ended)
    journal.append(
      [{ type: 'run.ended', outcome: 'aborted', ending: 'iterations', reason: 'the limit', iteration: iterations }],
      journal.lastAt,
    )
  journal.close()
  return { work, stateDir, dir, id: basename(dir) }
}

/** Continues the run in the journal until it has that many iterations. */
export function appendIterations(api, journal, iterations) {
  const config = api.configure({
    preset: 'default',
    hollowClaims: 1_000_000,
    limits: { iterations: 1_000_000, minutes: 1_000_000 },
    breaker: { enabled: false },
  })
  const policy = api.policyFor(config)
  let { state } = journal
  if (state.run === undefined) journal.append([{ type: 'run.started', run: '20260102-000000-1', config }], BEGAN)
  state = journal.state
  for (let first = state.iterations + 1; first <= iterations; first += BATCH) {
    const batched = []
    for (let n = first; n < first + BATCH && n <= iterations; n++) {
      const at = BEGAN + n * BETWEEN_MS
      const observation = observed(n)
      const decided = api.decideIteration(api.beforeOf(state), observation, policy, atOf(first))
      const inputs = [
        { type: 'iteration.started', iteration: n, attempt: 1 },
        { type: 'agent.started', iteration: n, attempt: 1, pid: 4000 + n, id: 'ca22a31347f4789f' },
        {
          type: 'step.done',
          name: `agent ${n}.1`,
          result: { code: 0, ended: 'exit', ms: at % 97, signals: observation.signals },
        },
        ...api.eventInputsOf(observation, decided),
      ]
      batched.push(...inputs)
      state = inputs.reduce(
        (folded, each) => api.reduce(folded, { v: 1, seq: 0, prev: '', at: atOf(first), ...each }),
        state,
      )
    }
    journal.append(batched, atOf(first))
    state = journal.state
  }
}

const atOf = (n) => BEGAN + n * BETWEEN_MS

function observed(n) {
  const claim = n % 3 === 0
  const passed = n % 97
  const tree = n.toString(16).padStart(40, '0')
  const evidence = {
    tests: {
      check: 'tests',
      answer: 'no',
      detail: `${100 - passed} of 100 tests fail. Failing: "reads list ${n}"`,
      counts: { total: 100, passed, failed: 100 - passed },
      ms: 1200,
      tree,
    },
  }
  for (const check of CHECKS)
    evidence[check] = { check, answer: 'yes', detail: `${check} in iteration ${n}`, counts: { files: 1 }, ms: 20, tree }
  return {
    signals: signalsOf(n, claim),
    evidence,
    spent: { ms: 250, tokens: 18_000, usd: 0.21 },
    interrupted: false,
  }
}

/** The signals of an ordinary message that claims completion or doesn't. */
export const signalsOf = (n, claim) => ({
  ...(claim && { claim }),
  claims: claim ? { 'exit-status': true } : {},
  vetoes: [],
  said: claim ? { EXIT_STATUS: 'COMPLETE', REMAINING_WORK: 'none' } : {},
  blocks: [],
  phrases: [],
  text: `Step ${n}: the parser reads one more form of a list, and its tests were extended. `.repeat(8),
  length: 48_000,
  denials: [],
  source: claim ? 'exit-status' : 'none',
  problems: [],
})
