import { el } from '../../reports/page/client/dom.ts'
import { themeSwitch } from '../../reports/page/client/theme.ts'
import { inOrder, type RunRow, statusText } from '../../reports/runs/row.ts'
import { type Ask, askWith, takeToken } from './ask.ts'
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

/** The page: the runs on one side, the one that was chosen on the other. */
function show(page: HTMLElement): void {
  const rows = new Map<string, RunRow>()
  const link = el('span', { class: 'link', role: 'status' }, 'connecting')
  const note = el('p', { class: 'note', role: 'alert', hidden: '' }, HOW)
  const place = el('div', { class: 'place' })
  let chosen: string | undefined
  let view: RunView | undefined
  let ask: Ask | undefined

  const choose = (id: string): void => {
    if (ask === undefined || !rows.has(id)) return
    if (id !== chosen) {
      chosen = id
      view = runView(id, ask, () => stream?.again())
      place.replaceChildren(view.element)
      stream?.again()
    }
    draw()
  }
  const draw = (): void => {
    list.show(rows, chosen)
    const row = chosen === undefined ? undefined : rows.get(chosen)
    if (row !== undefined) view?.show(row)
    document.title = row === undefined ? 'exitgate watch' : `${statusText(row)} · ${row.project} · exitgate watch`
  }
  const list = runList((id) => {
    choose(id)
    if (matchMedia('(max-width: 900px)').matches) place.querySelector('h1')?.focus()
  })

  let stream: Stream | undefined
  const begin = (): void => {
    stream?.stop()
    const token = takeToken()
    if (token === undefined) {
      refused()
      return
    }
    ask = askWith(token)
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
      shown: () => (chosen === undefined ? undefined : { journal: chosen, seen: view?.seen() }),
      news(news) {
        if (news.journal === chosen) view?.take(news)
      },
      link(state) {
        link.textContent = LINKS[state]
        link.className = `link ${state}`
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
  const bar = el('div', { class: 'bar' }, el('span', { class: 'mark' }, 'exitgate watch'), link, themeSwitch())
  page.replaceChildren(bar, note, el('div', { class: 'two' }, list.element, place))
  // Another address in the same tab differs only after the hash, and loads nothing.
  addEventListener('hashchange', begin)
  begin()
}

const page = document.getElementById('page')
if (page !== null) show(page)
