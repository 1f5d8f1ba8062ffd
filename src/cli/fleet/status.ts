import { count } from '../../../packages/core/src/count.ts'
import { status } from '../../fleet/status.ts'
import type { FleetStatus, LastVerdict, LimitRow, RunRow, WorkerRow } from '../../fleet/types.ts'
import { clean } from '../../reports/live/clean.ts'
import { amountText, durationText } from '../../reports/live/duration.ts'
import { headOf, textWidth } from '../../reports/live/line.ts'
import { painter, type Style } from '../../reports/verdict-text.ts'
import { usesColor } from '../io.ts'
import { wholeNumber } from '../parse.ts'
import type { FleetCall } from './call.ts'

export async function statusCommand({ url, values, io }: FleetCall): Promise<number> {
  const { queue } = values
  const most = wholeNumber('--last', values.last, 1) ?? 20
  const found = await status(url, { most, ...(queue === undefined ? {} : { queue }) })
  if (values.json) io.stdout.write(`${JSON.stringify(found)}\n`)
  else
    io.stdout.write(
      statusText(found, {
        color: usesColor(io.stdout, io.env, values['no-color']),
        columns: io.stdout.columns ?? 160,
        now: io.now(),
      }),
    )
  return 0
}

/** From this width on, a line has room for the worker's name. */
const WIDE = 120
const SILENT_MS = 10_000
const LONGEST_TASK = 24

interface StatusStyle extends Style {
  readonly columns: number
  /** In ms since 1970. */
  readonly now: number
}

type Tone = Parameters<ReturnType<typeof painter>>[1]
interface Cell {
  readonly text: string
  readonly tone?: Tone
}

/** Queues, workers, and the newest runs. */
function statusText(status: FleetStatus, style: StatusStyle): string {
  const { queues, workers, runs, blocked, limits } = status
  if (queues.length === 0 && workers.length === 0)
    return 'No tasks and no workers yet. Start with exitgate fleet submit FILE.\n'
  const counts = ['ready', 'waiting', 'running', 'completed', 'failed', 'blocked'] as const
  const blocks = [
    table(
      ['queue', ...counts],
      queues.map((each) => [each.queue, ...counts.map((name) => String(each[name]))].map(cell)),
      style,
    ),
    workers.length === 0
      ? ['No workers. Start one with exitgate fleet worker.']
      : table(['worker', 'queue', 'runs', 'last seen'], workers.map(workerCells), style),
    runLines(runs, style),
    blocked.map(({ task, reason }) => `${clean(task)} won't run: ${clean(reason)}`),
    limits.flatMap(limitLine),
  ]
  return `${blocks
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join('\n'))
    .join('\n\n')}\n`
}

function limitLine({ kind, name, atOnce, callsPerHour }: LimitRow): readonly string[] {
  const parts = [
    ...(atOnce === undefined ? [] : [`${atOnce} at once`]),
    ...(callsPerHour === undefined ? [] : [`${count(callsPerHour, 'call')} an hour`]),
  ]
  return parts.length === 0 ? [] : [`limit of ${kind} ${clean(name)}: ${parts.join(', ')}`]
}

const cell = (text: string): Cell => ({ text: clean(text) })

function workerCells({ worker, queue, running, concurrency, draining, silentMs }: WorkerRow): readonly Cell[] {
  const silent = silentMs > SILENT_MS
  const sign = `${silent ? 'silent for ' : ''}${durationText(silentMs)}${silent ? '' : ' ago'}${draining ? ', draining' : ''}`
  return [
    cell(worker),
    cell(queue),
    cell(`${running} of ${concurrency}`),
    { text: sign, ...(silent ? { tone: 'red' } : draining ? { tone: 'yellow' } : {}) },
  ]
}

const RUN_HEAD = ['task', 'state', 'iter', 'for', 'cost', 'passed']

/** On a narrow screen, the reason has its own line. */
function runLines(runs: readonly RunRow[], style: StatusStyle): readonly string[] {
  if (style.columns >= WIDE)
    return table(
      [...RUN_HEAD, 'worker', 'missing, or result'],
      runs.map((run) => [...runCells(run, style.now), cell(run.worker ?? ''), cell(whyOf(run))]),
      style,
    )
  const [head, ...rows] = table(
    RUN_HEAD,
    runs.map((run) => runCells(run, style.now)),
    style,
  )
  const below = runs.map((run) => (whyOf(run) === '' ? [] : [headOf(`  ${clean(whyOf(run))}`, style.columns)]))
  return [...(head === undefined ? [] : [head]), ...rows.flatMap((row, i) => [row, ...(below[i] ?? [])])]
}

function runCells(run: RunRow, now: number): readonly Cell[] {
  const { end, verdict } = run
  const state = end === undefined ? run.standing : `${end.outcome}/${end.ending}`
  const tone: Tone = end === undefined ? 'cyan' : end.outcome === 'completed' ? 'green' : 'red'
  return [
    cell(headOf(clean(run.task), LONGEST_TASK)),
    { text: state, tone },
    cell(String(run.iterations)),
    cell(durationText((run.endedAt ?? now) - run.startedAt)),
    cell(`$${amountText(run.usd)}`),
    cell(verdict === undefined ? '' : passedOf(verdict)),
  ]
}

/** Whether there was a claim and a proof in the last iteration. */
function passedOf({ gate }: LastVerdict): string {
  if (gate.claim === 'yes') return gate.proof === 'yes' ? 'both' : 'claim'
  return gate.proof === 'yes' ? 'proof' : 'none'
}

function whyOf({ end, standing, epoch, verdict, iterations }: RunRow): string {
  if (end !== undefined) return end.outcome === 'completed' ? (end.branch ?? '') : end.reason
  const missing = verdict?.missing ?? (iterations === 0 ? 'first iteration' : '')
  const where = standing === 'queued' ? 'waiting for a worker' : epoch > 1 ? `worker ${epoch} of this run` : ''
  return [where, missing].filter((each) => each !== '').join('; ')
}

/** Columns as wide as their content; the last one takes the rest of the line. */
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
