export const TABS = ['output', 'checks', 'diff', 'verdict'] as const
export type Tab = (typeof TABS)[number]

export const PANES = ['plan', 'iterations', 'detail'] as const
type Pane = (typeof PANES)[number]

/** What you look at. The run does not know it. */
export interface Ui {
  readonly pane: Pane
  /** Undefined follows the run: output while the agent works, checks while they run. */
  readonly tab?: Tab | undefined
  /** The selected iteration; undefined follows the run. */
  readonly iteration?: number | undefined
  /** Rows from the start of the plan. */
  readonly planTop: number
  /** Rows from the start of the detail; undefined shows its end as it grows. */
  readonly detailTop?: number | undefined
  /** The pane alone, with long lines wrapped. */
  readonly zoom: boolean
  readonly help: boolean
  /** Rows from the start of the help. */
  readonly helpTop: number
  /** The answer to your last key, and until when it is shown. */
  readonly message?: { readonly text: string; readonly until: number } | undefined
  /** The diff that was read last. */
  readonly diff?: { readonly file: string; readonly lines: readonly string[] } | undefined
}

export const START_UI: Ui = { pane: 'detail', planTop: 0, zoom: false, help: false, helpTop: 0 }
