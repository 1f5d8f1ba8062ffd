import { el, words } from '../../reports/page/client/dom.ts'
import type { PressAnswer, RunRow } from '../../reports/runs/row.ts'

interface Button {
  readonly kind: string
  readonly label: string
  readonly means: string
  /** The default reason. Without it you have to give one. */
  readonly usual?: string
  /** It overrides the checks. */
  readonly grave?: boolean
  /** The findings it is about. */
  readonly ids?: readonly string[]
}

const PAUSE: Button = {
  kind: 'pause',
  label: 'Pause',
  means: 'The agent finishes this iteration, then the run waits until you resume it.',
  usual: 'paused from exitgate watch',
}
const RESUME: Button = {
  kind: 'resume',
  label: 'Resume',
  means: 'The run continues with its next iteration.',
  usual: 'resumed from exitgate watch',
}
const PLACEHOLDERS: Readonly<Record<string, string>> = {
  pause: 'optional: why are you pausing?',
  resume: 'optional: why are you resuming?',
  interrupt: 'optional: why are you stopping it?',
}
const REST: readonly Button[] = [
  {
    kind: 'interrupt',
    label: 'Stop',
    means: 'The agent finishes this iteration, then the run stops. You can resume it later.',
    usual: 'stopped from exitgate watch',
  },
  { kind: 'skip', label: 'Skip', means: 'Skips the current task or phase.' },
  { kind: 'reset-breaker', label: 'Reset breaker', means: 'Closes the circuit breaker before the next iteration.' },
  {
    kind: 'force',
    label: 'Force',
    means: 'Stops the agent and ends the run as completed by force. Nothing is verified, and every report says so.',
    grave: true,
  },
]

export interface Buttons {
  readonly element: HTMLElement
  show(row: RunRow): void
}

/** Buttons to control a run. Each one asks for a reason for the journal. */
export function buttons(
  press: (kind: string, reason: string, ids?: readonly string[]) => Promise<PressAnswer>,
): Buttons {
  const said = el('p', { class: 'said', role: 'status' })
  let held = false
  /** A pause was requested and has not started yet, so it can be cancelled. */
  let asked = false
  const ask = question(async (button, reason) => {
    said.className = 'said'
    said.textContent = `${button.label}: sending ...`
    const answer = await press(button.kind, reason, button.ids)
    if (answer.taken && (button === PAUSE || button === RESUME)) asked = button === PAUSE
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
  const on = made(RESUME)
  const all = [pause, on, ...REST.map(made)]
  const noLoop = el(
    'p',
    { class: 'soft' },
    'No run is active here. In a terminal you can still use exitgate force, skip and reset-breaker.',
  )
  const accepts = el('div', { class: 'buttons', role: 'group', 'aria-label': 'Findings' })
  let listed = ''
  const group = el('div', { class: 'buttons', role: 'group', 'aria-label': 'Controls' }, ...all)
  return {
    element: el('section', { class: 'control' }, group, accepts, noLoop, said, ask.element),
    show({ status, answers, findings = [] }) {
      const ids = answers ? findings.map(({ id }) => id).join(' ') : ''
      if (ids !== listed) accepts.replaceChildren(...(answers ? findings.map((each) => made(acceptButton(each))) : []))
      listed = ids
      const over = status === 'ended' || status === 'unreadable'
      group.hidden = !answers
      noLoop.hidden = answers || over
      // From now on the journal shows whether it is paused.
      if (held && status !== 'held') asked = false
      held = status === 'held'
      pause.hidden = held
      on.hidden = !held && !asked
    },
  }
}

const acceptButton = ({ id, text }: { readonly id: string; readonly text: string }): Button => ({
  kind: 'accept',
  label: `Accept ${id}`,
  means: `${text} It no longer keeps the claim from being verified, and every report lists it as accepted.`,
  grave: true,
  ids: [id],
})

/** The confirmation: what the button does, and your reason. */
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
    el('label', {}, 'Reason', input),
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
      input.placeholder = button.usual === undefined ? '' : (PLACEHOLDERS[button.kind] ?? 'optional')
      input.required = button.usual === undefined
      dialog.showModal()
      input.focus()
    },
  }
}
