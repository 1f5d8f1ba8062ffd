import type { Answer, Evidence, EvidenceSet } from '../core/types.ts'
import type { Check, CheckContext, Workspace } from './types.ts'
import { withCachedList } from './workspace.ts'

export interface CollectOptions {
  /** How long this check may take; the context's deadline by default. */
  readonly deadlineOf?: (check: Check) => number
  /** Commands that run at the same time. */
  readonly commandsAtOnce?: number
  /** How long a check may take to finish after its signal to stop. */
  readonly patienceMs?: number
}

export interface Collected {
  readonly evidence: EvidenceSet
  readonly problems: readonly string[]
}

/** More commands would slow each other down until they miss their deadlines. */
const COMMANDS_AT_ONCE = 2
/** Long enough for a command to be terminated, and then killed. */
const GRACE_MS = 10_000

/**
 * Runs all checks at the same time, each with its deadline. If anything goes wrong with one, its answer is `unknown`. Only the build comes
 * before the others: tests may use its output, and must not find it there by chance.
 */
export async function collect(
  checks: readonly Check[],
  context: CheckContext,
  options: CollectOptions = {},
): Promise<Collected> {
  const slots = new Slots(options.commandsAtOnce ?? COMMANDS_AT_ONCE)
  const shared = { ...context, workspace: withCachedList(context.workspace) }
  const interrupt = new Interrupt(context.signal)
  try {
    const run = (check: Check) => runCheck(check, shared, slots, interrupt, options)
    const build = checks.find(({ name }) => name === 'build')
    const built = build && run(build)
    await built
    return combine(await Promise.all(checks.map((check) => (check === build && built) || run(check))))
  } finally {
    interrupt.stop()
  }
}

interface CheckResult {
  readonly evidence: readonly Evidence[]
  readonly problem?: string
}

async function runCheck(
  check: Check,
  context: CheckContext,
  slots: Slots,
  interrupt: Interrupt,
  options: CollectOptions,
): Promise<CheckResult> {
  const started = performance.now()
  const deadlineMs = options.deadlineOf?.(check) ?? context.deadlineMs
  const stop = new AbortController()
  let why: string | undefined
  let graceTimer: NodeJS.Timeout | undefined
  let onLate = (): void => {}
  const late = new Promise<undefined>((resolve) => {
    onLate = () => resolve(undefined)
  })
  const end = (reason: string) => {
    if (why !== undefined) return
    why = reason
    stop.abort()
    graceTimer = setTimeout(onLate, options.patienceMs ?? GRACE_MS)
  }
  interrupt.onAbort(() => end('The run was interrupted.'))
  const watch = new Stopwatch(deadlineMs, () => end(`No answer within ${seconds(deadlineMs)}.`))

  const workspace = withSlots(context.workspace, slots, watch, { name: check.name, signal: stop.signal, deadlineMs })
  const unknown = (detail: string): readonly Evidence[] => {
    const ms = Math.round(performance.now() - started)
    return [{ check: check.name, answer: 'unknown', detail, ms, tree: context.tree }]
  }
  try {
    const running = Promise.resolve(check.collect({ ...context, workspace, deadlineMs, signal: stop.signal }))
    // A check that was stopped may still fail later; without this the rejection would be unhandled.
    running.catch(() => {})
    const evidence = await Promise.race([running, late])
    if (why === undefined) return { evidence: evidence ?? [] }
    const ended = why
    // A `no` that arrived in time stays. Nothing else that arrives late counts.
    const cut = evidence?.map((each): Evidence => {
      return each.answer === 'no' ? each : { ...each, answer: 'unknown', detail: `${ended} ${each.detail}`.trim() }
    })
    return { evidence: cut ?? unknown(ended), problem: `${check.name}: ${ended}` }
  } catch (error) {
    const reason = why ?? `It failed: ${error instanceof Error ? error.message : String(error)}.`
    return { evidence: unknown(reason), problem: `${check.name}: ${reason}` }
  } finally {
    watch.stop()
    clearTimeout(graceTimer)
  }
}

const seconds = (ms: number) => `${Math.max(1, Math.round(ms / 1000))} s`

