import { killTree, terminateTree } from '../../system/kill-tree.ts'
import { membersOf, type Process, type StartedCommand } from '../../system/processes.ts'
import { noteProcesses } from '../../system/running-commands.ts'

/** From one look to the next: soon at first, because whoever wants to hide does it early. */
const FIRST_MS = 100
const LAST_MS = 5_000

/**
 * The processes of an agent. A child that leaves the group, drops its environment and loses its parent can be told by
 * nothing any more; so they are looked at while the agent works, and whoever was seen once stays known.
 */
export class AgentProcesses {
  readonly #leader: StartedCommand
  #known: readonly Process[] = []
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

  /** Asks all to end, and after the grace period ends them. */
  end(graceMs: number): Promise<void> {
    return terminateTree(this.#leader, graceMs, this.look())
  }

  endNow(): Promise<void> {
    return killTree(this.#leader, this.look())
  }

  /** The agent itself has ended: ends whoever is still there, and tells how many those were. */
  async endRest(): Promise<number> {
    this.stop()
    const left = this.look()
    // Where one look does not tell for sure, the group is ended on suspicion.
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
