import { el, words } from '../../reports/page/client/dom.ts'
import type { PressAnswer, RunRow } from '../../reports/runs/row.ts'

interface Button {
  readonly kind: string
  readonly label: string
  readonly means: string
  /** What is written down when no other reason is given; without it one must be given. */
  readonly usual?: string
  /** It takes a decision out of the gate's hands. */
  readonly grave?: boolean
}

const PAUSE: Button = {
  kind: 'pause',
  label: 'Pause',
  means: 'The agent finishes this iteration, then the run holds until somebody lets it go on.',
  usual: 'a person holds the run',
}
const GO_ON: Button = {
  kind: 'resume',
  label: 'Go on',
  means: 'The run goes on with its next iteration.',
  usual: 'a person lets the run go on',
}
const REST: readonly Button[] = [
  {
    kind: 'interrupt',
    label: 'Interrupt',
    means: 'The agent finishes this iteration, then the run stops. It can be taken up again.',
    usual: 'a person interrupted the run',
  },
  { kind: 'skip', label: 'Skip', means: 'The task or the phase at hand is left out.' },
  { kind: 'reset-breaker', label: 'Reset breaker', means: 'The breaker is closed before the next iteration.' },
  {
    kind: 'force',
    label: 'Force',
    means:
      'The agent is ended, and the run ends as completed by force: nothing was verified, and every report says so.',
    grave: true,
  },
]

export interface Buttons {
  readonly element: HTMLElement
  show(row: RunRow): void
}

/** What a person can do to a run. Each button asks again, for a reason that is written into the journal. */
export function buttons(press: (kind: string, reason: string) => Promise<PressAnswer>): Buttons {
  const said = el('p', { class: 'said', role: 'status' })
  let held = false
  /** It was asked to hold, and has not come to it yet: that can be taken back. */
  let asked = false
  const ask = question(async (button, reason) => {
    said.className = 'said'
    said.textContent = `${button.label}: asking the run ...`
    const answer = await press(button.kind, reason)
    if (answer.taken && (button === PAUSE || button === GO_ON)) asked = button === PAUSE
    on.hidden = !held && !asked
    said.className = `said ${answer.taken ? 'yes' : 'no'}`
    said.replaceChildren(`${button.label}: `, words(answer.text))
  })
  const made = (button: Button): HTMLButtonElement => {
    const shown = el('button', { type: 'button', class: button.grave ? 'grave' : 'plain' }, button.label)
    shown.addEventListener('click', () => ask.open(button))
    return shown
  }
  const pause = made(PAUSE)
  const on = made(GO_ON)
  const all = [pause, on, ...REST.map(made)]
  const nobody = el(
    'p',
    { class: 'soft' },
    'No loop runs here that could be asked. In a terminal of the project, exitgate force, skip and reset-breaker work all the same.',
  )
  const group = el('div', { class: 'buttons', role: 'group', 'aria-label': 'What a person can do' }, ...all)
  return {
    element: el('section', { class: 'control' }, group, nobody, said, ask.element),
    show({ status, answers }) {
      const over = status === 'ended' || status === 'unreadable'
      group.hidden = !answers
      nobody.hidden = answers || over
      // Once it holds, the journal tells when it goes on.
      if (held && status !== 'held') asked = false
      held = status === 'held'
      pause.hidden = held
      on.hidden = !held && !asked
    },
  }
}

/** The question before anything is done: what it means, and why it is done. */
function question(agreed: (button: Button, reason: string) => Promise<void>) {
  let asked: Button = PAUSE
  const title = el('h2', { id: 'question-title' })
  const means = el('p', { id: 'question-means' })
  const input = el('input', {
    type: 'text',
    maxlength: '2000',
    autocomplete: 'off',
    'aria-describedby': 'question-means',
  })
  const go = el('button', { type: 'submit', class: 'go' })
  const cancel = el('button', { type: 'button' }, 'Cancel')
  const form = el(
    'form',
    {},
    title,
    means,
    el('label', {}, 'Reason, for the journal', input),
    el('div', { class: 'buttons' }, go, cancel),
  )
  const dialog = el('dialog', { class: 'question', 'aria-labelledby': 'question-title' }, form)
  cancel.addEventListener('click', () => dialog.close())
  form.addEventListener('submit', (event) => {
    event.preventDefault()
    const reason = input.value.trim() || asked.usual
    if (reason === undefined) {
      input.focus()
      return
    }
    dialog.close()
    void agreed(asked, reason)
  })
  return {
    element: dialog,
    open(button: Button): void {
      asked = button
      title.textContent = `${button.label}?`
      means.textContent = button.means
      go.textContent = button.label
      go.classList.toggle('grave', button.grave === true)
      input.value = ''
      input.placeholder = button.usual ?? ''
      input.required = button.usual === undefined
      dialog.showModal()
      input.focus()
    },
  }
}
