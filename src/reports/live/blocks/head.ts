import { endingText } from '../../../core/policy/ending-text.ts'
import type { Outcome } from '../../../core/types.ts'
import { clean } from '../clean.ts'
import { durationText } from '../duration.ts'
import { type Block, textBlock } from '../layout.ts'
import { type Line, type Look, lineWidth, marksOf, type Span, span, spreadLine, type Tone } from '../line.ts'
import { runText, type View } from '../view.ts'

/** Agents think for a while; a shorter silence is normal. */
const SILENT_MS = 10_000

export const OUTCOME_TONES: Readonly<Record<Outcome, Tone>> = {
  completed: 'green',
  stuck: 'red',
  aborted: 'red',
  interrupted: 'yellow',
}

/** The preset, the project, the run and its time. */
export function headBlock(view: View, columns: number, now: number, look: Look): Block {
  return {
    rank: 1,
    least: 1,
    most: 1,
    draw: () => {
      const { started } = view
      const dot = span(` ${marksOf(look).dot} `, 'dim')
      const names = started === undefined ? [] : [presetName(started), nameOf(started.workspace), `run ${started.run}`]
      const left = [span('exitgate', 'bold'), ...names.flatMap((name) => [dot, span(clean(name))])]
      const end = view.doing.kind === 'ended' ? view.doing.since : now
      const since = view.state.startedAt ?? started?.at
      const right = since === undefined ? [] : [span(durationText(end - since), 'bold')]
      return [spreadLine(left, right, columns, look)]
    },
  }
}

const presetName = ({ preset, weaker }: { preset: string; weaker: readonly string[] }): string =>
  weaker.length === 0 ? preset : `${preset} (weaker than default)`

const nameOf = (path: string): string => path.split(/[\\/]/).filter(Boolean).at(-1) ?? path

/** The one line that is always shown: what the run is doing. */
export function statusBlock(view: View, columns: number, now: number, look: Look): Block {
  return { rank: 0, least: 1, most: 1, draw: () => [statusLine(view, columns, now, look)] }
}

function statusLine(view: View, columns: number, now: number, look: Look): Line {
  const { doing, stopping } = view
  const { spinner, step } = marksOf(look)
  const still = doing.kind === 'ended' || isPaused(view)
  const mark = still ? step.now : (spinner[Math.floor(Math.abs(now) / 250) % spinner.length] ?? step.now)
  const next =
    stopping !== undefined
      ? stopText(view, stopping.now)
      : view.paused && doing.kind !== 'waiting' && !still
        ? 'will pause after this iteration'
        : undefined
  const soon = next === undefined || doing.kind === 'ended' ? [] : [span(`  ${next}`, 'yellow')]
  const tone = doing.kind === 'ended' ? endTone(doing.end) : still || doing.kind === 'waiting' ? 'yellow' : 'cyan'
  const left = [span(`${mark} `, tone), span(statusText(view, now), 'bold'), ...soon]
  const forms = iterationForms(view)
  const room = columns - lineWidth(left) - 2
  const right = forms.find((form) => form.length <= room) ?? forms.at(-1) ?? ''
  return spreadLine(left, right === '' ? [] : [span(right)], columns, look)
}

/** The progress, in a long and a short form. */
function iterationForms({ iteration, state }: View): readonly string[] {
  const most = state.config?.limits.iterations
  if (iteration === 0) return ['']
  return most === undefined
    ? [`iteration ${iteration}`, `#${iteration}`]
    : [`iteration ${iteration} of ${most}`, `${iteration}/${most}`]
}

const stopText = ({ doing }: View, now: boolean): string =>
  doing.kind !== 'agent' ? 'stopping' : now ? 'stopping the agent now' : 'will stop after this iteration'

const endTone = (end: { outcome: Outcome; ending: string }): Tone =>
  end.outcome === 'completed' && end.ending !== 'verified' ? 'yellow' : OUTCOME_TONES[end.outcome]

const isPaused = (view: View): boolean => view.paused && view.doing.kind === 'deciding'

/** What the run is doing. Plain lines use it too. */
export function statusText(view: View, now: number): string {
  const { doing } = view
  const time = durationText(now - doing.since)
  if (isPaused(view)) return 'paused before the next iteration'
  switch (doing.kind) {
    case 'starting':
      return 'starting'
    case 'baseline':
      return `running the checks for the baseline, ${time}${commandText(view)}`
    case 'agent': {
      const silent = now - (view.heardAt ?? doing.since)
      const again = view.attempt > 1 ? `, start ${view.attempt}` : ''
      return `agent working ${time}${again}${silent >= SILENT_MS ? `, no output for ${durationText(silent)}` : ''}`
    }
    case 'evidence':
      return `running the checks, ${time}${commandText(view)}`
    case 'deciding':
      return 'deciding'
    case 'waiting':
      return doing.until === undefined
        ? `waiting for you, ${time}: ${clean(doing.why)}`
        : `waiting ${durationText(doing.until - now)}: ${clean(doing.why)}`
    case 'ended':
      return endingText(doing.end.ending, doing.end.cause)
  }
}

/** `: npm test, run 2 of 2, 12 passed, 1 failed` */
function commandText({ commands }: View): string {
  const running = commands.find(({ check }) => check === 'tests') ?? commands[0]
  if (running === undefined) return ''
  const { counts } = running
  const results =
    counts === undefined ? '' : `, ${counts.passed} passed${counts.failed > 0 ? `, ${counts.failed} failed` : ''}`
  const check = running.check === 'tests' || running.why !== undefined ? '' : `${clean(running.check)}: `
  return `: ${check}${clean(running.command)}${runText(running)}${results}`
}

/** The phases as a row of steps. */
export function phasesBlock(view: View, columns: number, look: Look): Block {
  const steps = phaseSteps(view, look)
  return textBlock({ rank: 3, lines: steps.length > 0 ? [steps] : [] }, columns, look)
}

function phaseSteps(view: View, look: Look): readonly Span[] {
  const phases = view.started?.phases ?? []
  const { step } = marksOf(look)
  const done = new Set(view.state.phasesDone.map(({ phase }) => phase))
  return phases.flatMap((phase, at) => {
    const now = phase === view.phase
    const lead = span(at === 0 ? '' : ` ${step.arrow} `, 'dim')
    if (now) return [lead, span(`${step.now} ${clean(phase)}`, 'bold')]
    return [
      lead,
      done.has(phase) ? span(`${step.done} ${clean(phase)}`, 'green') : span(`${step.ahead} ${clean(phase)}`, 'dim'),
    ]
  })
}

export function taskBlock(view: View, columns: number, look: Look): Block {
  const task = view.task === undefined ? '' : clean(view.task)
  return textBlock({ rank: 8, lines: task === '' ? [] : [[span('task ', 'dim'), span(task)]] }, columns, look)
}
