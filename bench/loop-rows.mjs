// Recorded loops as iterations for the engine: the agent's output, and what the row reveals about the workspace.

/** One row of `ralph-loops`: complete iterations of an agent in a loop, with a label assigned by a human reader. */
export const ralph = {
  corpus: 'ralph-loops',
  isMine: (row) => Array.isArray(row.steps) && typeof row.label === 'string',
  label: (row) => row.label,
  healthy: (label) => label.startsWith('healthy'),
  /** Labels without a moment from which the loop was lost, so a stop is neither early nor late. */
  open: (label) => label === 'mixed' || label === 'unlabelled',
  onset: (row) => (ralph.healthy(row.label) || ralph.open(row.label) ? undefined : firstTrouble(row)),
  iterations: (row) => {
    let tree = 0
    return row.steps.map((step, at) => {
      const moved = movedBy(step)
      if (moved === true) tree += 1
      return {
        ...printed(step),
        tree: moved === undefined ? '' : `tree ${tree}`,
        ms: step.duration_ms ?? 0,
        at: Date.parse(`${step.ts}Z`) || at * 60_000,
      }
    })
  },
  foot: [
    'An iteration is one start of the agent. No row has evidence: tests, plan and files are unknown to the engine, so no claim can be proven or refuted.',
    'The tree counts as unchanged if the agent took one turn (so it used no tool) or reports 0 modified files. It counts as changed if the agent',
    'reports modified files, and as unknown otherwise. `wasted` counts from the first iteration the row itself shows as lost: the first exit signal,',
    'idle iteration, refusal or limit. There is no iteration limit, so every stop comes from a rule. Waiting for a provider limit or a login is not counted.',
    '`false`: good runs that a rule stopped. Presets that need evidence or a plan look worse than they are, because they can never complete here.',
  ],
}

/** One row of `step-loops`: the steps of one agent session, labelled as looping or not by a rule of its collectors. */
export const steps = {
  corpus: 'step-loops',
  isMine: (row) => Array.isArray(row.steps) && typeof row.looped_by_rule === 'boolean',
  label: (row) => (row.looped_by_rule ? 'looped' : 'control'),
  healthy: (label) => label === 'control',
  open: () => false,
  onset: (row) => (row.looped_by_rule ? longestRepeat(row.steps) : undefined),
  iterations: (row) =>
    row.steps.map((step, at) => ({
      bytes: Buffer.from(`${step.obs_tail ?? ''}\n`),
      format: 'text',
      tree: `${step.action_sha} ${step.obs_sha}`,
      ms: 0,
      at: at * 60_000,
    })),
  foot: [
    'Each step inside a session is used as an iteration, which it is not: the engine judges complete iterations, and these rows only show how its counters behave on',
    'repetitions. Action and observation together represent the tree: the same command with the same answer means nothing changed. The text is the',
    'end of the observation, for its error line. `wasted` counts from the first repetition in the longest stretch that repeats what was 1, 2 or 3 steps before.',
  ],
}

/** Bytes as the agent printed them, for the real parser: the last line of a headless run, or plain text if the row has no more. */
function printed(step) {
  if (step.is_error === null || step.is_error === undefined) return { bytes: Buffer.from(step.text), format: 'text' }
  const denials = Array.from({ length: step.permission_denials ?? 0 }, (_, at) => ({
    tool_name: 'Tool',
    tool_use_id: `denied-${at}`,
    tool_input: {},
  }))
  const result = {
    type: 'result',
    subtype: 'success',
    is_error: step.is_error,
    num_turns: step.num_turns,
    duration_ms: step.duration_ms,
    session_id: 'recorded',
    result: step.text,
    permission_denials: denials,
  }
  return { bytes: Buffer.from(`${JSON.stringify(result)}\n`), format: 'auto' }
}

/** Whether the iteration changed the tree; undefined if the row doesn't show it. */
function movedBy(step) {
  if (step.num_turns === 1) return false
  const files = /^\d+/.exec(String(step.status?.FILES_MODIFIED ?? ''))?.[0]
  return files === undefined ? undefined : Number(files) > 0
}

function firstTrouble(row) {
  const lost = { blocked_on_permission: 'blocked', rate_limited_spin: 'limit_or_api_error' }[row.label]
  const found = [
    row.first_exit_signal ?? Number.POSITIVE_INFINITY,
    ...(row.idle_spans_computed ?? []).map(([from]) => from),
    ...row.steps.flatMap(({ sig }, at) => (sig === lost ? [at] : [])),
  ]
  const first = Math.min(...found)
  return Number.isFinite(first) ? first : 0
}

function longestRepeat(steps) {
  const same = (at, back) =>
    steps[at].action_sha === steps[at - back].action_sha && steps[at].obs_sha === steps[at - back].obs_sha
  let best = { length: 0, from: 0 }
  for (const back of [1, 2, 3]) {
    let from = back
    for (let at = back; at <= steps.length; at += 1) {
      if (at < steps.length && same(at, back)) continue
      if (at - from > best.length) best = { length: at - from, from }
      from = at + 1
    }
  }
  return best.from
}
