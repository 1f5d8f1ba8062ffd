import type { FleetStatus, RunRow, WorkerRow } from '../../fleet/types.ts'
import { clean } from '../../reports/live/clean.ts'
import { amountText, durationText } from '../../reports/live/duration.ts'
import { headOf, textWidth } from '../../reports/live/width.ts'
import { painter, type Style } from '../../reports/verdict-text.ts'

interface StatusStyle extends Style {
  readonly columns: number
  /** The time it is, in ms since 1970. */
  readonly now: number
}

type Tone = Parameters<ReturnType<typeof painter>>[1]
interface Cell {
  readonly text: string
  readonly tone?: Tone
}

/** The fleet in one look: how much is where, who works, and what became of the newest runs. */
export function statusText(status: FleetStatus, style: StatusStyle): string {
  const { queues, workers, runs, blocked, limits } = status
  if (queues.length === 0 && workers.length === 0)
    return 'nothing was submitted yet, and no worker is here; exitgate fleet submit FILE begins\n'
  const counts = ['ready', 'waiting', 'running', 'completed', 'failed', 'blocked'] as const
  const blocks = [
    table(
      ['queue', ...counts],
      queues.map((each) => [each.queue, ...counts.map((name) => String(each[name]))].map(cell)),
      style,
    ),
    workers.length === 0
      ? ['no worker is here: exitgate fleet worker starts one']
      : table(['worker', 'queue', 'runs', 'last sign'], workers.map(workerCells), style),
    table(
      ['task', 'run', 'state', 'iterations', 'for', 'cost', 'why'],
      runs.map((run) => runCells(run, style.now)),
      style,
    ),
    blocked.map(({ task, reason }) => `${clean(task)} will not run: ${clean(reason)}`),
    limits.map(
      ({ kind, name, atOnce, callsPerHour }) =>
        `${kind} ${clean(name)}: ${[...(atOnce === undefined ? [] : [`${atOnce} at once`]), ...(callsPerHour === undefined ? [] : [`${callsPerHour} calls an hour`])].join(', ') || 'no limit'}`,
    ),
  ]
  return `${blocks
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join('\n'))
    .join('\n\n')}\n`
}

const cell = (text: string): Cell => ({ text: clean(text) })

function workerCells({ worker, queue, running, concurrency, draining, silentMs }: WorkerRow): readonly Cell[] {
  const sign = `${durationText(silentMs)} ago${draining ? ', draining' : ''}`
  return [
    cell(worker),
    cell(queue),
    cell(`${running} of ${concurrency}`),
    { text: sign, ...(silentMs > 10_000 ? { tone: 'red' } : {}) },
  ]
}

function runCells(run: RunRow, now: number): readonly Cell[] {
  const { end } = run
  const state = end === undefined ? run.standing : `${end.outcome}/${end.ending}`
  const tone: Tone = end === undefined ? 'cyan' : end.outcome === 'completed' ? 'green' : 'red'
  const why =
    end?.reason ??
    (run.worker === undefined
      ? 'waits for a worker'
      : `on ${run.worker}${run.epoch > 1 ? `, worker ${run.epoch} of this run` : ''}`)
  return [
    cell(run.task),
    cell(run.run),
    { text: state, tone },
    cell(String(run.iterations)),
    cell(durationText((run.endedAt ?? now) - run.startedAt)),
    cell(end === undefined ? '' : `$${amountText(end.usd)}`),
    cell(why),
  ]
}

/** Columns as wide as what stands in them; the last one has what is left of the line. */
function table(head: readonly string[], rows: readonly (readonly Cell[])[], style: StatusStyle): readonly string[] {
  if (rows.length === 0) return []
  const paint = painter(style)
  const widths = head.map((title, i) => Math.max(textWidth(title), ...rows.map((row) => textWidth(row[i]?.text ?? ''))))
  const line = (cells: readonly Cell[]): string => {
    let room = style.columns
    const parts = cells.map(({ text, tone }, i) => {
      const width = Math.max(0, Math.min(widths[i] ?? 0, room))
      room -= width + 2
      const shown = textWidth(text) > width ? headOf(text, width) : text
      const pad = i === cells.length - 1 ? '' : ' '.repeat(width - textWidth(shown))
      return `${tone === undefined ? shown : paint(shown, tone)}${pad}`
    })
    return parts.join('  ').trimEnd()
  }
  return [paint(line(head.map(cell)), 'dim'), ...rows.map(line)]
}
