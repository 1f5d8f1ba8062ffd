import type { Handoff, RunWork } from '../types.ts'
import { diffView, type ReadHunks } from './diff/view.ts'
import { el, marked, plural, whenText, words } from './dom.ts'

/** The section with everything the run changed, and its commits. */
export function workSection(work: RunWork | undefined, read: ReadHunks): HTMLElement | undefined {
  if (work === undefined) return undefined
  const { total, why, note, commits } = work
  return el(
    'section',
    { class: 'work' },
    el('h2', {}, 'Changes'),
    note === undefined ? undefined : el('p', { class: 'soft' }, words(note)),
    total === undefined
      ? el('p', { class: 'soft' }, words(why ?? 'The changes are not known.'))
      : total.files.length === 0
        ? el('p', { class: 'soft' }, 'No files have changed since the run started.')
        : diffView(total, read),
    commits.length === 0 ? undefined : el('h3', {}, plural(commits.length, 'commit')),
    commits.length === 0
      ? undefined
      : el(
          'ul',
          { class: 'commits' },
          ...commits.map(({ id, subject, at }) =>
            el(
              'li',
              {},
              el('code', {}, id.slice(0, 12)),
              ' ',
              words(subject),
              el('span', { class: 'soft' }, ` ${whenText(at)}`),
            ),
          ),
        ),
  )
}

/** The commands to take the work and to throw it away. One click selects a command. */
export function handoffSection(work: RunWork | undefined): HTMLElement | undefined {
  if (work?.take === undefined) return undefined
  const block = (title: string, handoff: Handoff | undefined): HTMLElement | undefined =>
    handoff &&
    el(
      'div',
      {},
      el('h3', {}, title),
      handoff.command === undefined
        ? undefined
        : el('pre', { class: 'command', tabindex: '0', role: 'region', 'aria-label': title }, handoff.command),
      el('p', { class: 'soft' }, ...marked(handoff.text)),
    )
  return el(
    'section',
    { class: 'handoff' },
    block('Take the work', work.take),
    block('Or open a pull request', work.pullRequest),
    block('Throw it away', work.discard),
  )
}
