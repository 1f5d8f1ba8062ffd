import { listedFindings } from '../../../core/accepting.ts'
import { ANSWER_TEXT, inOrder, isInformation } from '../../../core/policy/check-text.ts'
import { verdictSentence } from '../../../core/policy/ending-text.ts'
import { CLAIM_TEXT } from '../../plain-words.ts'
import { toneOf } from '../../verdict-text.ts'
import { shownTitle } from '../check-marks.ts'
import { clean } from '../clean.ts'
import type { IterationView } from '../iterations.ts'
import type { Block } from '../layout.ts'
import { ANSWER_TONES, cutLine, type Line, type Look, lineWidth, marksOf, span, type Tone, wrapText } from '../line.ts'
import { type Tail, tailLines } from '../tail.ts'
import type { Tab, Ui } from '../ui.ts'
import type { View } from '../view.ts'
import { statusText } from './head.ts'
import { breakerTexts, limitTexts } from './progress.ts'

/** Without a choice of yours: what the run does now. */
export function tabOf({ tab }: Pick<Ui, 'tab'>, { doing }: View): Tab {
  return tab ?? (doing.kind === 'baseline' || doing.kind === 'evidence' ? 'checks' : 'output')
}

/** The iteration you chose, or the last one. Until it has a diff, the diff is that of an earlier one. */
export function shownIteration(
  { iteration, tab }: Pick<Ui, 'iteration' | 'tab'>,
  view: View,
): IterationView | undefined {
  const { iterations } = view
  const chosen = iterations.find((each) => each.iteration === iteration)
  const withDiff = tab === 'diff' ? iterations.findLast(({ diff }) => diff !== undefined) : undefined
  return chosen ?? withDiff ?? iterations.at(-1)
}

const TITLES: Readonly<Record<Tab, string>> = {
  output: 'agent output',
  checks: 'output of the checks',
  diff: 'diff',
  verdict: 'verdict',
}

/** The rows that the detail has at least, its title included. */
export const detailRows = (height: number): number => Math.max(3, Math.floor(height * 0.4))

/** What one iteration said, printed, changed and came to. A bar on every row keeps it apart from our own lines. */
export function detailBlock(view: View, ui: Ui, columns: number, height: number, look: Look): Block {
  const { rule, bar } = marksOf(look)
  const { lines, fromEnd } = detailLines(view, ui, Math.max(2, columns - 2))
  return {
    rank: 1.5,
    // Rows that it would leave empty are for others.
    least: Math.min(detailRows(height), Math.max(2, lines.length + 1)),
    most: Number.POSITIVE_INFINITY,
    gap: true,
    draw: (rows) => {
      if (rows < 1) return []
      const room = rows - 1
      const top = ui.detailTop ?? (fromEnd ? Math.max(0, lines.length - room) : 0)
      const shown = lines.slice(top, top + room)
      const title = titleLine(view, ui, { top, room, all: lines.length }, rule)
      const fill = span(rule.repeat(Math.max(0, columns - lineWidth(title))), 'dim')
      const blank = Array.from({ length: room - shown.length }, (): Line => [])
      const body = shown.map((line) => cutLine([span(`${bar} `, 'dim'), ...line], columns, look))
      return [cutLine([...title, fill], columns, look), ...body, ...blank]
    },
  }
}

function titleLine(
  view: View,
  ui: Ui,
  { top, room, all }: { readonly top: number; readonly room: number; readonly all: number },
  rule: string,
): Line {
  const now = tabOf(ui, view)
  const shown = shownIteration(ui, view)
  const which =
    shown === undefined || (ui.iteration === undefined && ui.tab === undefined)
      ? ''
      : shown.iteration === 0
        ? ' of the baseline'
        : ` of iteration ${shown.iteration}`
  const place = all > room ? ` ${top + 1}-${Math.min(all, top + room)} of ${all}` : ''
  const tone: Tone | undefined = ui.pane === 'detail' ? 'bold' : 'dim'
  return [span(`${rule}${rule} `, 'dim'), span(`${TITLES[now]}${which}`, tone), span(`${place} `, 'dim')]
}

/** All rows of the detail, wrapped; `fromEnd` if its end is what matters. */
export function detailLines(
  view: View,
  ui: Ui,
  columns: number,
): { readonly lines: readonly Line[]; readonly fromEnd: boolean } {
  const tab = tabOf(ui, view)
  const shown = shownIteration(ui, view)
  const wrapped = (texts: readonly string[]): readonly Line[] =>
    texts.flatMap((text) => wrapText(text, columns).map((row): Line => [span(row)]))
  switch (tab) {
    case 'output': {
      const own = ui.iteration === undefined && ui.tab === undefined ? lastWithOutput(view) : shown
      return {
        lines: wrapped(own === undefined ? [] : [...earlier(own.output, EARLIER_OUTPUT), ...tailLines(own.output)]),
        fromEnd: true,
      }
    }
    case 'checks':
      return {
        lines: wrapped(
          shown === undefined ? [] : [...earlier(shown.printed, EARLIER_CHECKS), ...tailLines(shown.printed)],
        ),
        fromEnd: true,
      }
    case 'diff':
      return { lines: [...noDiffYet(view, shown, columns), ...diffLines(shown, ui, columns)], fromEnd: false }
    case 'verdict':
      return { lines: verdictLines(view, shown, columns), fromEnd: false }
  }
}

