import { describe, expect, it } from 'vitest'
import { type PlanCheckOptions, planCheck } from '../../src/evidence/checks/plan-progress.ts'
import { fakeWorkspace } from '../fakes/workspace.ts'
import { baselineOf } from './baseline-of.ts'

const three = '# Plan\n- [ ] write the parser\n- [ ] write the printer\n- [x] set up\n'
const all = three.replaceAll('[ ]', '[x]')
const story = (passes: boolean, criteria: readonly unknown[]) =>
  JSON.stringify({ userStories: [{ id: 'US-1', title: 'log in', passes, acceptanceCriteria: criteria }] })
const criteria = ['a wrong password is refused', 'a right one is taken']

interface Row {
  readonly name: string
  readonly path?: string
  readonly start: string
  readonly now: string
  readonly options?: Partial<PlanCheckOptions>
  readonly answer: string
  readonly says?: RegExp
  readonly counts?: Readonly<Record<string, number>>
}

const rows: Row[] = [
  {
    name: 'the box removed',
    start: three,
    now: all.replace('[x] write the p', 'write the p'),
    answer: 'no',
    says: /was removed/,
  },
  {
    name: 'put into code',
    start: three,
    now: `${all.slice(0, 20)}\n\`\`\`\n${all}\`\`\`\n`,
    answer: 'no',
    says: /was removed/,
  },
  {
    name: 'put into a comment',
    start: three,
    now: `- [x] set up\n<!--\n${all}-->\n`,
    answer: 'no',
    says: /was removed/,
  },
  {
    name: 'one skipped by the user',
    start: three,
    now: three.replace('[ ] write the parser', '[x] write the parser'),
    options: { skipped: ['write the printer'] },
    answer: 'yes',
    says: /2 of 2 items in PLAN\.md ticked\. Skipped by the user: "write the printer" \(line 3\)/,
    counts: { total: 2, done: 2, open: 0, skipped: 1 },
  },
  {
    name: 'a name that was not skipped',
    start: three,
    now: three.replace('[ ] write the parser', '[x] write the parser'),
    options: { skipped: ['write the'] },
    answer: 'no',
    counts: { open: 1, skipped: 0 },
  },
  {
    name: 'reworded to the name of what was skipped',
    start: `${three}- [ ] polish\n`,
    now: all.replace('[x] write the printer', '[ ] polish'),
    options: { skipped: ['polish'] },
    answer: 'no',
    says: /"write the printer"/,
    counts: { skipped: 1, open: 1 },
  },
  {
    name: 'skipped and done all the same',
    start: three,
    now: all,
    options: { skipped: ['write the printer'] },
    answer: 'yes',
    counts: { total: 3, done: 3, skipped: 0 },
  },
  {
    name: 'nothing that was not skipped',
    start: '- [ ] a\n',
    now: '- [ ] a\n',
    options: { skipped: ['a'] },
    answer: 'unknown',
    says: /has only skipped items/,
    counts: { total: 0, skipped: 1 },
  },
  {
    name: 'skipped in a roadmap, by number',
    path: 'ROADMAP.md',
    start: '- [ ] 01-01-PLAN.md: a\n- [ ] 01-02-PLAN.md: b\n',
    now: '- [x] 01-01-PLAN.md: a\n- [ ] 01-02-PLAN.md: b\n',
    options: { plansOnly: true, skipped: ['01-02'] },
    answer: 'yes',
    counts: { total: 1, skipped: 1 },
  },
  {
    name: 'a story skipped by its id',
    path: 'prd.json',
    start: '{"stories": [{"id": "US-1", "passes": true}, {"id": "US-2", "title": "x", "passes": false}]}',
    now: '{"stories": [{"id": "US-1", "passes": true}, {"id": "US-2", "title": "x", "passes": false}]}',
    options: { skipped: ['US-2'] },
    answer: 'yes',
  },
  {
    name: 'a story that passes',
    path: 'prd.json',
    start: story(false, criteria),
    now: story(true, criteria),
    answer: 'yes',
  },
  {
    name: 'a criterion removed',
    path: 'prd.json',
    start: story(false, criteria),
    now: story(true, criteria.slice(1)),
    answer: 'no',
    says: /"US-1: log in" is marked as done, but 1 box or criterion .*"a wrong password is refused" was removed/,
  },
  {
    name: 'a criterion made easier',
    path: 'prd.json',
    start: story(false, criteria),
    now: story(true, ['a wrong password is taken', criteria[1]]),
    answer: 'no',
    says: /reworded to "a wrong password is taken"/,
  },
  {
    name: 'a criterion that says no itself',
    path: 'prd.json',
    start: story(false, [{ text: 'x', passes: false }]),
    now: story(true, [{ text: 'x', passes: false }]),
    answer: 'no',
    says: /1 box or criterion/,
  },
  {
    name: 'a criterion added',
    path: 'prd.json',
    start: story(false, criteria),
    now: story(true, [...criteria, 'c']),
    answer: 'yes',
  },
]

describe('attempts to cheat with a plan', () => {
  it.each(rows)('$name', async ({ path = 'PLAN.md', start, now, options, answer, says, counts }) => {
    const workspace = fakeWorkspace({ files: { [path]: now } })
    const baseline = baselineOf({ [path]: start })
    const context = { workspace, baseline, claim: true, tree: 't1', taskTexts: [], deadlineMs: 60_000 }
    const [evidence] = await planCheck({ path: `./${path}`, ...options }).collect(context)
    expect(evidence).toMatchObject({ check: 'checklist', answer })
    if (says) expect(evidence!.detail).toMatch(says)
    if (counts) expect(evidence!.counts).toMatchObject(counts)
  })
})
