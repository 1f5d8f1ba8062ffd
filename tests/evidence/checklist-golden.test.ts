import { expect, it } from 'vitest'
import { readChecklist } from '../../src/evidence/checks/checklist.ts'
import { expectGolden, goldenCases, goldenText } from './golden-files.ts'
import { boxesByMdast, boxesByUs } from './oracle.ts'

it.each(goldenCases('checklists', '.md'))('%s', (name) => {
  const markdown = goldenText(`checklists/${name}.md`)
  const list = readChecklist(markdown, { optionalSections: ['Nice to have'], plansOnly: name === 'roadmap' })
  const lines = list.items.map(({ done, line, optional, section, text }) => {
    const place = optional ? `${section}, optional` : section
    return `${done ? 'x' : ' '} ${String(line).padStart(3)}  [${place}] ${text}`
  })
  expectGolden(`checklists/${name}.txt`, `${list.done} of ${list.total} done, ${list.open} open\n${lines.join('\n')}\n`)
  expect(boxesByUs(markdown)).toBe(boxesByMdast(markdown))
})
