import type { LoopEvent } from '../core/loop-event.ts'
import type { Spent } from '../core/types.ts'
import type { MergeEnd, TaskEnd, TaskResult } from './types.ts'

/** Everything that happens while a backlog runs. The terminal view, plain lines and JSON lines all use it. */
export type BacklogEvent =
  | {
      readonly type: 'began'
      readonly tasks: readonly { readonly id: string; readonly title: string }[]
      readonly parallel: number
      readonly resumed: boolean
      readonly at: number
    }
  /** What happens right now outside the run: preparing the workspace, or merging. */
  | { readonly type: 'doing'; readonly task: string; readonly what: string; readonly at: number }
  | { readonly type: 'task'; readonly task: string; readonly event: LoopEvent }
  | { readonly type: 'task-ended'; readonly task: string; readonly end: TaskEnd; readonly at: number }
  | { readonly type: 'merged'; readonly task: string; readonly merge: MergeEnd; readonly at: number }
  | { readonly type: 'warning'; readonly text: string; readonly at: number }
  | { readonly type: 'interrupted'; readonly message: string; readonly now: boolean; readonly at: number }
  | { readonly type: 'ended'; readonly results: readonly TaskResult[]; readonly total: Spent; readonly at: number }
