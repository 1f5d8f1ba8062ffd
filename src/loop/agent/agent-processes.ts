import { killTree, terminateTree } from '../../system/kill-tree.ts'
import { commandLine, membersOf, type Process, type StartedCommand } from '../../system/processes.ts'
import { noteProcesses } from '../../system/running-commands.ts'

/** The interval grows: a process that hides usually does so early. */
const FIRST_MS = 100
const LAST_MS = 5_000
const MOST_OF_COMMAND = 100

/**
 * The processes of an agent. A child that leaves the group, drops its environment and loses its parent can't be recognized any more.
 * So they are listed regularly while the agent works, and a process seen once stays known.
 */
export class AgentProcesses {
  readonly #leader: StartedCommand
  #known: readonly Process[] = []
  /** The agent itself and its helpers, such as MCP servers. They were there when it began to print. */
  #own: ReadonlySet<number> | undefined
  #timer: NodeJS.Timeout | undefined

  constructor(leader: StartedCommand) {
    this.#leader = leader
    noteProcesses(leader, () => this.#known)
    this.#lookAfter(FIRST_MS)
  }

  look(): readonly Process[] {
    this.#known = membersOf(this.#leader, undefined, this.#known)
    return this.#known
  }

  /** The agent begins to print. */
  begins(): void {
    this.#own ??= new Set(this.look().map(({ pid }) => pid))
  }

  /** The commands that the agent started and that still run. Of a shell and its command, only the command. */
  running(): readonly string[] {
    const others = this.look().filter(({ pid }) => pid !== this.#leader.pid && !this.#own?.has(pid))
    const parents = new Set(others.map(({ parent }) => parent))
    const lines = others.filter(({ pid }) => !parents.has(pid)).map(({ pid }) => commandLine(pid))
    return [...new Set(lines.map((line) => line.slice(0, MOST_OF_COMMAND)))].filter((line) => line !== '')
  }

  /** Asks all of them to exit, and kills them after the grace period. */
  end(graceMs: number): Promise<void> {
    return terminateTree(this.#leader, graceMs, this.look())
  }

  endNow(): Promise<void> {
    return killTree(this.#leader, this.look())
  }

  /** The agent itself has ended: ends the other processes and returns their number. */
  async endRest(): Promise<number> {
    this.stop()
    const left = this.look()
    // Outside Linux the list may be incomplete, so the group is always ended.
    if (left.length > 0 || process.platform !== 'linux') await killTree(this.#leader, left)
    return left.filter(({ pid }) => pid !== this.#leader.pid).length
  }

  stop(): void {
    clearTimeout(this.#timer)
  }

  #lookAfter(ms: number): void {
    this.#timer = setTimeout(() => {
      this.look()
      this.#lookAfter(Math.min(2 * ms, LAST_MS))
    }, ms)
  }
}
