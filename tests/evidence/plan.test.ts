import { describe, expect, it } from 'vitest'
import { type PlanCheckOptions, planCheck } from '../../src/evidence/checks/plan-progress.ts'
import { type TaskDoneOptions, taskDoneCheck } from '../../src/evidence/checks/task-done.ts'
import type { Baseline, CheckContext } from '../../src/evidence/types.ts'
import { openWorkspace } from '../../src/evidence/workspace.ts'
import { fakeWorkspace } from '../fakes/workspace.ts'
import { baselineOf } from './baseline-of.ts'
import { repository } from './folders.ts'

const context = (files: Readonly<Record<string, string>>, baseline?: Baseline): CheckContext => ({
  workspace: fakeWorkspace({ files }),
  claim: true,
  tree: 't1',
  taskTexts: [],
  deadlineMs: 60_000,
  ...(baseline && { baseline }),
})

interface PlanRow {
  readonly name: string
  readonly start?: string
  readonly previous?: string
  readonly now?: string
  readonly path?: string
  readonly options?: Partial<PlanCheckOptions>
  readonly answer: string
  readonly says?: RegExp
  readonly saysNot?: RegExp
  readonly counts?: Readonly<Record<string, number>>
}

const three = '# Plan\n- [ ] write the parser\n- [ ] write the printer\n- [x] set up\n'
const plans: PlanRow[] = [
  { name: 'no plan at all', answer: 'unknown', says: /does not exist/ },
  { name: 'an empty plan', now: '\n', answer: 'unknown', says: /is empty/ },
  { name: 'a plan without items', now: '# Plan\n', answer: 'unknown', says: /no required item/ },
  { name: 'open items without a baseline', now: three, answer: 'no', says: /1 of 3 .*"write the parser" \(line 2\)/ },
  {
    name: 'nothing happened',
    start: three,
    now: three,
    answer: 'no',
    counts: { total: 3, done: 1, open: 2, deleted: 0, reworded: 0, excused: 0, added: 0, ticked: 0, unticked: 0 },
  },
  {
    name: 'everything ticked',
    start: three,
    now: three.replaceAll('[ ]', '[x]'),
    answer: 'yes',
    counts: { total: 3, done: 3, open: 0, ticked: 2, unticked: 0 },
  },
  {
    name: 'cosmetic edits are no progress',
    start: three,
    now: '# The Plan\n\n* [ ] **Write** the parser.\n* [ ] write the  `printer`\n\n* [X] set up\n',
    answer: 'no',
    counts: { total: 3, done: 1, open: 2, deleted: 0, reworded: 0, added: 0, ticked: 0 },
  },
  {
    name: 'an open item deleted',
    start: three,
    now: '# Plan\n- [x] write the parser\n- [x] set up\n',
    answer: 'no',
    says: /"write the printer" was removed instead of ticked/,
    counts: { total: 3, done: 2, open: 1, deleted: 1 },
  },
  {
    name: 'an open item reworded and ticked',
    start: three,
    now: '# Plan\n- [x] write the parser\n- [x] write the stub printer only\n- [x] set up\n',
    answer: 'no',
    says: /"write the printer" was reworded to "write the stub printer only"/,
    counts: { total: 3, done: 2, open: 1, reworded: 1, deleted: 0 },
  },
  {
    name: 'an item unticked again since the last iteration',
    start: three,
    previous: '# Plan\n- [x] write the parser\n- [ ] write the printer\n- [x] set up\n',
    now: '# Plan\n- [ ] write the parser\n- [ ] write the printer\n- [x] set up\n',
    answer: 'no',
    says: /"write the parser" was unticked/,
    counts: { ticked: 0, unticked: 1, done: 1 },
  },
  {
    name: 'ticked in this iteration, not in the whole run',
    start: three,
    previous: three.replace('[ ] write the parser', '[x] write the parser'),
    now: three.replaceAll('[ ]', '[x]'),
    answer: 'yes',
    counts: { ticked: 1, done: 3 },
  },
  {
    name: "the agent's own item, dropped later, is listed but was never required",
    start: three,
    previous: `${three}- [ ] polish every corner\n`,
    now: three.replaceAll('[ ]', '[x]'),
    answer: 'yes',
    says: /"polish every corner" was removed/,
    counts: { total: 3, done: 3, open: 0, deleted: 1 },
  },
  {
    name: 'items added during the run count',
    start: three,
    now: `${three.replaceAll('[ ]', '[x]')}- [ ] one thing more\n`,
    answer: 'no',
    counts: { total: 4, done: 3, open: 1, added: 1 },
  },
  {
    name: 'moved to an optional section',
    start: three,
    now: '# Plan\n- [x] write the parser\n- [x] set up\n# Later\n- [ ] write the printer\n',
    options: { optionalSections: ['Later'] },
    answer: 'no',
    says: /moved to the optional section/,
    counts: { open: 1, excused: 1 },
  },
  {
    name: 'the whole plan deleted',
    start: three,
    answer: 'no',
    says: /does not exist.*"write the parser" was removed/,
    counts: { total: 2, open: 2, deleted: 2 },
  },
  { name: 'a finished plan deleted', start: '- [x] a\n', answer: 'unknown', says: /does not exist/ },
  { name: 'the plan emptied', start: three, now: '', answer: 'no', says: /is empty.*was removed/ },
  {
    name: 'a roadmap counts only its plans',
    path: 'ROADMAP.md',
    now: '## Phase 1\n- [x] 01-01-PLAN.md: start\n- [ ] 01-02-PLAN.md: go on\n- [ ] a note\n',
    start: '## Phase 1\n- [ ] 01-01-PLAN.md: start\n- [ ] 01-02-PLAN.md: go on\n- [ ] a note\n',
    options: { plansOnly: true },
    answer: 'no',
    counts: { total: 2, done: 1, open: 1, ticked: 1 },
  },
  {
    name: 'a plan deleted from the roadmap',
    path: 'ROADMAP.md',
    start: '- [ ] 01-01-PLAN.md: start\n- [ ] 01-02-PLAN.md: go on\n',
    now: '- [x] 01-01-PLAN.md: start\n',
    options: { plansOnly: true },
    answer: 'no',
    says: /"01-02-PLAN\.md: go on" was removed/,
  },
  {
    name: 'stories',
    path: 'prd.json',
    start:
      '{"userStories":[{"id":"US-1","title":"log in","passes":false},{"id":"US-2","title":"log out","passes":false}]}',
    now: '{"userStories":[{"id":"US-1","title":"log in","passes":true}]}',
    answer: 'no',
    says: /"US-2: log out" was removed/,
    counts: { total: 2, done: 1, open: 1, deleted: 1 },
  },
  {
    name: 'stories that became broken JSON',
    path: 'prd.json',
    start: '{"stories":[{"id":"1","passes":false}]}',
    now: '{"stories":[',
    answer: 'no',
    says: /not valid JSON.*"1" was removed/,
  },
]

