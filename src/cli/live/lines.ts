import type { LoopEvent } from '../../core/run.ts'
import { banner } from '../../reports/live/banner.ts'
import type { Look } from '../../reports/live/line.ts'
import { heartbeatLine, plainLine } from '../../reports/live/plain-lines.ts'
import { emptyView, follow } from '../../reports/live/view.ts'
import type { Io } from '../io.ts'
import type { Live, LiveOptions } from './open.ts'
import type { Output } from './terminal-io.ts'

const HEARTBEAT_MS = 60_000
const LOUD: readonly LoopEvent['type'][] = ['warning', 'interrupted', 'ended']

/** One line for each happening, for pipes and logs; nothing is ever painted over. */
export function openLines(io: Io, stream: Output, options: LiveOptions & Look & { readonly zone: number }): Live {
  let view = emptyView()
  let quiet = true
  const write = (line: string): void => {
    quiet = false
    stream.write(`${line}\n`)
  }
  // A line only after a whole minute without one.
  const beat = setInterval(() => {
    if (quiet && view.started !== undefined && view.doing.kind !== 'ended' && !options.quiet)
      write(heartbeatLine(view, io.now(), options))
    quiet = true
  }, HEARTBEAT_MS)
  beat.unref()
  return {
    tell(event: LoopEvent): void {
      view = follow(view, event, io.now())
      if (options.quiet && !LOUD.includes(event.type)) return
      // The banner says the end at length.
      if (event.type === 'ended' && !options.quiet) return
      for (const line of plainLine(event, options)) write(line)
    },
    aside: (work) => work(),
    close(): void {
      clearInterval(beat)
      if (view.doing.kind !== 'ended' || options.quiet) return
      const { end } = view.doing
      const columns = stream.columns ?? 100
      write(`\n${banner(end, view.state, { ...options, columns, exitCode: options.exitCode(end) }).trimEnd()}`)
      view = emptyView()
    },
  }
}
