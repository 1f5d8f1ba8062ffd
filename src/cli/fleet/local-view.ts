import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { materialise } from '../../fleet/materialise.ts'
import { signal } from '../../fleet/operate.ts'
import { status } from '../../fleet/status.ts'
import type { RunRow } from '../../fleet/types.ts'
import { JOURNAL } from '../../journal/load.ts'
import { type OpenControl, openControl } from '../../loop/control/server.ts'
import { removeFolderSync } from '../../system/remove-folder.ts'
import { run as watch } from '../commands/watch.ts'
import { warn } from '../io.ts'
import { subcommandOf } from '../parse.ts'
import { placeOf } from '../place.ts'
import type { FleetCall } from './call.ts'

const SHOWN = {
  explain: () => import('../commands/explain.ts'),
  report: () => import('../commands/report.ts'),
  status: () => import('../commands/status.ts'),
  log: () => import('../commands/log.ts'),
  replay: () => import('../commands/replay.ts'),
  backtest: () => import('../commands/backtest.ts'),
} as const

/** The names in version 0.1. */
const OLD_NAMES: Readonly<Record<string, string>> = { state: 'status', history: 'log' }

/** `exitgate fleet show RUN COMMAND`: shows a run of the fleet with a command for local runs. */
export async function showCommand({ url, values, positionals, afterDashes, io }: FleetCall): Promise<number> {
  const [name = '', typed = ''] = positionals
  const word = OLD_NAMES[typed] ?? typed
  const command = subcommandOf('fleet show', word, Object.keys(SHOWN) as (keyof typeof SHOWN)[])
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'exitgate-fleet-')))
  try {
    const [workspace, states] = [join(folder, 'work'), join(folder, 'state')]
    mkdirSync(workspace)
    const { dir } = placeOf(workspace, states, io)
    const { run: found } = await materialise(url, name, dir)
    const { run: show } = await SHOWN[command]()
    const passed = ['json', 'no-color'] as const
    const flags = passed.filter((flag) => values[flag] === true).map((flag) => `--${flag}`)
    const given = [...flags, ...afterDashes]
    // A page in the workspace would be removed with it.
    const out = command === 'report' && makesPage(given) ? ['--out', `${found}.html`] : []
    return await show(['--dir', workspace, '--state-dir', states, ...out, ...given], io)
  } finally {
    removeFolderSync(folder)
  }
}

/** All other formats go to stdout, or to the file the user passed. */
const makesPage = (args: readonly string[]): boolean =>
  !args.some((arg) => /^(?:--out|--json$|(?:--format=)?(?:markdown|json)$)/.test(arg))

const POLL_MS = 1000

/** `exitgate fleet watch`: the runs of the fleet on the same live page as local ones. Its buttons reach the worker. */
export async function watchCommand({ url, values, io }: FleetCall): Promise<number> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'exitgate-fleet-')))
  const states = join(folder, 'state')
  const over = new AbortController()
  const { queue } = values
  const mirror = openMirror({
    url,
    dirOf: (task) => placeOf(join(folder, task), states, io).dir,
    ...(queue === undefined ? {} : { queue }),
  })
  const shown = new Set<string>()
  const updating = (async () => {
    while (!over.signal.aborted) {
      try {
        await mirror.update()
      } catch (error) {
        const text = error instanceof Error ? error.message : String(error)
        if (!shown.has(text)) warn(io, text)
        shown.add(text)
      }
      await sleep(POLL_MS, undefined, { signal: over.signal }).catch(() => {})
    }
  })()
  try {
    const flags = values.json ? ['--json'] : []
    return await watch(['--all', '--dir', folder, '--state-dir', states, ...flags], io)
  } finally {
    over.abort()
    await updating
    mirror.close()
    removeFolderSync(folder)
  }
}

interface MirrorOptions {
  readonly url: string
  readonly queue?: string
  /** The state folder of a task on this machine. */
  dirOf(task: string): string
}

const MOST_RUNS = 50

/** Mirrors runs of the fleet into local state folders and forwards controls to the workers. */
function openMirror({ url, queue, dirOf }: MirrorOptions) {
  const controls = new Map<string, OpenControl>()
  const complete = new Set<string>()
  return {
    /** Appends what is new in the database. */
    async update(): Promise<void> {
      const { runs } = await status(url, { most: MOST_RUNS, ...(queue === undefined ? {} : { queue }) })
      for (const run of runs) {
        if (complete.has(run.run)) continue
        await copyRun(run, dirOf(run.task))
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

  async function copyRun({ run }: RunRow, dir: string): Promise<void> {
    mkdirSync(dir, { recursive: true })
    const fresh = mkdtempSync(join(dirname(dirname(dir)), 'fresh-'))
    try {
      await materialise(url, run, fresh)
      const file = join(fresh, JOURNAL)
      const lines = existsSync(file) ? readFileSync(file) : Buffer.alloc(0)
      rmSync(file, { force: true })
      cpSync(fresh, dir, { recursive: true, force: true })
      // Only appended to, so that a reader that follows it never has to start over.
      const known = existsSync(join(dir, JOURNAL)) ? statSync(join(dir, JOURNAL)).size : 0
      if (lines.length > known) appendFileSync(join(dir, JOURNAL), lines.subarray(known), { mode: 0o600 })
    } finally {
      removeFolderSync(fresh)
    }
  }

  function listen({ run }: RunRow, dir: string): Promise<OpenControl> {
    return openControl({
      dir,
      run,
      allowRemote: false,
      onControl(control) {
        void signal(url, run, control).catch(() => {})
        return { taken: true, text: `Sent to the worker of run ${run}.` }
      },
      onRefused: (_control, why) => ({ taken: false, text: why }),
      status: () => ({ run, iterations: 0, running: undefined }),
      agents: () => [],
    })
  }
}
