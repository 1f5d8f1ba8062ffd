import { isTree, merge, type Tree } from '../../src/config/merge.ts'
import { configure } from '../../src/config/project-config.ts'
import { findingId } from '../../src/core/accepting.ts'
import type { Config, ConfigPatch, PresetName } from '../../src/core/config.ts'
import { beforeOf } from '../../src/core/journal/before.ts'
import { eventInputsOf } from '../../src/core/journal/event-inputs.ts'
import type { EventInput, JournalEvent, State } from '../../src/core/journal/events.ts'
import { emptyState, reduce } from '../../src/core/journal/reduce.ts'
import { type DecidedIteration, decideIteration } from '../../src/core/policy/decide.ts'
import { policyFor } from '../../src/core/presets/index.ts'
import { read } from '../../src/core/signals/read.ts'
import { NO_TRANSCRIPT } from '../../src/core/signals/read-signals.ts'
import { readWithPatterns } from '../../src/core/signals/user-patterns.ts'
import type {
  Evidence,
  EvidenceSet,
  Observation,
  Policy,
  ReadOptions,
  Signals,
  Transcript,
} from '../../src/core/types.ts'
import { readChecklist } from '../../src/evidence/checks/checklist.ts'
import { readGiven } from '../../src/evidence/given/given.ts'
import type { Given, Row, Turn } from './row.ts'

export interface Played {
  readonly policy: Policy
  readonly config: Config
  readonly steps: readonly DecidedIteration[]
  /** The journal of this run. */
  readonly events: readonly JournalEvent[]
  readonly state: State
}

const MINUTE = 60_000
const START = Date.UTC(2026, 0, 5, 8)

/** Plays a row from messages and evidence to verdicts, using only the real code. */
export function play(row: Row): Played {
  const config = configFor(row.preset, row.config, row.taskType)
  const policy = policyFor(config)
  const events: JournalEvent[] = []
  let state = emptyState()
  let at = START
  const record = (happening: EventInput) => {
    // Converts to JSON and back, so that anything a journal would lose is lost here too.
    const event = JSON.parse(JSON.stringify({ v: 1, seq: state.seq + 1, at, prev: '', ...happening })) as JournalEvent
    events.push(event)
    state = reduce(state, event)
  }
  const begin = () => record(started(config, policy, row))
  begin()
  const steps = row.turns.map(([turn]) => {
    at += (turn.after ?? 1) * MINUTE
    if (turn.before === 'new run') begin()
    if (turn.before === 'breaker reset') record({ type: 'breaker.reset', by: 'a person', reason: 'it was looked at' })
    const observation = observe(turn, config, policy.reading)
    const decided = decideIteration(beforeOf(state), observation, policy, at)
    for (const happening of eventInputsOf(observation, decided)) record(happening)
    return decided
  })
  return { policy, config, steps, events, state }
}

/** Properties ask for the same configurations thousands of times. */
const configs = new Map<string, Config>()

export function configFor(preset: PresetName, patch: ConfigPatch = {}, taskType = ''): Config {
  const key = JSON.stringify([preset, patch, taskType])
  const known = configs.get(key) ?? configOf(preset, patch, taskType)
  configs.set(key, known)
  return known
}

function configOf(preset: PresetName, patch: ConfigPatch, taskType: string): Config {
  const config = configure({ ...patch, preset })
  const ofTask: unknown = config.taskTypes[taskType]
  return isTree(ofTask) ? merge([layer(config), layer(ofTask)], []).config : config
}

const layer = (patch: object) => ({ patch: patch as Tree, label: () => '' })

function started(config: Config, policy: Policy, { baseline }: Row): EventInput {
  const phase = policy.phases?.[0]
  return {
    type: 'run.started',
    run: 'a-run',
    config,
    ...(phase === undefined ? {} : { phase }),
    ...(baseline === undefined ? {} : { baseline: evidenceOf(baseline, '') }),
  }
}

export function observe(turn: Turn, config: Config, reading: ReadOptions): Observation {
  const { task, phase, failed, cause, stalled, forced, given, error } = turn
  const transcript = spoken(turn.says ?? '', turn.stream)
  const signals = listen(transcript, { ...reading, ...(turn.prompt === undefined ? {} : { prompt: turn.prompt }) })
  const plan = turn.plan === undefined ? {} : { checklist: planOf(turn.plan, config) }
  return {
    signals: error === undefined ? signals : { ...signals, error },
    evidence: toAccept(evidenceOf(withProof({ ...turn.evidence, ...plan }), turn.tree ?? ''), turn.toAccept),
    spent: { ms: 0, tokens: 0, usd: 0, ...turn.spent },
    interrupted: turn.interrupted === true,
    ...(forced === undefined ? {} : { forced: { by: 'mia', reason: 'reviewed by hand', scope: forced } }),
    ...(failed === undefined ? {} : { failed: { reason: failed, ...(cause === undefined ? {} : { cause }) } }),
    ...(stalled === undefined ? {} : { stalled }),
    ...(task === undefined ? {} : { task }),
    ...(phase === undefined ? {} : { phase }),
    ...(given === undefined ? {} : { given }),
  }
}

/** Rows are about proven work unless they say something else. */
const withProof = (given: Given): Given => (Object.keys(given).length === 0 ? given : { proven: true, ...given })

/** Marks these checks as failing only because of a finding that the user can accept. */
function toAccept(evidence: EvidenceSet, checks: readonly string[] = []): EvidenceSet {
  const marked = Object.entries(evidence).map(([name, each]): [string, Evidence] => {
    if (!checks.includes(name)) return [name, each]
    const finding = {
      id: findingId('aa'),
      key: 'aa',
      kind: 'test-removed',
      file: 'a.test.js',
      detail: 'It was removed.',
    }
    return [name, { ...each, findings: [finding], onlyFindings: true }]
  })
  return Object.fromEntries(marked)
}

/** A transcript of plain text. */
export function spoken(text: string, more: Partial<Transcript> = {}): Transcript {
  return { ...NO_TRANSCRIPT, format: 'text', final: text, bytes: new TextEncoder().encode(text).length, ...more }
}

export function listen(transcript: Transcript, options: ReadOptions): Signals {
  return (options.patterns ?? []).length === 0 ? read(transcript, options) : readWithPatterns(transcript, options)
}

function planOf(markdown: string, config: Config): Given {
  const options = { optionalSections: config.optionalSections, plansOnly: config.preset === 'gsd' }
  const { total, done, open } = readChecklist(markdown, options)
  return { counts: { total, done, open } }
}

function evidenceOf(given: Given, tree: string): EvidenceSet {
  const { evidence, problems } = readGiven(given, tree)
  // Unknown checks of another tool are kept with a problem. Any other problem is a mistake in the row.
  const wrong = problems.filter((problem) => !problem.endsWith('Its evidence is kept under that name.'))
  if (wrong.length > 0) throw new Error(`the evidence of the row is not understood: ${wrong.join(' ')}`)
  return evidence
}
