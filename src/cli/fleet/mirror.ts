import { appendFileSync, cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { materialise } from '../../fleet/materialise.ts'
import { signal } from '../../fleet/operate.ts'
import { status } from '../../fleet/status.ts'
import type { RunRow } from '../../fleet/types.ts'
import { JOURNAL } from '../../journal/load.ts'
import { type OpenControl, openControl } from '../../loop/control/server.ts'

export interface MirrorOptions {
  readonly url: string
  readonly queue?: string
  /** Where the run of a task lies on this machine. */
  dirOf(task: string): string
}

const MOST = 50

/** Runs of the fleet as state folders of this machine, kept up to date; what is asked of them here is asked of them there. */
export function openMirror({ url, queue, dirOf }: MirrorOptions) {
  const controls = new Map<string, OpenControl>()
  const complete = new Set<string>()
  return {
    /** One look at the database: what is new comes in behind what was there. */
    async look(): Promise<void> {
      const { runs } = await status(url, { most: MOST, ...(queue === undefined ? {} : { queue }) })
      for (const run of runs) {
        if (complete.has(run.run)) continue
        await bring(run, dirOf(run.task))
        if (run.standing === 'ended') {
          complete.add(run.run)
          controls.get(run.run)?.close()
        } else if (!controls.has(run.run)) controls.set(run.run, await listen(run, dirOf(run.task)))
      }
    },
    close(): void {
      for (const control of controls.values()) control.close()
    },
  }

  async function bring({ run }: RunRow, dir: string): Promise<void> {
    mkdirSync(dir, { recursive: true })
    const fresh = mkdtempSync(join(dirname(dirname(dir)), 'fresh-'))
    try {
      await materialise(url, run, fresh)
      const file = join(fresh, JOURNAL)
      const lines = existsSync(file) ? readFileSync(file) : Buffer.alloc(0)
      rmSync(file, { force: true })
      cpSync(fresh, dir, { recursive: true, force: true })
      // A journal only grows, so that whoever follows it here is never sent back.
      const known = existsSync(join(dir, JOURNAL)) ? statSync(join(dir, JOURNAL)).size : 0
      if (lines.length > known) appendFileSync(join(dir, JOURNAL), lines.subarray(known), { mode: 0o600 })
    } finally {
      rmSync(fresh, { recursive: true, force: true })
    }
  }

  function listen({ run }: RunRow, dir: string): Promise<OpenControl> {
    return openControl({
      dir,
      run,
      allowRemote: false,
      onControl(asked) {
        void signal(url, run, asked).catch(() => {})
        return { taken: true, text: `asked of the worker that has the run ${run}` }
      },
      onRefused: (_asked, why) => ({ taken: false, text: why }),
      status: () => ({ run, iterations: 0, running: undefined }),
      agents: () => [],
    })
  }
}