describe('checklist', () => {
  it.each(plans)(
    '$name',
    async ({ start, previous, now, path = 'PLAN.md', options, answer, says, saysNot, counts }) => {
      const baseline = start === undefined ? undefined : baselineOf({ [path]: start })
      const check = planCheck({ path, ...options, ...(previous !== undefined && { previous }) })
      const [evidence, ...rest] = await check.collect(context(now === undefined ? {} : { [path]: now }, baseline))
      expect(rest).toEqual([])
      expect(evidence).toMatchObject({ check: 'checklist', answer, tree: 't1' })
      if (says) expect(evidence!.detail).toMatch(says)
      if (saysNot) expect(evidence!.detail).not.toMatch(saysNot)
      if (counts) expect(evidence!.counts).toMatchObject(counts)
    },
  )

  it.each([
    ['did not exist', {}, /did not exist at the start/],
    ['was not kept', { 'PLAN.md': undefined }, /was not kept/],
  ])('reports that the original plan %s', async (_name, files, says) => {
    const [evidence] = await planCheck({ path: 'PLAN.md' }).collect(
      context({ 'PLAN.md': '- [x] a\n' }, baselineOf(files)),
    )
    expect(evidence).toMatchObject({ answer: 'yes', detail: expect.stringMatching(says) })
  })
})

