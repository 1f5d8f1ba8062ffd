import { el, words } from '../../reports/page/client/dom.ts'
import type { LiveNews, LiveRun } from '../../reports/runs/live.ts'
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

/** What decides whether a button can work. */
interface Shown {
  readonly row: RunRow
  readonly live: LiveRun | undefined
  readonly link: RunLink
}

/** How the run can be reached. */
export interface RunLink extends Pick<LiveNews, 'connected' | 'refused'> {
  /** exitgate watch answers. */
  readonly open: boolean
}

/** Why a button would do nothing now. */
export function whyDisabled(kind: string, { row, live, link }: Shown): string | undefined {
  const helpsNoAgent = kind === 'pause' || kind === 'interrupt'
  if (!link.open) return 'The connection to exitgate watch is lost.'
  if (!row.answers) return 'No process of this run answers here.'
  if (link.refused !== undefined && !(link.connected && helpsNoAgent))
    return `The run doesn't accept this from here: ${link.refused}.`
  return helpsNoAgent && live !== undefined && live.stopping !== null ? 'The run is stopping.' : undefined
}

export interface Buttons {
  readonly element: HTMLElement
  /** What came of the last button. */
  readonly said: HTMLElement
  show(shown: Shown): void
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
  let shown: Shown | undefined
  /** A pause that this page asked for, until the run tells of it. */
  let asked: 'pause' | 'resume' | undefined

  const start = async (button: Button): Promise<void> => {
    const why = shown && whyDisabled(button.kind, shown)
    if (why !== undefined) return tell(button, false, why)
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
    tell(button, answer.taken, answer.text)
    place()
  }
  const tell = ({ label }: Button, taken: boolean, text: string): void => {
    said.className = `said ${taken ? 'yes' : 'no'}`
    said.replaceChildren(`${label}: `, words(text))
  }
  const made = (button: Button, key?: string) => {
    const attributes = { type: 'button', class: button.grave ? 'grave' : 'plain' }
    const drawn = el('button', { ...attributes, ...(key && { 'aria-keyshortcuts': key }) }, button.label)
    drawn.addEventListener('click', () => void start(button))
    return { button, drawn, key }
  }
  const [pauses, resumes] = [made(PAUSE, 'p'), made(RESUME, 'p')]
  const [skips, resets] = [made(SKIP), made(RESET)]
  const all = [pauses, resumes, made(SAY, 's'), skips, resets, made(STOP), made(FORCE, 'f')]
  let pause: LiveRun['pause'] = 'no'
  const place = (): void => {
    if (shown === undefined) return
    const { row } = shown
    const waits = pause !== 'no' || asked === 'pause'
    pauses.drawn.hidden = waits
    resumes.drawn.hidden = !waits
    resumes.drawn.textContent = pause === 'paused' ? 'Resume' : 'Cancel pause'
    skips.drawn.hidden = row.skips !== true
    resets.drawn.hidden = row.breaker === 'closed'
    element.hidden = row.earlier !== undefined || ['ended', 'unreadable'].includes(row.status)
    const reasons = new Map<string, string[]>()
    const visible = all.filter(({ drawn }) => !drawn.hidden)
    for (const { button, drawn } of visible) {
      const why = whyDisabled(button.kind, shown)
      drawn.disabled = why !== undefined
      drawn.title = why ?? button.means
      if (why !== undefined) reasons.set(why, [...(reasons.get(why) ?? []), drawn.textContent])
    }
    // A touch screen shows no titles.
    cannot.textContent = [...reasons]
      .map(([why, labels]) => (labels.length === visible.length ? why : `${labels.join(', ')}: ${why}`))
      .join(' ')
  }
  const cannot = el('p', { class: 'cannot soft' })
  const group = el(
    'div',
    { class: 'buttons', role: 'group', 'aria-label': 'Controls' },
    ...all.map((each) => each.drawn),
  )
  const element = el('div', { class: 'controls' }, group, cannot)
  return {
    element,
    said,
    show(next) {
      shown = next
      const now = next.live?.pause ?? (next.row.status === 'held' ? 'paused' : 'no')
      // From now on the run itself shows it.
      if (now !== pause || (asked === 'resume' && now === 'no')) asked = undefined
      pause = now
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
      const pressed = element.hidden ? undefined : all.find((each) => each.key === key && !each.drawn.hidden)
      if (pressed !== undefined) void start(pressed.button)
      return pressed !== undefined
    },
  }
}
