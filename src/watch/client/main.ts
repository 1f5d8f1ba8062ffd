import { el } from '../../reports/page/client/dom.ts'
import { themeSwitch } from '../../reports/page/client/theme.ts'
import { inOrder, type RunRow } from '../../reports/runs/row.ts'
import { type Ask, askWith, takeToken } from './ask.ts'
import { userDialog } from './dialogs.ts'
import { shortcuts } from './keys.ts'
import { runList } from './list.ts'
import { type RunView, runView } from './run.ts'
import { type Link, listen, type Stream } from './stream.ts'

const LINKS: Readonly<Record<Link, string>> = {
  open: 'live',
  lost: 'connection lost, trying again',
  paused: 'paused while this tab is hidden',
  refused: 'refused',
}
const HOW = 'Open the address that exitgate watch printed in the terminal: its token is what lets this page in.'
const TICK_MS = 1000

/** The page: the runs on one side, the one that was chosen on the other. */
function show(page: HTMLElement): void {
  const rows = new Map<string, RunRow>()
  const link = el('span', { class: 'link', role: 'status' }, 'connecting')
  const note = el('p', { class: 'note', role: 'alert', hidden: '' }, HOW)
  const place = el('div', { class: 'place' })
  const dialog = userDialog()
  let chosen: string | undefined
  let view: RunView | undefined
  let ask: Ask | undefined
  let open = false

  const choose = (id: string): void => {
    if (ask === undefined || !rows.has(id)) return
    if (id !== chosen) {
      chosen = id
      view = runView(id, ask, dialog.ask, () => stream?.again())
      view.link(open)
      place.replaceChildren(view.element)
      stream?.again()
    }
    draw()
  }
  const draw = (): void => {
    list.show(rows, chosen)
    two.classList.toggle('single', rows.size === 1)
    const row = chosen === undefined ? undefined : rows.get(chosen)
    if (row !== undefined) view?.show(row)
    title()
  }
  const title = (): void => {
    const row = chosen === undefined ? undefined : rows.get(chosen)
    const state = row && view?.state(row)
    document.title = row === undefined ? 'exitgate watch' : `${state} · ${row.project} · exitgate watch`
  }
  /** On a phone, the list and the run take turns. */
  const showRun = (shown: boolean): void => {
    two.classList.toggle('shows-run', shown)
    if (!matchMedia('(max-width: 900px)').matches) return
    if (shown) place.querySelector('h1')?.focus({ preventScroll: true })
    scrollTo(0, 0)
  }
  const list = runList((id) => {
    choose(id)
    showRun(true)
  })
  const back = el('button', { type: 'button', class: 'back' }, '\u2190 Runs')
  back.addEventListener('click', () => {
    showRun(false)
    list.element.querySelector<HTMLElement>('[aria-selected="true"]')?.focus()
  })
  const two = el('div', { class: 'two' }, list.element, place)

  const keys = shortcuts((key) => {
    if (key === '/') list.search()
    else if (key === '[' || key === ']') choose(list.next(key === ']' ? 1 : -1) ?? '')
    else return view?.key(key) ?? false
    return true
  })
  const help = el('button', { type: 'button', class: 'help-button', 'aria-label': 'Keyboard shortcuts' }, '?')
  help.addEventListener('click', keys.open)

  let stream: Stream | undefined
  const begin = (): void => {
    stream?.stop()
    const token = takeToken()
    if (token === undefined) {
      refused()
      return
    }
    ask = askWith(token, (text) =>
      dialog.ask({ title: 'One-time code', means: text, label: 'Code', go: 'Confirm', required: true }),
    )
    note.hidden = true
    stream = listen(token, {
      changes({ all, rows: told, gone }) {
        if (all) rows.clear()
        for (const row of told) rows.set(row.id, row)
        for (const id of gone) rows.delete(id)
        const first = inOrder(rows.values())[0]?.id
        if ((chosen === undefined || !rows.has(chosen)) && first !== undefined) choose(first)
        else draw()
        document.documentElement.dataset.ready = 'yes'
      },
      shown: () => (chosen === undefined ? undefined : { journal: chosen, seen: view?.seen(), diff: view?.diff() }),
      news(news) {
        if (news.journal === chosen) view?.take(news)
      },
      diff(news) {
        if (news.journal === chosen) view?.takeDiff(news)
      },
      live(news) {
        if (news.journal !== chosen) return
        view?.live(news)
        title()
      },
      link(state) {
        link.textContent = LINKS[state]
        link.className = `link ${state}`
        open = state === 'open'
        view?.link(open)
        if (state === 'refused') refused()
        if (state === 'paused') document.title = 'paused · exitgate watch'
        if (state === 'open') draw()
      },
    })
  }
  const refused = (): void => {
    link.textContent = LINKS.refused
    link.className = 'link refused'
    note.hidden = false
    document.documentElement.dataset.ready = 'refused'
  }
  const mark = el('span', { class: 'mark' }, 'exitgate watch')
  const bar = el('div', { class: 'bar' }, back, mark, link, help, themeSwitch())
  page.replaceChildren(bar, note, two, dialog.element, keys.element)
  setInterval(() => view?.tick(), TICK_MS)
  // Another address in the same tab differs only after the hash, and loads nothing.
  addEventListener('hashchange', begin)
  begin()
}

const page = document.getElementById('page')
if (page !== null) show(page)
