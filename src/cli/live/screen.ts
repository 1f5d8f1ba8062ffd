import { listedFindings } from '../../core/accepting.ts'
import type { LoopEvent } from '../../core/loop-event.ts'
import type { Control } from '../../core/run.ts'
import { banner } from '../../reports/live/banner.ts'
import { shownIteration, tabOf } from '../../reports/live/blocks/detail.ts'
import { plainLine } from '../../reports/live/event-lines.ts'
import { frame } from '../../reports/live/frame.ts'
import { START_UI, type Ui } from '../../reports/live/ui.ts'
import { isUiKey, pressUi } from '../../reports/live/ui-keys.ts'
import { emptyView, follow, type View } from '../../reports/live/view.ts'
import { DEFAULT_BY } from '../io.ts'
import { askToAccept, askWhy } from './ask-person.ts'
import { type Key, openRawKeyboard } from './keyboard.ts'
import type { Live, LiveStyle, RunActions } from './live.ts'
import { canAsk, keyboardOf } from './menu.ts'
import { awayOf, type Output, openPainter, sizeOf, type TerminalIo } from './terminal.ts'

/** The last frame goes into the terminal's history and may be longer than its window. */
const LAST_ROWS = 60
const MOST_DIFF_LINES = 50_000
const MESSAGE_MS = 6_000

/** What stays readable above the frames. */
const isPrinted = (event: LoopEvent): boolean => event.type === 'warning' || event.type === 'preflight'

/** The live view of a run in a terminal: frames with panes, warnings above them, and keys. */
export function openScreen(io: TerminalIo, stream: Output, options: LiveStyle): Live {
  let view: View = emptyView()
  let ui: Ui = START_UI
  let open = true
  let busy = 0
  let actions: RunActions | undefined
  const draw = (size: { readonly columns: number; readonly rows: number }): readonly string[] =>
    frame(view, {
      ...size,
      ...options,
      ui,
      keys: keyboard !== undefined,
      attached: actions?.attached === true,
      now: io.now(),
    })
  let keyboard: ReturnType<typeof openRawKeyboard> | undefined
  const painter = openPainter(stream, draw, {
    isAway: awayOf(io),
    // A run that starts in the background gets its keys with `fg`.
    back: () => {
      silence()
      listen()
    },
  })

  const listen = (): void => {
    if (actions === undefined || busy > 0 || keyboard !== undefined || !canAsk(io)) return
    const opened = openRawKeyboard(
      keyboardOf(io),
      (keys) => {
        for (const key of keys) press(key)
        painter.now()
      },
      () => silence(),
    )
    keyboard = opened
    opened.start(() => {})
  }
  const silence = (): void => {
    keyboard?.stop()
    keyboard = undefined
  }
  const aside: Live['aside'] = async (work) => {
    busy += 1
    silence()
    painter.hold(true)
    painter.clear()
    try {
      return await work()
    } finally {
      busy -= 1
      listen()
      painter.hold(busy > 0)
      painter.soon()
    }
  }
  const say = (text: string): void => {
    ui = { ...ui, message: { text, until: io.now() + MESSAGE_MS } }
    painter.soon()
  }
  /** Asks in the terminal, then sends what you chose. */
  const ask = async (question: () => Promise<Control | string>): Promise<void> => {
    const text = await aside(async () => {
      const asked = await question()
      return typeof asked === 'string' ? asked : (await actions?.control(asked))?.text
    })
    if (text !== undefined) say(text)
  }
  const send = async (control: Control): Promise<void> => say((await actions?.control(control))?.text ?? '')

  function press(key: Key): void {
    ui = { ...ui, message: undefined }
    const letter = key.name === 'char' ? key.text.toLowerCase() : undefined
    const attached = actions?.attached === true
    if (key.name === 'interrupt' && attached) actions?.detach()
    else if (key.name === 'interrupt') process.kill(process.pid, 'SIGINT')
    else if (ui.help && letter !== undefined) ui = { ...ui, help: false }
    else if (letter === 'q') actions?.detach()
    else if (letter === 'p')
      void send({ kind: view.paused ? 'resume' : 'pause', by: DEFAULT_BY, reason: 'in the live view' })
    else if (letter === 'a') void ask(() => askToAccept(io, findings(), attached))
    else if (letter === 'f') void ask(() => askWhy('force', attached))
    else if (letter === 's') void ask(() => askWhy('guidance', attached))
    else if (letter === undefined || letter === 'd' || letter === '?') move(letter ?? key.name)
  }
  function move(name: string): void {
    if (!isUiKey(name)) return
    ui = pressUi(ui, name, view, sizeOf(stream))
    readDiff()
  }
  /** Reads the diff that is shown, if it is another one than before. */
  function readDiff(): void {
    const file = tabOf(ui, view) === 'diff' ? shownIteration(ui, view)?.diff?.file : undefined
    if (file === undefined || file === ui.diff?.file) return
    let text = 'The diff could not be read.'
    try {
      text = actions?.readDiff(file) ?? text
    } catch {
      // The folder of the run may have been cleared.
    }
    const lines = text.split('\n')
    const more = lines.length - MOST_DIFF_LINES
    const rest = more > 0 ? [`(${more} more lines are in ${file}, in the state folder of the run)`] : []
    ui = { ...ui, diff: { file, lines: [...lines.slice(0, MOST_DIFF_LINES), ...rest] } }
  }
  const findings = () => listedFindings(view.state.previous?.evidence)

  return {
    tell(event) {
      view = follow(view, event)
      if (event.type === 'diff') readDiff()
      if (isPrinted(event) && open && busy === 0) {
        painter.clear()
        stream.write(`${plainLine(event, { ...options, columns: sizeOf(stream).columns }).join('\n')}\n`)
      }
      painter.soon()
    },
    aside,
    listen(given) {
      actions = given
      listen()
    },
    show(shown) {
      view = shown
      painter.soon()
    },
    close(silently) {
      actions = undefined
      silence()
      if (!painter.close()) return
      open = false
      // A run that broke off has no last frame; the error that ended it is printed elsewhere.
      if (silently || view.doing.kind !== 'ended') return
      const { end } = view.doing
      const { columns } = sizeOf(stream)
      const last = frame(view, { ...options, columns, rows: LAST_ROWS, now: io.now() })
      const ending = banner(end, view.state, { ...options, columns, exitCode: options.exitCode(end) })
      stream.write(`${last.join('\n')}\n\n${ending}`)
    },
  }
}
