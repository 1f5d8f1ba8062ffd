import type { FeedEvent } from '../../core/loop-event.ts'
import { verdictSentence } from '../../core/policy/ending-text.ts'
import { durationText } from '../live/duration.ts'
import { checkText, controlText, runText } from '../live/view.ts'
import { type SafeText, visible } from '../page/safe-text.ts'
import type { LogPart } from './live.ts'

/** Several screens of output. A page that joins later gets this much. */
const MOST_TEXT = 256 * 1024
/** Longer pieces are split, so that old text can be dropped piece by piece. */
const LONGEST_PART = 8 * 1024
const LONGEST_LINE = 2000

/** The output of a run as pieces for the page, and those that are new since the last time. */
export class LiveLog {
  #parts: LogPart[] = []
  #fresh: LogPart[] = []
  #size = 0
  #freshSize = 0
  #next = 1
  /** Commands on a changed copy, where tests have to fail. */
  readonly #proofs = new Set<number>()
  /** The piece that more output of a command continues. */
  readonly #printed = new Map<number, LogPart>()
  /** The agent's last piece, while nothing else came in between. */
  #agent: LogPart | undefined

  constructor(readonly safe: SafeText) {}

  /** Everything that is kept. */
  get parts(): readonly LogPart[] {
    return this.#parts
  }

  /** What is new since the last call. */
  takeFresh(): readonly LogPart[] {
    const fresh = this.#fresh
    this.#fresh = []
    this.#freshSize = 0
    return fresh
  }

  /** More came since the last call than is kept. */
  get overflowed(): boolean {
    return this.#freshSize > MOST_TEXT
  }

  add(event: FeedEvent): void {
    if (event.type === 'output' && event.tool === undefined)
      this.#agent = this.#continued(this.#agent, 'agent', event.text)
    else if (event.type === 'command-output')
      this.#printed.set(event.id, this.#continued(this.#printed.get(event.id), 'printed', event.text))
    else {
      if (event.type === 'command' && event.check === 'proof') this.#proofs.add(event.id)
      const entry = entryOf(event, event.type === 'command-ended' && this.#proofs.delete(event.id))
      if (entry === undefined) return
      if (entry.kind === 'iteration') this.#printed.clear()
      if (event.type === 'command-ended') this.#printed.delete(event.id)
      this.#agent = undefined
      this.#new({ id: this.#next++, ...entry, text: this.safe.line(entry.text, LONGEST_LINE) })
    }
  }

  /** Adds text to a piece, or starts the next one. */
  #continued(open: LogPart | undefined, kind: LogPart['kind'], given: string): LogPart {
    const text = visible(given.slice(-MOST_TEXT), MOST_TEXT)
    if (open === undefined || open.text.length + text.length > LONGEST_PART) {
      if (kind !== 'agent') this.#agent = undefined
      return this.#new({ id: this.#next++, kind, text })
    }
    const whole: LogPart = { ...open, text: open.text + text }
    const at = this.#parts.findLastIndex(({ id }) => id === open.id)
    if (at >= 0) this.#parts[at] = whole
    this.#note({ ...open, text })
    return whole
  }

  #new(part: LogPart): LogPart {
    this.#parts.push(part)
    this.#note(part)
    return part
  }

  #note(part: LogPart): void {
    this.#size += part.text.length
    this.#freshSize += part.text.length
    const last = this.#fresh.at(-1)
    if (last?.id === part.id) this.#fresh[this.#fresh.length - 1] = { ...last, text: last.text + part.text }
    else this.#fresh.push(part)
    while (this.#size > MOST_TEXT && this.#parts.length > 1) this.#size -= this.#parts.shift()?.text.length ?? 0
    // Then every page gets everything that is kept.
    if (this.overflowed) this.#fresh = []
  }
}

type Entry = Omit<LogPart, 'id'>

/** The line for an event that is one. */
function entryOf(event: FeedEvent, mayFail: boolean): Entry | undefined {
  switch (event.type) {
    case 'baseline':
      return event.done ? undefined : { kind: 'iteration', text: 'Before the first iteration' }
    case 'iteration': {
      const again = event.attempt > 1 ? `, start ${event.attempt}` : ''
      const task = event.task === undefined ? '' : `: ${event.task}`
      return { kind: 'iteration', text: `Iteration ${event.iteration}${again}${task}` }
    }
    case 'output':
      return { kind: 'tool', text: [event.tool?.name, event.tool?.about].filter(Boolean).join(' ') }
    case 'command':
      return { kind: 'command', text: `${event.command}${runText(event)}${checkText(event.check)}` }
    case 'command-ended': {
      const how = event.code === null ? 'ended by a signal' : `exit code ${event.code}`
      const tone = event.code === 0 ? 'yes' : 'no'
      return { kind: 'result', text: `${how}, ${durationText(event.ms)}`, ...(!mayFail && { tone }) }
    }
    case 'decided': {
      const { verdict } = event
      const passed = verdict.action === 'advance' || (verdict.action === 'stop' && verdict.ending === 'verified')
      // An honest CONTINUE has not failed.
      const failed = verdict.gate.claim === 'yes' || verdict.action === 'stop'
      return {
        kind: 'decided',
        text: verdictSentence(verdict),
        ...((passed || failed) && { tone: passed ? 'yes' : 'no' }),
      }
    }
    case 'checkpoint':
      return { kind: 'note', text: `committed ${event.commit.slice(0, 10)} to ${event.branch}` }
    case 'waiting':
      return { kind: 'note', text: `waiting: ${event.why}` }
    case 'control':
      return { kind: 'note', text: controlText(event.control) }
    case 'warning':
      return { kind: 'warning', text: event.text }
    case 'asking':
      return { kind: 'warning', text: `Waiting for an answer in its terminal: ${event.why}` }
    case 'interrupted':
      return { kind: 'warning', text: event.message }
    default:
      return undefined
  }
}
