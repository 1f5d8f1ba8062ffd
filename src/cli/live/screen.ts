import type { LoopEvent } from '../../core/run.ts'
import { banner } from '../../reports/live/banner.ts'
import { frame } from '../../reports/live/frame.ts'
import type { Look } from '../../reports/live/line.ts'
import { plainLine } from '../../reports/live/plain-lines.ts'
import { emptyView, follow } from '../../reports/live/view.ts'
import type { Io } from '../io.ts'
import type { Live, LiveOptions } from './open.ts'
import { openPainter } from './painter.ts'
import { type Output, sizeOf } from './terminal-io.ts'

/** The last frame stands in the terminal's history and may be longer than its window. */
const LAST_ROWS = 60

/** The live view of a run: its frames, and what is said beside them. */
export function openScreen(io: Io, stream: Output, options: LiveOptions & Look & { readonly zone: number }): Live {
  let view = emptyView()
  let open = true
  let aside = false
  const painter = openPainter(stream, (size) => frame(view, { ...size, ...options, now: io.now() }))
  return {
    tell(event: LoopEvent): void {
      view = follow(view, event, io.now())
      if (event.type === 'warning' && open && !aside) {
        painter.clear()
        stream.write(`${plainLine(event, options).join('\n')}\n`)
      }
      painter.soon()
    },
    async aside(work) {
      aside = true
      painter.hold(true)
      painter.clear()
      try {
        return await work()
      } finally {
        aside = false
        painter.hold(false)
        painter.soon()
      }
    },
    close(): void {
      if (!painter.close()) return
      open = false
      // What broke off has no last frame: whoever broke it off says why.
      if (view.doing.kind !== 'ended') return
      const { end } = view.doing
      const { columns } = sizeOf(stream)
      const last = frame(view, { ...options, columns, rows: LAST_ROWS, now: io.now() })
      const words = banner(end, view.state, { ...options, columns, exitCode: options.exitCode(end) })
      stream.write(`${last.join('\n')}\n\n${words}`)
    },
  }
}
