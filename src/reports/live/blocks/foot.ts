import { clean } from '../clean.ts'
import { cutLine, type Line, type Look, lineWidth, span } from '../line.ts'
import { marksOf } from '../marks.ts'
import type { Block } from '../rows.ts'
import { tailLines } from '../tail.ts'
import type { View } from '../view.ts'
import { wrapText } from '../width.ts'

/** Warnings first, the newest before the older ones, then those of the last decision, then what else happened. */
export function notesBlock(view: View, columns: number, look: Look): Block {
  const verdict = view.decided?.verdict
  const warnings = verdict?.action === 'continue' ? verdict.warnings.map((text) => ({ text, warning: true })) : []
  const newest = [...view.notes].reverse()
  const heard = newest.filter(({ warning }) => warning)
  const lines = [...heard, ...warnings, ...newest.filter(({ warning }) => !warning)].slice(0, 3).map((note): Line => {
    const mark = span(note.warning ? '! ' : `${marksOf(look).dot} `, note.warning ? 'yellow' : 'dim')
    return cutLine([mark, span(clean(note.text), note.warning ? 'yellow' : 'dim')], columns, look)
  })
  return {
    rank: 6.5,
    least: Math.min(1, lines.length),
    most: lines.length,
    gap: true,
    draw: (rows) => lines.slice(0, rows),
  }
}

/** The end of what the agent printed, behind a bar on every row: nothing it says can be taken for a line of ours. */
export function tailBlock(view: View, columns: number, height: number, look: Look): Block {
  const { rule, bar } = marksOf(look)
  return {
    rank: 11,
    least: Math.max(3, Math.min(8, Math.floor(height / 5))),
    most: Number.POSITIVE_INFINITY,
    gap: true,
    draw: (rows) => {
      if (rows < 1) return []
      const title = `${rule}${rule} the agent `
      const head: Line = [span(title + rule.repeat(Math.max(0, columns - title.length)), 'dim')]
      const texts = tailLines(view.tail).slice(-rows)
      const wrapped = texts.flatMap((text) => wrapText(text, Math.max(2, columns - 2))).slice(1 - rows)
      const shown =
        rows === 1 ? [] : wrapped.map((text) => cutLine([span(`${bar} `, 'dim'), span(text)], columns, look))
      const blank = Array.from({ length: rows - 1 - shown.length }, (): Line => [])
      return [cutLine(head, columns, look), ...shown, ...blank]
    },
  }
}

/** What Ctrl+C does now. The longest form that fits. */
export function footBlock(view: View, columns: number, look: Look): Block {
  return {
    rank: 3.5,
    least: 1,
    most: 1,
    draw: () => {
      const forms = footForms(view).map((text): Line => [span(text, 'dim')])
      return [cutLine(forms.find((form) => lineWidth(form) <= columns) ?? forms.at(-1) ?? [], columns, look)]
    },
  }
}

function footForms({ stopping, state }: View): readonly string[] {
  if (stopping?.now) return [clean(stopping.message), 'Ctrl+C again: end at once']
  if (stopping)
    return [
      clean(stopping.message),
      'Ctrl+C again ends the agent at once, in the middle of its work',
      'Ctrl+C again: end at once',
    ]
  if (state.config?.run.interrupt === 'immediate')
    return ['Ctrl+C ends the agent and saves the state', 'Ctrl+C: end, state saved']
  return [
    'Ctrl+C once: the agent finishes this iteration, then the run stops   twice: end at once',
    'Ctrl+C: stop after this iteration   twice: at once',
    'Ctrl+C: stop   twice: at once',
  ]
}
