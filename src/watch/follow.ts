import { closeSync, constants, lstatSync, readSync } from 'node:fs'
import { basename, join } from 'node:path'
import type { JournalEvent, State } from '../core/journal/events.ts'
import { emptyState, reduce } from '../core/journal/reduce.ts'
import { type Position, readChain } from '../journal/chain.ts'
import { readLine } from '../journal/lines.ts'
import { JOURNAL, load } from '../journal/load.ts'
import { readEvents } from '../journal/read.ts'
import { agentRuns } from '../loop/agent/leftovers.ts'
import { findPlace, loopState } from '../loop/control/place.ts'
import { type RunRow, rowOf, unreadableRow } from '../reports/runs/row.ts'
import { openPlain } from '../system/files.ts'
import { redact } from '../system/redact.ts'

/** The fold up to a place in the journal. */
interface Known {
  readonly state: State
  readonly position: Position
}

/** What the file looked like when it was read last. */
interface Look {
  readonly ino: number
  readonly size: number
  readonly mtimeMs: number
}

/** The processes of a run: its loop, which accepts requests, or only its agent. */
interface Life {
  readonly answers: boolean
  readonly alive: boolean
  /** The loop left its note, so nothing stopped it in order. */
  readonly crashed: boolean
}
const NOBODY: Life = { answers: false, alive: false, crashed: false }
const IDLE_EVERY = 5

/** A pause is recorded while nothing else happens, so it is near the end. */
const NEAR_THE_END = 40

/**
 * One journal, followed without a lock: only what was appended is read. Journals that are over are forgotten but for their line,
 * because there may be a thousand of them.
 */
export class Followed {
  readonly id: string
  readonly #file: string
  #look: Look | undefined
  #known: Known | undefined
  /** Whether it is paused; unknown for a run without a process. */
  #held: boolean | undefined
  /** What the row is made of, as text: another row is another text. */
  #told = ''
  #row: RunRow | undefined
  #life: Life = NOBODY
  #looks = 0
  #era = ''
  #runs = 0
  /** The run that takes its baseline. */
  #starting: RunRow | undefined
  #starts = 0

  constructor(
    readonly dir: string,
    id: string = basename(dir),
  ) {
    this.id = id
    this.#file = join(dir, JOURNAL)
  }

  /** It was looked at before. */
  get seen(): boolean {
    return this.#look !== undefined
  }

  get row(): RunRow | undefined {
    return this.#starting ?? this.#row
  }

