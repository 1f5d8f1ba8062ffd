import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { planOf, readChecklist } from '../../src/evidence/checks/checklist.ts'
import { judgePlan } from '../../src/evidence/checks/judge-plan.ts'
import { planEntries } from '../../src/evidence/plan/entries.ts'

const M = 1_000_000
const lines = (n: number, line: (n: number) => string) => Array.from({ length: n }, (_, i) => line(i)).join('\n')
const stories = (list: readonly object[]) => JSON.stringify({ userStories: list })

/** Plans that would keep a careless parser busy for hours: the test only ends if none of them does. */
const heavy: [name: string, path: string, text: string][] = [
  ['a heading of blanks', 'P.md', `# ${' '.repeat(M)}x\n- [ ] a\n`],
  ['a heading of dashes', 'P.md', `# a${'-'.repeat(M)}a\n- [ ] a\n`],
  ['an item of dots', 'P.md', `- [ ] a${'.'.repeat(M)}x\n`],
  ['an item of words', 'P.md', `- [ ] ${'word '.repeat(M / 5)}\n`],
  ['stars', 'P.md', `${'*'.repeat(M)}x\n- [ ] a\n`],
  ['bullets in bullets', 'P.md', `${'* '.repeat(M / 4)}x\n- [ ] a\n`],
  ['quotes in quotes', 'P.md', `${'> '.repeat(M / 2)}x\n\n- [ ] a\n`],
  ['tabs', 'P.md', `${'\t'.repeat(M)}x\n- [ ] a\n`],
  ['a tag without an end', 'P.md', `<a ${'b '.repeat(M / 2)}\n\n- [ ] a\n`],
  ['fences', 'P.md', `${'`'.repeat(M)}x\`\n\n- [ ] a\n`],
  ['plan numbers', 'P.md', `- [ ] ${'01-01-'.repeat(M / 6)}\n`],
  ['lists in lists', 'P.md', lines(1_000, (i) => `${'  '.repeat(i)}- [ ] ${i}`)],
  ['many items', 'P.md', lines(10_000, (i) => `- [ ] item ${i}`)],
  ['many equal items', 'P.md', lines(10_000, () => '- [ ] a')],
  ['many stories', 'p.json', stories(Array.from({ length: 10_000 }, (_, i) => ({ id: `S${i}`, passes: false })))],
  [
    'many criteria',
    'p.json',
    stories([{ id: 'S', acceptanceCriteria: Array.from({ length: 50_000 }, (_, i) => `${i}`) }]),
  ],
]

describe('a heavy plan', () => {
  it.each(heavy)('%s', (_name, path, text) => {
    const plan = planOf(path, text, { optionalSections: ['Optional'] })
    const start = planOf(path, text)
    const { answer, detail } = judgePlan({ now: plan, start, previous: start }, { path })
    expect(answer).toBe('no')
    expect(detail.length).toBeLessThan(5_000)
  })

  it.each(heavy)('%s, then deleted', (_name, path, text) => {
    const now = planOf(path, path.endsWith('.md') ? '- [x] b\n' : stories([{ id: 'b', passes: true }]))
    const { answer, detail } = judgePlan({ now, start: planOf(path, text) }, { path })
    expect(answer).toBe('no')
    expect(detail.length).toBeLessThan(6_000)
  })

  it('every item replaced by another one', () => {
    const start = readChecklist(lines(5_000, (i) => `- [ ] item ${i}`))
    const now = readChecklist(lines(5_000, (i) => `- [x] thing ${7 * i}`))
    expect(judgePlan({ now, start }, { path: 'P.md' })).toMatchObject({
      answer: 'no',
      counts: { total: 10_000, done: 5_000, open: 5_000, deleted: 5_000 },
    })
  })

  it.each([
    ['brackets without an end', '['.repeat(M), /not valid JSON/],
    ['brackets in brackets', '['.repeat(M) + ']'.repeat(M), /no required item/],
    ['a list below the prototype', '{"__proto__": {"stories": [{"passes": true}]}}', /no list of stories/],
    ['a number too large', '1e999', /no list of stories/],
    ['lists for stories', '{"stories": [[{"passes": true}], null, 1, "x"]}', /no required item/],
    ['nothing said', '{"stories": [{"passes": "true", "done": 1, "status": ["done"]}]}', /0 of 1/],
  ])('of JSON: %s', (_name, text, says) => {
    const found = judgePlan({ now: planOf('p.json', text) }, { path: 'p.json' })
    expect(found.answer).not.toBe('yes')
    expect(found.detail).toMatch(says)
  })
})

describe('control characters', () => {
  it('do not reach names or sentences', () => {
    const now = readChecklist('- [ ] a\u001B[2J\u0007b\u2028c\n')
    const { detail } = judgePlan({ now }, { path: 'P.md' })
    const [entry] = planEntries(now, undefined, {}).entries
    for (const text of [detail, entry!.id]) expect(text).not.toMatch(/[\u0000-\u001F\u2028]/)
  })
})

const word = fc.constantFrom('write', 'read', 'the', 'parser', 'docs', 'a', 'b')
const item = fc.record({ done: fc.boolean(), text: fc.array(word, { minLength: 1, maxLength: 4 }) })
const plan = fc.array(item, { maxLength: 8 })
const written = (items: readonly { done: boolean; text: readonly string[] }[]) =>
  readChecklist(items.map(({ done, text }) => `- [${done ? 'x' : ' '}] ${text.join(' ')}\n`).join(''))

describe('after any edit of a plan', () => {
  it('every item has a unique name, and a required item that is not ticked is open', () => {
    fc.assert(
      fc.property(plan, plan, (before, after) => {
        const start = written(before)
        const { entries } = planEntries(written(after), start, {})
        expect(new Set(entries.map(({ id }) => id)).size).toBe(entries.length)
        expect(entries.filter(({ done }) => done).length).toBeLessThanOrEqual(written(after).done)
        expect(entries.length).toBeGreaterThanOrEqual(start.open)
      }),
    )
  })

  it('the numbers match the comparison', () => {
    fc.assert(
      fc.property(plan, plan, (before, after) => {
        const { entries, changes } = planEntries(written(after), written(before), {})
        const done = entries.filter((entry) => entry.done).length
        expect([entries.length, done, entries.length - done]).toEqual([changes!.total, changes!.done, changes!.open])
      }),
    )
  })

  it('its names are the original ones', () => {
    fc.assert(
      fc.property(plan, (before) => {
        const ids = (items: typeof before) =>
          planEntries(written(items), written(before), {}).entries.map(({ id }) => id)
        const all = before.map((each) => ({ ...each, done: true }))
        expect(ids(all).sort()).toEqual(ids(before).sort())
        expect(ids([...before].reverse()).sort()).toEqual(ids(before).sort())
      }),
    )
  })
})