const text = '# a task\n'
const tasks: [name: string, files: readonly string[], options: TaskDoneOptions, answer: string, says: RegExp][] = [
  ['no task', ['tasks/4.done/014.md'], {}, 'unknown', /No task is set/],
  ['moved', ['tasks/4.done/002-014-exit.md'], { task: '014' }, 'yes', /4\.done\/002-014-exit\.md/],
  ['moved to a plain done folder', ['tasks/done/fix-login.md'], { task: 'fix-login' }, 'yes', /done\/fix-login/],
  ['a folder at the top', ['done/fix-login.md'], { task: 'fix-login' }, 'yes', /done\/fix-login/],
  ['in a folder below done', ['tasks/done/2024/fix-login.md'], { task: 'fix-login' }, 'yes', /2024/],
  ['still open', ['tasks/3.doing/014.md', 'tasks/4.done/013.md'], { task: '014' }, 'no', /still open: tasks\/3\.doing/],
  ['open, nothing done yet', ['tasks/doing/014.md'], { task: '014' }, 'no', /still open/],
  ['copied instead of moved', ['t/3.doing/014.md', 't/4.done/014.md'], { task: '014' }, 'no', /exists too/],
  ['copied, the original left', ['t/014.md', 't/done/014.md'], { task: '014' }, 'no', /still open: t\/014\.md/],
  ['another task with a longer number', ['tasks/4.done/0145.md'], { task: '014' }, 'unknown', /No file for the task/],
  [
    'another task whose name contains it',
    ['t/done/zzz-full-test-001-extra.md'],
    { task: 'full-test-001' },
    'unknown',
    /No file/,
  ],
  ['a title after the id', ['t/done/ISSUE-12-fix-login.md'], { task: 'ISSUE-12' }, 'yes', /ISSUE-12-fix/],
  ['another name that starts with it', ['t/done/fix-login-page.md'], { task: 'fix-login' }, 'unknown', /No file/],
  ['an unknown task', ['src/a.ts'], { task: '014' }, 'unknown', /No file for the task/],
  ['a name like a pattern', ['tasks/done/a.c.md'], { task: 'a*c' }, 'unknown', /No file/],
  ['sources with the number are no tasks', ['done/014.md', 'db/014-users.sql'], { task: '014' }, 'yes', /done\/014/],
  ['undone is not done', ['tasks/undone/014.md'], { task: '014' }, 'unknown', /No file/],
  ['folders of the user', ['board/finished/014.md'], { task: '014', done: ['board/finished'] }, 'yes', /finished/],
  ['next to them', ['board/now/014.md'], { task: '014', done: ['board/finished'] }, 'no', /board\/now/],
  ['open folders of the user', ['x/014.md', 'd/done/014.md'], { task: '014', open: ['x/'] }, 'no', /x\/014/],
]

describe('task-done', () => {
  it.each(tasks)('%s', async (_name, files, options, answer, says) => {
    const [evidence] = await taskDoneCheck(options).collect(
      context(Object.fromEntries(files.map((path) => [path, text]))),
    )
    expect(evidence).toMatchObject({ check: 'task-done', answer, detail: expect.stringMatching(says), tree: 't1' })
  })

  it('an empty file is not a finished task', async () => {
    const [evidence] = await taskDoneCheck({ task: '7' }).collect(context({ 'tasks/done/7.md': ' \n' }))
    expect(evidence).toMatchObject({ answer: 'no', detail: expect.stringContaining('is empty') })
  })

  it('finds an ignored folder if it is named', async () => {
    const dir = repository({ '.gitignore': '.board/\n', '.board/4.done/7.md': text, '.board/2.todo/8.md': text })
    const asked = { ...context({}), workspace: openWorkspace(dir) }
    const answers = await Promise.all(
      ['7', '8'].map((task) => taskDoneCheck({ task, done: ['.board/4.done'] }).collect(asked)),
    )
    expect(answers.flat().map(({ answer }) => answer)).toEqual(['yes', 'no'])
  })
})