const EARLIER_OUTPUT = '(For what was printed before: exitgate report --transcripts 1000 --open)'
const EARLIER_CHECKS = '(What was printed before is not kept. Run the command yourself to see it.)'
const earlier = ({ cut }: Tail, text: string): readonly string[] => (cut ? [text] : [])

/** A new iteration shows the output of the one before until it has its own. */
const lastWithOutput = ({ iterations }: View): IterationView | undefined =>
  iterations.findLast(({ output }) => output.lines.length > 0 || output.open !== '')

/** Why the diff of an earlier iteration, or none, is shown. */
function noDiffYet({ iterations }: View, shown: IterationView | undefined, columns: number): readonly Line[] {
  const asked = shown?.diff === undefined ? shown : iterations.at(-1)
  if (asked?.diff !== undefined) return []
  const n = asked?.iteration ?? 0
  const text =
    asked?.decided !== undefined
      ? `Iteration ${n} changed no file.`
      : `The diff${n === 0 ? '' : ` of iteration ${n}`} is made when the checks start.`
  return [...wrapText(text, columns).map((row): Line => [span(row, 'dim')]), ...(shown?.diff ? [[]] : [])]
}

function diffLines(shown: IterationView | undefined, { diff }: Ui, columns: number): readonly Line[] {
  if (shown?.diff === undefined) return []
  const stat = shown.diff.files.map(({ path, added, removed }): Line => {
    if (added === undefined || removed === undefined) return [span(clean(path)), span('  not shown as text', 'dim')]
    return [span(clean(path)), span(`  +${added}`, 'green'), span(` -${removed}`, 'red')]
  })
  return [...stat, [], ...(diff?.file === shown.diff.file ? wrappedDiff(diff.lines, columns) : [])]
}

/** A long diff takes longer than a frame may take. */
const wrappedDiffs = new WeakMap<readonly string[], { readonly columns: number; readonly rows: readonly Line[] }>()

function wrappedDiff(lines: readonly string[], columns: number): readonly Line[] {
  const known = wrappedDiffs.get(lines)
  if (known?.columns === columns) return known.rows
  const rows = lines.flatMap((line) => wrapText(clean(line), columns).map((row): Line => [span(row, diffTone(line))]))
  wrappedDiffs.set(lines, { columns, rows })
  return rows
}

function diffTone(line: string): Tone | undefined {
  if (line.startsWith('+++') || line.startsWith('---')) return 'bold'
  if (line.startsWith('@@')) return 'cyan'
  return line.startsWith('+') ? 'green' : line.startsWith('-') ? 'red' : undefined
}

/** Claim, proof, reason, what is missing, every check and every message, in full. */
function verdictLines(view: View, shown: IterationView | undefined, columns: number): readonly Line[] {
  const rows = (text: string, tone?: Tone, indent = 0): readonly Line[] =>
    wrapText(clean(text), Math.max(2, columns - indent)).map(
      (row): Line => [span(' '.repeat(indent)), tone === undefined ? span(row) : span(row, tone)],
    )
  const evidence = inOrder(shown?.decided?.observation.evidence ?? (shown?.iteration === 0 ? (view.before ?? {}) : {}))
  const { required } = view.state.config ?? {}
  const checks = evidence.flatMap((each): readonly Line[] => {
    const isNote = isInformation(each.check, required)
    const title = `${shownTitle(each)}: ${isNote ? 'not required' : ANSWER_TEXT[each.answer]}`
    return [
      ...rows(title, isNote ? 'dim' : ANSWER_TONES[each.answer]),
      ...each.detail.split('\n').flatMap((line) => rows(line, 'dim', 2)),
    ]
  })
  const notes = [...view.notes].reverse().flatMap(({ text, warning }) => rows(text, warning ? 'yellow' : 'dim', 2))
  const findings = listedFindings(view.state.previous?.evidence).length
  const verdict = shown?.decided?.verdict
  return [
    ...(shown?.task === undefined ? [] : rows(`task: ${shown.task}`, 'dim')),
    ...(verdict === undefined
      ? rows('Not decided yet.', 'dim')
      : [
          ...rows(`claim: ${CLAIM_TEXT[verdict.gate.claim]}, proof: ${ANSWER_TEXT[verdict.gate.proof]}`, 'bold'),
          ...rows(verdictSentence(verdict), toneOf(verdict)),
          ...verdict.missing.flatMap((each) => rows(`still needed: ${each}`, undefined, 2)),
        ]),
    ...(findings > 0 ? rows(`${findings} to accept: press a`, 'yellow') : []),
    ...(checks.length > 0 ? [[], ...checks] : []),
    ...(notes.length > 0 ? [[], ...rows('messages, newest first', 'bold'), ...notes] : []),
    ...(view.started === undefined
      ? []
      : [[], ...rows('run', 'bold'), ...runTexts(view, view.started).flatMap((text) => rows(text, 'dim', 2))]),
  ]
}

/** What the lines at the top of the view say, and may have no room for. */
function runTexts(view: View, { run, preset, workspace, command }: NonNullable<View['started']>): readonly string[] {
  const { since } = view.doing
  return [
    `${run} in ${workspace}, preset ${preset}`,
    `agent: ${command.join(' ')}`,
    statusText(view, view.heardAt ?? since),
    ...limitTexts(view, since),
    `circuit breaker ${breakerTexts(view).join(' ')}`,
    ...(view.phase === undefined ? [] : [`phase: ${view.phase}`]),
  ]
}
