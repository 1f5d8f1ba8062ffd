import { el } from '../../reports/page/client/dom.ts'

export interface Question {
  readonly title: string
  readonly means: string
  readonly label: string
  readonly go: string
  readonly grave?: boolean
  /** Without an answer nothing is sent. */
  readonly required: boolean
  /** More than one line. */
  readonly long?: boolean
}

/** Asks one question in a dialog. Undefined if you close it. */
export type AskUser = (question: Question) => Promise<string | undefined>

export function userDialog(): { readonly element: HTMLElement; readonly ask: AskUser } {
  const title = el('h2', { id: 'question-title' })
  const means = el('p', { id: 'question-means' })
  const name = el('span', { id: 'question-label' })
  const line = el('input', {
    type: 'text',
    maxlength: '2000',
    autocomplete: 'off',
    'aria-describedby': 'question-means',
  })
  // A label names only the first of its fields.
  const named = { 'aria-labelledby': 'question-label', 'aria-describedby': 'question-means' }
  const text = el('textarea', { rows: '4', maxlength: '4000', ...named })
  const go = el('button', { type: 'submit', class: 'go' })
  const cancel = el('button', { type: 'button' }, 'Cancel')
  const label = el('label', {}, name, line, text)
  const form = el('form', {}, title, means, label, el('div', { class: 'buttons' }, go, cancel))
  const dialog = el('dialog', { class: 'question', 'aria-labelledby': 'question-title' }, form)
  let asked: Question | undefined
  let answer: (given: string | undefined) => void = () => {}
  const field = (): HTMLInputElement | HTMLTextAreaElement => (asked?.long ? text : line)
  cancel.addEventListener('click', () => dialog.close())
  dialog.addEventListener('close', () => answer(undefined))
  form.addEventListener('submit', (event) => {
    event.preventDefault()
    const given = field().value.trim()
    if (asked?.required && given === '') {
      field().focus()
      return
    }
    answer(given)
    dialog.close()
  })
  return {
    element: dialog,
    ask(question) {
      if (dialog.open) dialog.close()
      asked = question
      title.textContent = question.title
      means.textContent = question.means
      name.textContent = question.label
      go.textContent = question.go
      go.classList.toggle('grave', question.grave === true)
      line.hidden = question.long === true
      text.hidden = question.long !== true
      field().value = ''
      dialog.showModal()
      field().focus()
      return new Promise((resolve) => {
        answer = (given) => {
          answer = () => {}
          resolve(given)
        }
      })
    },
  }
}