  /** How many runs it has, and a text that is different when there may be others before the newest one. */
  get earlier(): { readonly count: number; readonly era: string } {
    return { count: this.#row === undefined ? 0 : Math.max(0, this.#runs - 1), era: this.#era }
  }

  /** Looks whether something happened; gives true when the row is another one than before. */
  look(): boolean {
    const changed = this.#lookAtJournal()
    return this.#lookForStart() || changed
  }

  /** While a run takes its baseline, the journal still ends with the run before it, or has none yet. */
  #lookForStart(): boolean {
    const before = this.#starting?.run
    if (before === undefined && (this.#life.alive || this.#starts++ % IDLE_EVERY !== 0)) return false
    const { run, folder = '' } = findPlace(this.dir) ?? {}
    const starts = run !== undefined && run !== this.#row?.run && loopState(this.dir, run) === 'running'
    if (starts && run === before) return false
    const startedAt = (starts && lstatSync(folder, { throwIfNoEntry: false })?.mtimeMs) || 0
    const around = { id: this.id, seenAt: startedAt, answers: true, alive: true, held: false, hide: redact }
    this.#starting = starts ? rowOf({ ...emptyState(), run, startedAt }, around) : undefined
    return before !== this.#starting?.run
  }

  #lookAtJournal(): boolean {
    const found = lstatSync(this.#file, { throwIfNoEntry: false })
    if (found === undefined) {
      const was = this.#row !== undefined
      this.#forget()
      return was
    }
    const { ino, size, mtimeMs } = found
    const before = this.#look
    const same = before !== undefined && before.ino === ino && before.size === size && before.mtimeMs === mtimeMs
    if (same && !this.#lifeChanged()) return false
    this.#look = { ino, size, mtimeMs }
    try {
      if (!same) this.#read(before?.ino === ino)
      if (this.#known !== undefined) this.#tell(this.#known)
    } catch (error) {
      this.#known = undefined
      this.#row = unreadableRow(this.id, error instanceof Error ? error.message : String(error), mtimeMs)
    }
    const told = JSON.stringify(this.#row)
    const changed = told !== this.#told
    this.#told = told
    return changed
  }

  #forget(): void {
    this.#look = undefined
    this.#known = undefined
    this.#row = undefined
    this.#told = ''
    this.#era = ''
  }

  /** A loop can die without a journal entry. A run without a process usually stays that way. */
  #lifeChanged(): boolean {
    if (this.#known === undefined) return false
    this.#looks += 1
    if (!this.#life.alive && this.#looks % IDLE_EVERY !== 0) return false
    const { answers, alive, crashed } = lifeOf(this.dir, this.#known.state)
    return answers !== this.#life.answers || alive !== this.#life.alive || crashed !== this.#life.crashed
  }

  #read(sameFile: boolean): void {
    const fd = openPlain(this.#file, constants.O_RDONLY)
    try {
      if (this.#known !== undefined && sameFile && endsAsBefore(fd, this.#known.position)) this.#readOn(fd, this.#known)
      else this.#readAnew(fd)
    } finally {
      closeSync(fd)
    }
  }

  /** An unfinished last line waits: the position stays before it. */
  #readOn(fd: number, { state: before, position }: Known): void {
    let state = before
    const links = readChain(fd, this.#file, position)
    let next = links.next()
    for (; !next.done; next = links.next()) {
      state = reduce(state, next.value.event)
      if (this.#held !== undefined) this.#held = holds(this.#held, next.value.event)
    }
    this.#known = { state, position: next.value.position }
  }

  /** Another journal than before, or the first look: its snapshot spares most of the reading. */
  #readAnew(fd: number): void {
    const { state, position } = load(this.dir, fd, this.#file)
    this.#held = undefined
    this.#known = { state, position }
  }

  #isHeld(): boolean {
    if (this.#held !== undefined) return this.#held
    let held = false
    for (const event of readEvents(this.dir, { last: NEAR_THE_END })) held = holds(held, event)
    this.#held = held
    return held
  }

  #tell({ state, position }: Known): void {
    if (state.run === undefined) {
      this.#row = undefined
      return
    }
    this.#life = lifeOf(this.dir, state)
    this.#runs = state.totals.runs
    this.#era = `${this.#look?.ino} ${state.totals.runs} ${state.startedAt} ${state.run}`
    const { id } = this
    const held = this.#life.alive && this.#isHeld()
    this.#row = rowOf(state, { id, seenAt: position.at, ...this.#life, held, hide: redact })
    if (state.ended !== undefined) this.#known = undefined
  }
}

/** The file may have been emptied and replaced by another journal. */
export function endsAsBefore(fd: number, { start, end, hash, seq }: Position): boolean {
  if (seq === 0) return false
  const bytes = Buffer.alloc(Math.max(0, end - start - 1))
  if (readSync(fd, bytes, 0, bytes.length, start) < bytes.length) return false
  const read = readLine(bytes)
  return read.kind === 'event' && read.hash === hash
}

function holds(held: boolean, event: JournalEvent): boolean {
  if (event.type === 'control' && event.kind === 'pause') return true
  if (event.type === 'control' && event.kind === 'resume') return false
  return held && !['run.started', 'run.resumed', 'run.ended', 'iteration.started'].includes(event.type)
}

function lifeOf(dir: string, { ended, running, run }: State): Life {
  if (ended !== undefined) return NOBODY
  const loop = loopState(dir, run)
  const answers = loop === 'running'
  const alive = answers || (running?.agent !== undefined && agentRuns(running.agent))
  return { answers, alive, crashed: !alive && loop === 'crashed' }
}
