import type { BacklogEvent } from '../../backlog/events.ts'
import type { TaskResult } from '../../backlog/types.ts'
import { backlogJson, backlogLines, backlogSummary } from '../../reports/live/backlog-lines.ts'
import { backlogFrame, emptyBacklog, followBacklog } from '../../reports/live/backlog-view.ts'
import { type Io, usesColor } from '../io.ts'
import { awayOf, openPainter, showsUnicode, sizeOf } from './terminal.ts'

export interface BacklogShown {
  readonly json?: boolean | undefined
  readonly jsonOutput?: boolean | undefined
  readonly quiet?: boolean | undefined
  readonly noColor?: boolean | undefined
  readonly plain?: boolean | undefined
  readonly merge: boolean
  readonly branch?: string
  readonly exitCode: (results: readonly TaskResult[]) => number
}

/** Tests that failed at the start and that no completed task makes pass. */
export function stillFailing(results: readonly TaskResult[]): readonly string[] {
  const done = results.flatMap(({ end }) => (end?.outcome === 'completed' && !end.merge?.empty ? [end] : []))
  const [first = [], ...others] = done.map(({ merge, left = [] }) => merge?.left ?? (merge === undefined ? left : []))
  return first.filter((name) => others.every((names) => names.includes(name)))
}

const LOUD: readonly BacklogEvent['type'][] = ['warning', 'interrupted']

/** What people and programs see of a backlog: a list in a terminal, lines in a pipe, JSON lines with `json`. */
export function openBacklogView(io: Io, options: BacklogShown) {
  const stream = options.json ? io.stderr : io.stdout
  const terminal = stream.isTTY === true && io.env.TERM !== 'dumb'
  const look = { color: usesColor(stream, io.env, options.noColor), unicode: !terminal || showsUnicode(io) }
  const style = { ...look, zone: -new Date(io.now()).getTimezoneOffset() }
  let view = emptyBacklog()
  const painter =
    terminal && !options.json && !options.quiet && !options.plain
      ? openPainter(stream, (size) => backlogFrame(view, { ...size, ...look, now: io.now() }), {
          isAway: awayOf(io),
        })
      : undefined
  let open = true

  const write = (event: BacklogEvent): void => {
    if (options.quiet && !LOUD.includes(event.type)) return
    if (painter !== undefined && event.type !== 'warning') return
    painter?.clear()
    for (const line of backlogLines(event, style)) stream.write(`${line}\n`)
  }

  return {
    tell(event: BacklogEvent): void {
      view = followBacklog(view, event)
      const exitCode = event.type === 'ended' ? options.exitCode(event.results) : 0
      const line = options.json ? backlogJson(event, { output: options.jsonOutput === true, exitCode }) : undefined
      if (line !== undefined) io.stdout.write(`${line}\n`)
      write(event)
      painter?.soon()
    },
    /** Ends the view with the summary. More than once is once. */
    close(): void {
      if (!open) return
      open = false
      painter?.close()
      if (view.ended === undefined) return
      const { results, total } = view.ended
      const { columns } = sizeOf(stream)
      stream.write(
        `\n${backlogSummary(results, total, { ...look, ...options, columns, exitCode: options.exitCode(results), left: stillFailing(results) })}`,
      )
    },
  }
}
