import type { LoopEvent } from '../../core/loop-event.ts'
import type { Control, RunEnd } from '../../core/run.ts'
import type { Answered } from '../../loop/control/request.ts'
import type { Look } from '../../reports/live/line.ts'
import type { View } from '../../reports/live/view.ts'

export interface LiveOptions {
  /** JSON lines on stdout; text for people then goes to stderr. */
  readonly json?: boolean | undefined
  /** The agent's output is part of the JSON lines. */
  readonly jsonOutput?: boolean | undefined
  /** Only warnings and the end. */
  readonly quiet?: boolean | undefined
  readonly noColor?: boolean | undefined
  /** Lines even in a terminal. */
  readonly plain?: boolean | undefined
  /** What to do after the run, if the usual steps make no sense. */
  readonly next?: readonly string[]
  /** The exit code the program will end with. */
  readonly exitCode: (end: RunEnd) => number
}

export interface Live {
  tell(event: LoopEvent): void
  /** Hides the view while something else uses the terminal. */
  aside<T>(work: () => Promise<T>): Promise<T>
  /** Lets the keys of the live view act on the run. */
  listen?(actions: RunActions): void
  /** Starts from a view that was made elsewhere. */
  show?(view: View): void
  /** Ends the view, and prints the banner if the run has ended. Safe to call twice. */
  close(silently?: boolean): void
}

export type LiveStyle = LiveOptions & Look & { readonly zone: number }

/** What the keys of the live view can do to the run. */
export interface RunActions {
  control(control: Control): Answered | Promise<Answered>
  /** Leaves the view. The run continues. */
  detach(): void
  /** Another process runs the loop; it asks for its own codes. */
  readonly attached?: boolean
  /** The text of a diff, by the name in its event. */
  readDiff(file: string): string
}
