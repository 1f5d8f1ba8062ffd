import { el, words } from '../../reports/page/client/dom.ts'
import type { LiveRun } from '../../reports/runs/live.ts'
import type { PressAnswer, RunRow } from '../../reports/runs/row.ts'
import type { AskUser } from './dialogs.ts'

interface Button {
  readonly kind: string
  readonly label: string
  /** The title of its dialog, if not the label. */
  readonly title?: string
  readonly means: string
  /** The default reason. Without it you have to give one. */
  readonly usual?: string
  /** It is sent without a question. */
  readonly atOnce?: boolean
  /** It overrides the checks. */
  readonly grave?: boolean
  /** The findings it is about. */
  readonly ids?: readonly string[]
  /** The question, if it is not for a reason. */
  readonly asks?: string
}

const PAUSE: Button = {
  kind: 'pause',
  label: 'Pause',
  means: 'The agent finishes this iteration, then the run waits until you resume it.',
  usual: 'paused from exitgate watch',
  atOnce: true,
}
const RESUME: Button = {
  kind: 'resume',
  label: 'Resume',
  means: 'The run continues with its next iteration.',
  usual: 'resumed from exitgate watch',
  atOnce: true,
}
const SAY: Button = {
  kind: 'guidance',
  label: 'Say',
  title: 'Say something to the agent',
  means: 'The agent gets your words with its next prompts, as guidance from the user.',
  asks: 'What should the agent know?',
}
const STOP: Button = {
  kind: 'interrupt',
  label: 'Stop',
  title: 'Stop the run?',
  means: 'The agent finishes this iteration, then the run stops. You can resume it later.',
  usual: 'stopped from exitgate watch',
}
const SKIP: Button = { kind: 'skip', label: 'Skip', title: 'Skip the task?', means: 'Skips the current task or phase.' }
const RESET: Button = {
  kind: 'reset-breaker',
  label: 'Reset breaker',
  title: 'Reset the circuit breaker?',
  means: 'Closes the circuit breaker before the next iteration.',
}
const FORCE: Button = {
  kind: 'force',
  label: 'Force',
  title: 'Force the run to complete?',
  means: 'Stops the agent and ends the run as completed by force. Nothing is verified, and every report says so.',
  grave: true,
}

export interface Buttons {
  readonly element: HTMLElement
  /** What came of the last button. */
  readonly said: HTMLElement
  show(row: RunRow, live: LiveRun | undefined): void
  accept(finding: { readonly id: string; readonly text: string }): void
  /** Presses a button by the key that the terminal uses for it. */
  key(key: string): boolean
}

/** Buttons to control a run. Those that change its course ask for a reason for the journal. */
export function buttons(
  ask: AskUser,
  press: (kind: string, reason: string, ids?: readonly string[]) => Promise<PressAnswer>,
): Buttons {
  const said = el('p', { class: 'said', role: 'status' })
  let shown: RunRow | undefined
  /** A pause that this page asked for, until the run tells of it. */
  let asked: 'pause' | 'resume' | undefined

  const start = async (button: Button): Promise<void> => {
    const given = button.atOnce
      ? ''
      : await ask({
          title: button.title ?? `${button.label}?`,
          means: button.means,
          label: button.asks ?? (button.usual === undefined ? 'Reason' : 'Reason (optional)'),
          go: button.label,
          required: button.usual === undefined,
          long: button.asks !== undefined,
          ...(button.grave && { grave: true }),
        })
    if (given === undefined) return
    said.className = 'said'
    said.textContent = `${button.label}: sending ...`
    const answer = await press(button.kind, given || (button.usual ?? ''), button.ids)
    if (answer.taken && (button === PAUSE || button === RESUME)) asked = button === PAUSE ? 'pause' : 'resume'
    said.className = `said ${answer.taken ? 'yes' : 'no'}`
    said.replaceChildren(`${button.label}: `, words(answer.text))
    place()
  }
  const made = (button: Button, hint?: string): HTMLButtonElement => {
    const attributes = { type: 'button', class: button.grave ? 'grave' : 'plain', title: button.means }
    const drawn = el('button', { ...attributes, ...(hint && { 'aria-keyshortcuts': hint }) }, button.label)
    drawn.addEventListener('click', () => void start(button))
    return drawn
  }
  const all = {
    pause: made(PAUSE, 'p'),
    resume: made(RESUME, 'p'),
    say: made(SAY, 's'),
    skip: made(SKIP),
    reset: made(RESET),
    stop: made(STOP),
    force: made(FORCE, 'f'),
  }
  let pause: LiveRun['pause'] = 'no'
  const place = (): void => {
    if (shown === undefined) return
    const waits = pause !== 'no' || asked === 'pause'
    all.pause.hidden = waits
    all.resume.hidden = !waits
    all.resume.textContent = pause === 'paused' ? 'Resume' : 'Cancel pause'
    all.skip.hidden = shown.task === undefined && shown.phase === undefined
    all.reset.hidden = shown.breaker === 'closed'
    group.hidden = !shown.answers
  }
  const group = el('div', { class: 'buttons', role: 'group', 'aria-label': 'Controls' }, ...Object.values(all))
  const press_: Readonly<Record<string, () => HTMLButtonElement>> = {
    p: () => (all.pause.hidden ? all.resume : all.pause),
    s: () => all.say,
    f: () => all.force,
  }
  return {
    element: group,
    said,
    show(row, live) {
      shown = row
      const next = live?.pause ?? (row.status === 'held' ? 'paused' : 'no')
      // From now on the run itself shows it.
      if (next !== pause || (asked === 'resume' && next === 'no')) asked = undefined
      pause = next
      place()
    },
    accept: ({ id, text }) =>
      void start({
        kind: 'accept',
        label: `Accept ${id}`,
        means: `${text} If you accept this, claims are no longer rejected because of it. Every report lists it as accepted.`,
        grave: true,
        ids: [id],
      }),
    key(key) {
      const button = press_[key]?.()
      if (button === undefined || group.hidden || button.hidden) return false
      button.click()
      return true
    },
  }
}