/**
 * The same workspace, where commands wait for a slot. Each command gets its own deadline, at most that of its check. The check's
 * deadline covers the rest of its work, so two runs of the tests may take twice as long as one.
 */
function withSlots(
  workspace: Workspace,
  slots: Slots,
  watch: Stopwatch,
  check: { readonly name: string; readonly signal: AbortSignal; readonly deadlineMs: number },
): Workspace {
  return {
    ...workspace,
    async run(command, options) {
      watch.pause()
      const release = await slots.take()
      try {
        const signal = options.signal === undefined ? check.signal : AbortSignal.any([check.signal, options.signal])
        const deadlineMs = Math.min(options.deadlineMs, check.deadlineMs)
        return await workspace.run(command, { as: { check: check.name }, ...options, deadlineMs, signal })
      } finally {
        release()
        watch.resume()
      }
    },
  }
}

const RANK: Readonly<Record<Answer, number>> = { yes: 0, unknown: 1, no: 2 }

/** In the order of the checks. If two answer under the same name, the more cautious answer counts. */
function combine(answers: readonly CheckResult[]): Collected {
  const evidence = new Map<string, Evidence>()
  const problems = answers.flatMap(({ problem }) => (problem === undefined ? [] : [problem]))
  for (const each of answers.flatMap((result) => result.evidence)) {
    const other = evidence.get(each.check)
    if (other !== undefined) problems.push(`${each.check}: two checks have this name.`)
    if (other === undefined || RANK[each.answer] > RANK[other.answer]) evidence.set(each.check, each)
  }
  return { evidence: Object.fromEntries(evidence), problems }
}

/** One listener for all checks: Node takes more than ten for a leak and warns on stderr. */
class Interrupt {
  readonly #signal: AbortSignal | undefined
  readonly #listeners: (() => void)[] = []

  constructor(signal: AbortSignal | undefined) {
    this.#signal = signal
    signal?.addEventListener('abort', this.#notify, { once: true })
  }

  /** Calls back immediately if the signal is already aborted. */
  onAbort(call: () => void): void {
    if (this.#signal?.aborted === true) call()
    else this.#listeners.push(call)
  }

  stop(): void {
    this.#signal?.removeEventListener('abort', this.#notify)
  }

  readonly #notify = (): void => {
    for (const call of this.#listeners.splice(0)) call()
  }
}

/** Calls `onEnd` when the time is used up; time while it is paused does not count. */
class Stopwatch {
  readonly #onEnd: () => void
  #leftMs: number
  #since: number | undefined
  #timer: NodeJS.Timeout | undefined
  #holds = 0

  constructor(ms: number, onEnd: () => void) {
    this.#onEnd = onEnd
    this.#leftMs = Math.min(Math.max(ms, 1), 2 ** 31 - 1)
    this.#go()
  }

  #go(): void {
    this.#since = performance.now()
    this.#timer = setTimeout(this.#onEnd, this.#leftMs)
  }

  /** Stops the clock until `resume` was called as often as `pause`. */
  pause(): void {
    this.#holds += 1
    if (this.#since === undefined) return
    clearTimeout(this.#timer)
    this.#leftMs = Math.max(1, this.#leftMs - (performance.now() - this.#since))
    this.#since = undefined
  }

  resume(): void {
    this.#holds -= 1
    if (this.#holds === 0) this.#go()
  }

  stop(): void {
    this.#holds = Number.POSITIVE_INFINITY
    clearTimeout(this.#timer)
  }
}

/** A number of slots; callers get a free one in the order of their calls. */
class Slots {
  #free: number
  readonly #waiting: (() => void)[] = []

  constructor(size: number) {
    this.#free = size
  }

  /** Resolves with a function that gives the slot back. */
  async take(): Promise<() => void> {
    if (this.#free > 0) this.#free -= 1
    else await new Promise<void>((resolve) => this.#waiting.push(resolve))
    let released = false
    return () => {
      if (released) return
      released = true
      const next = this.#waiting.shift()
      if (next === undefined) this.#free += 1
      else next()
    }
  }
}
