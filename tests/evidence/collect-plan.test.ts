import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { readChecklist } from '../../src/evidence/checks/checklist.ts'
import { collectPlan, type PlanOptions } from '../../src/evidence/checks/judge-plan.ts'

const dir = mkdtempSync(join(tmpdir(), 'exitgate-plan-'))
afterAll(() => rmSync(dir, { recursive: true }))

const before = readChecklist('- [ ] a\n- [ ] b\n')
const five = '- [ ] a\n- [ ] b\n- [ ] c\n- [ ] d\n- [x] e\n'
const rows: [
  name: string,
  path: string,
  content: string | undefined,
  options: PlanOptions,
  answer: string,
  says: RegExp,
][] = [
  ['a missing file', 'no/PLAN.md', undefined, {}, 'unknown', /no\/PLAN\.md does not exist/],
  ['an empty file', 'PLAN.md', ' \n', {}, 'unknown', /PLAN\.md is empty/],
  ['no items', 'PLAN.md', '# Plan\n', {}, 'unknown', /has no required items/],
  [
    'optional items only',
    'PLAN.md',
    '# Later\n- [x] a\n',
    { optionalSections: ['later'] },
    'unknown',
    /no required item/,
  ],
  ['no plans', 'ROADMAP.md', '- [x] a\n', { plansOnly: true }, 'unknown', /lists no plans/],
  ['open items', 'PLAN.md', five, {}, 'no', /1 of 5 .*"a" \(line 1\), "b" \(line 2\), "c" \(line 3\) and 1 more\./],
  ['all ticked', 'PLAN.md', '- [x] a\n- [X] b\n', {}, 'yes', /2 of 2/],
  ['stories', 'prd.json', '{"userStories":[{"id":"1","passes":true}]}', {}, 'yes', /1 of 1/],
  ['open stories', 'prd.json', '{"userStories":[{"id":"1","passes":false}]}', {}, 'no', /"1"/],
  ['no stories', 'prd.json', '{"a":1}', {}, 'unknown', /no list of stories/],
  ['broken JSON', 'prd.json', '{', {}, 'unknown', /not valid JSON/],
  ['deleted since the start', 'PLAN.md', '- [x] a\n', { before }, 'no', /1 of 2 .*"b" was removed/],
  ['ticked since the start', 'PLAN.md', '- [x] a\n- [x] b\n', { before }, 'yes', /2 of 2/],
]

it.each(rows)('%s', (_name, path, content, options, answer, says) => {
  if (content !== undefined) writeFileSync(join(dir, path), content)
  const evidence = collectPlan(dir, path, { ...options, tree: 't1' })
  expect(evidence).toMatchObject({ check: 'checklist', answer, tree: 't1' })
  expect(evidence.detail).toMatch(says)
})

it('a folder without task files is not a plan', () => {
  mkdirSync(join(dir, 'folder.md'))
  expect(collectPlan(dir, 'folder.md')).toMatchObject({
    answer: 'unknown',
    detail: expect.stringContaining('does not exist or cannot be read'),
  })
})

it('counts total, done and open', () => {
  writeFileSync(join(dir, 'PLAN.md'), five)
  expect(collectPlan(dir, 'PLAN.md').counts).toEqual({ total: 5, done: 1, open: 4 })
})
