import { detailLines, detailRows, tabOf } from './blocks/detail.ts'
import { lastHelpRow } from './help.ts'
import { PANES, START_UI, TABS, type Ui } from './ui.ts'
import type { View } from './view.ts'

const MOVES = ['up', 'down', 'page-up', 'page-down', 'first', 'last'] as const
const UI_KEYS = [...MOVES, 'left', 'right', 'tab', 'back-tab', 'enter', 'escape', 'd', '?'] as const
export type UiKey = (typeof UI_KEYS)[number]
export const isUiKey = (name: string): name is UiKey => UI_KEYS.some((key) => key === name)

export interface Room {
  readonly columns: number
  readonly rows: number
}

/** The state after one key. */
export function pressUi(ui: Ui, key: UiKey, view: View, room: Room): Ui {
  if (ui.help) return help(ui, key, room)
  switch (key) {
    case '?':
      return { ...ui, help: true, helpTop: 0 }
    case 'tab':
    case 'back-tab': {
      const step = key === 'tab' ? 1 : PANES.length - 1
      return { ...ui, pane: PANES[(PANES.indexOf(ui.pane) + step) % PANES.length]! }
    }
    case 'enter':
      return { ...ui, zoom: !ui.zoom }
    case 'escape':
      return { ...START_UI, diff: ui.diff }
    case 'd':
      return { ...ui, pane: 'detail', tab: tabOf(ui, view) === 'diff' ? undefined : 'diff', detailTop: undefined }
    case 'left':
    case 'right': {
      const at = TABS.indexOf(tabOf(ui, view)) + (key === 'right' ? 1 : -1)
      return { ...ui, pane: 'detail', tab: TABS[Math.min(TABS.length - 1, Math.max(0, at))], detailTop: undefined }
    }
    default:
      return ui.pane === 'iterations' ? selected(ui, key, view) : scrolled(ui, key, view, room)
  }
}

function help(ui: Ui, key: UiKey, room: Room): Ui {
  if (!isMove(key)) return { ...ui, help: false }
  const next = ui.helpTop + stepOf(key, Math.max(1, room.rows - 2))
  return { ...ui, helpTop: Math.min(lastHelpRow(room), Math.max(0, next)) }
}

const isMove = (key: UiKey): key is Move => (MOVES as readonly string[]).includes(key)

type Move = (typeof MOVES)[number]

/** Rows that one key moves; `first` and `last` go all the way. */
const stepOf = (key: Move, page: number): number =>
  ({ up: -1, down: 1, 'page-up': -page, 'page-down': page, first: -1e9, last: 1e9 })[key]

function selected(ui: Ui, key: Move, { iterations }: View): Ui {
  if (iterations.length === 0) return ui
  const found = iterations.findIndex(({ iteration }) => iteration === ui.iteration)
  const now = found < 0 ? iterations.length - 1 : found
  const next = Math.min(iterations.length - 1, Math.max(0, now + stepOf(key, 5)))
  const isLast = next === iterations.length - 1
  return { ...ui, iteration: isLast ? undefined : iterations[next]!.iteration, detailTop: undefined }
}

function scrolled(ui: Ui, key: Move, view: View, room: Room): Ui {
  const page = Math.max(1, (ui.zoom ? room.rows - 3 : detailRows(room.rows)) - 1)
  if (ui.pane === 'plan') {
    const most = Math.max(0, (view.plan?.items.length ?? 0) - 1)
    return { ...ui, planTop: Math.min(most, Math.max(0, ui.planTop + stepOf(key, page))) }
  }
  const { lines, fromEnd } = detailLines(view, ui, Math.max(2, room.columns - 2))
  const end = Math.max(0, lines.length - page)
  const top = ui.detailTop ?? (fromEnd ? end : 0)
  const next = Math.min(end, Math.max(0, top + stepOf(key, page)))
  return { ...ui, detailTop: fromEnd && next >= end ? undefined : next }
}
