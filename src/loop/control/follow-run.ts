import type { FeedEvent } from '../../core/loop-event.ts'
import { askRun } from './ask.ts'

interface FollowOptions {
  /** The run whose agent this process works for. */
  readonly inside?: string | undefined
  /** The run accepted the connection. Its events follow: first this many from the past. `denied`: why it takes no request that only the user may make. */
  onAccepted?(past: number, denied?: string): void
  onEvent(event: FeedEvent): void
  /** The connection has ended: the run is over, or its process is gone. */
  onEnd(): void
}

/**
 * Follows the events of the run with this state folder, from another process: the recent ones first, then all as they happen.
 * Undefined if no run is running there, a sentence if it refuses or can't answer now. The agent is refused, because it would see what
 * hidden tests print.
 */
export async function followRun(
  dir: string,
  { inside, onAccepted, onEvent, onEnd }: FollowOptions,
): Promise<{ close(): void } | string | undefined> {
  let close = (): void => {}
  const answer = await askRun(
    dir,
    { kind: 'events', by: 'a viewer', reason: 'shows the run' },
    {
      inside,
      onAccepted(next, end, { status }) {
        close = end
        const { past = 0, denied }: { past?: number; denied?: string } = status ?? {}
        onAccepted?.(past, denied)
        void read(next)
      },
    },
  )
  if (answer === undefined) return undefined
  return answer.taken ? { close: () => close() } : answer.text

  async function read(next: () => Promise<string | undefined>): Promise<void> {
    for (let line = await next(); line !== undefined; line = await next()) {
      const event = eventIn(line)
      if (event !== undefined) onEvent(event)
    }
    close()
    onEnd()
  }
}

/** The run wrote the line, but a newer version of it may send more than this one knows. */
function eventIn(line: string): FeedEvent | undefined {
  try {
    const event: unknown = JSON.parse(line)
    return typeof event === 'object' && event !== null && 'type' in event ? (event as FeedEvent) : undefined
  } catch {
    return undefined
  }
}
