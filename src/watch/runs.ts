import { randomBytes } from 'node:crypto'
import { readdirSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { sessionsOf } from '../journal/sessions.ts'
import type { Changes, RunRow } from '../reports/runs/row.ts'
import { EarlierRuns } from './earlier.ts'
import { Followed } from './follow.ts'

/** Changes, and where to continue from. */
export interface Since extends Changes {
  readonly id: string
}

export interface WatchPlaces {
  /** The folder of one journal. */
  readonly dir: string
  /** Also every journal next to it. */
  readonly all: boolean
}

interface Entry {
  readonly row: RunRow
  readonly n: number
}

const LOOK_MS = 400
/** How long one look may take for journals that were never seen; a few are always read, so that a short list is complete at once. */
const MOST_MS = 100
const A_FEW = 10
/** New folders are rarer than new events. */
const SEARCH_EVERY = 5
/** No state folder has more projects than this; whatever made it so, the page must stay usable. */
const MOST = 20_000

/** The runs of one or of all workspaces. It reads them only while a page is connected. */
export class Runs {
  /** Another process counts from the beginning again; then its numbers must not be taken for ours. */
  readonly #epoch = randomBytes(6).toString('hex')
  readonly #followed = new Map<string, Followed>()
  readonly #entries = new Map<string, Entry>()
  readonly #gone = new Map<string, number>()
  readonly #earlier = new EarlierRuns()
  /** Of which journals the earlier runs are listed, or being read, and as of when. */
  readonly #eras = new Map<string, string>()
  #reading = Promise.resolve()
  readonly #listeners = new Set<() => void>()
  #n = 0
  #looks = 0
  #timer: NodeJS.Timeout | undefined

  constructor(readonly places: WatchPlaces) {}

  /** The newest run of each journal. */
  rows(): readonly RunRow[] {
    return [...this.#entries.values()].flatMap(({ row }) => (row.earlier === undefined ? [row] : []))
  }

  row(id: string): RunRow | undefined {
    return this.#entries.get(id)?.row
  }

  /** The folder of a run's journal; a name that is not on the list leads nowhere. */
  dirOf(id: string): string | undefined {
    return this.#entries.has(id) ? this.#followed.get(id.replace(/\/\d+$/, ''))?.dir : undefined
  }

  /** Looks once, and tells those who listen when something is different. */
  look(): void {
    if (this.#looks++ % SEARCH_EVERY === 0) this.#search()
    const before = this.#n
    const until = performance.now() + MOST_MS
    let unseen = 0
    let later = false
    for (const followed of this.#followed.values()) {
      // A thousand new journals take a while and would block answers, so the rest comes next.
      if (!followed.seen) unseen += 1
      later = !followed.seen && unseen > A_FEW && performance.now() > until
      if (later) break
      if (followed.look()) this.#note(followed)
    }
    if (later) setImmediate(() => this.look())
    if (this.#n !== before) for (const listener of [...this.#listeners]) listener()
  }

  /** Looks at one journal now, because its run told that something happened. */
  lookAt(id: string): void {
    const followed = this.#followed.get(id)
    if (followed === undefined || !followed.look()) return
    this.#note(followed)
    for (const listener of [...this.#listeners]) listener()
  }

  listen(listener: () => void): () => void {
    this.#listeners.add(listener)
    if (this.#timer === undefined) {
      this.look()
      this.#timer = setInterval(() => this.look(), LOOK_MS)
      this.#timer.unref()
    }
    return () => {
      this.#listeners.delete(listener)
      if (this.#listeners.size > 0) return
      clearInterval(this.#timer)
      this.#timer = undefined
    }
  }

  /** The number up to which `since` tells. */
  get newest(): string {
    return `${this.#epoch}.${this.#n}`
  }

  /** What happened after that event number; everything if the number is unknown. */
  since(id: string | undefined): Since {
    const [epoch, number] = (id ?? '').split('.')
    const n = Number(number)
    const known = epoch === this.#epoch && /^\d{1,15}$/.test(number ?? '') && n <= this.#n
    const after = known ? n : -1
    return {
      all: !known,
      rows: [...this.#entries.values()].filter((entry) => entry.n > after).map(({ row }) => row),
      gone: known ? [...this.#gone].filter(([, at]) => at > after).map(([name]) => name) : [],
      id: this.newest,
    }
  }

  #note(followed: Followed): void {
    this.#n += 1
    const { id, row } = followed
    if (row === undefined) this.#drop(id)
    else this.#put(row)
    const { count, era } = followed.earlier
    if (this.#eras.get(id) === era || (count === 0 && !this.#eras.has(id))) return
    this.#eras.set(id, era)
    // One journal after the other, because each may be long. A damaged one shows its problem in its own row.
    this.#reading = this.#reading.then(() => this.#listEarlier(followed, count, era).catch(() => {}))
  }

  async #listEarlier({ dir, id }: Followed, count: number, era: string): Promise<void> {
    const rows = count === 0 ? [] : await this.#earlier.of(dir, id)
    if (this.#eras.get(id) !== era) return
    this.#n += 1
    const listed = new Set(rows.map((row) => row.id))
    for (const [other, { row }] of this.#entries)
      if (row.earlier !== undefined && other === `${id}/${row.earlier}` && !listed.has(other)) this.#drop(other)
    for (const row of rows) if (this.#entries.get(row.id)?.row.seq !== row.seq) this.#put(row)
    for (const listener of [...this.#listeners]) listener()
  }

  #put(row: RunRow): void {
    this.#gone.delete(row.id)
    this.#entries.set(row.id, { row, n: this.#n })
  }

  #drop(id: string): void {
    this.#entries.delete(id)
    this.#gone.set(id, this.#n)
  }

  #search(): void {
    const { dir, all } = this.places
    const names = all ? foldersIn(dirname(dir)) : [basename(dir)]
    for (const name of names.slice(0, MOST)) {
      const folder = join(dirname(dir), name)
      this.#follow(folder, name)
      for (const session of sessionsOf(folder)) this.#follow(session.dir, `${name}.${session.name}`)
    }
  }

  #follow(dir: string, id: string): void {
    if (!this.#followed.has(id)) this.#followed.set(id, new Followed(dir, id))
  }
}

function foldersIn(root: string): readonly string[] {
  try {
    return readdirSync(root, { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map(({ name }) => name)
  } catch {
    return []
  }
}
