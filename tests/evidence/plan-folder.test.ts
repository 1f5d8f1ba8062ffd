import { symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { type PlanCheckOptions, planCheck } from '../../src/evidence/checks/plan-progress.ts'
import { planNow, planPath, planText } from '../../src/evidence/plan/view.ts'
import { openWorkspace } from '../../src/evidence/workspace.ts'
import { baselineOf } from './baseline-of.ts'
import { folder } from './folders.ts'

type Files = Readonly<Record<string, string>>

async function checked(now: Files, start: Files | undefined, options: Partial<PlanCheckOptions> = {}) {
  const workspace = openWorkspace(folder(now))
  const baseline = start === undefined ? {} : { baseline: baselineOf(start) }
  const context = { workspace, claim: true, tree: 't1', taskTexts: [], deadlineMs: 60_000, ...baseline }
  const [evidence, ...rest] = await planCheck({ path: 'tasks', ...options }).collect(context)
  expect(rest).toEqual([])
  return evidence!
}

const parser = '# Write the parser\n\nIt reads everything.\n\n- [ ] numbers\n- [ ] strings\n'
const ticked = parser.replaceAll('[ ]', '[x]')
const printer = '# Write the printer\n\nIt prints everything.\n'
const status = (word: string, text = printer) => `---\ntitle: a task\nstatus: ${word}\n---\n${text}`
const board = { 'tasks/3.doing/014-parser.md': parser, 'tasks/2.todo/015-printer.md': printer }
const finished = { 'tasks/4.done/014-parser.md': ticked, 'tasks/4.done/015-printer.md': printer }

interface Row {
  readonly name: string
  readonly start?: Files
  readonly now: Files
  readonly options?: Partial<PlanCheckOptions>
  readonly answer: string
  readonly says?: RegExp
  readonly counts?: Readonly<Record<string, number>>
}

const rows: Row[] = [
  { name: 'no such folder', now: {}, answer: 'unknown', says: /tasks does not exist/ },
  { name: 'nothing but a README', now: { 'tasks/README.md': 'x' }, answer: 'unknown', says: /has no task files/ },
  { name: 'no Markdown', now: { 'tasks/a.txt': 'x' }, answer: 'unknown', says: /has no task files/ },
  {
    name: 'an untouched board',
    start: board,
    now: board,
    answer: 'no',
    says: /0 of 2 tasks in tasks done\. Open: .*"014-parser" \(tasks\/3\.doing\/014-parser\.md\)/,
    counts: { total: 2, done: 0, open: 2, deleted: 0 },
  },
  {
    name: 'all moved to done, boxes ticked',
    start: board,
    now: finished,
    answer: 'yes',
    says: /2 of 2 tasks .*is in a done folder/,
    counts: { total: 2, done: 2, open: 0, deleted: 0, ticked: 2 },
  },
  {
    name: 'moved to done and nothing else: the boxes it had are open',
    start: board,
    now: { ...finished, 'tasks/4.done/014-parser.md': parser },
    answer: 'no',
    says: /"014-parser" is marked as done, but 2 boxes or criteria in it are open/,
    counts: { total: 2, done: 1, open: 1 },
  },
  {
    name: 'moved to done, its boxes deleted',
    start: board,
    now: { ...finished, 'tasks/4.done/014-parser.md': '# Write the parser\n\nAll done.\n' },
    answer: 'no',
    says: /but 2 boxes.*"numbers" was removed instead of ticked/,
  },
  {
    name: 'moved to done, its boxes made optional',
    start: board,
    now: { ...finished, 'tasks/4.done/014-parser.md': `# Write the parser\n\n## Optional\n${parser}` },
    options: { optionalSections: ['Optional'] },
    answer: 'no',
    says: /but 2 boxes/,
  },
  {
    name: "boxes of the agent's own notes do not count",
    start: board,
    now: { ...finished, 'tasks/4.done/015-printer.md': `${printer}\n## Risks\n- [ ] it may be slow\n` },
    answer: 'yes',
  },
  {
    name: 'what was in done before is not judged again',
    start: { ...board, 'tasks/4.done/001-old.md': parser },
    now: { ...finished, 'tasks/4.done/001-old.md': parser },
    answer: 'yes',
    counts: { total: 3, done: 3 },
  },
  {
    name: 'a done task put away',
    start: { ...board, 'tasks/4.done/001-old.md': parser },
    now: { ...finished, 'tasks/archive/001-old.md': parser },
    answer: 'yes',
    counts: { total: 2 },
  },
  {
    name: 'a file deleted',
    start: board,
    now: { 'tasks/4.done/014-parser.md': ticked },
    answer: 'no',
    says: /The file of the open task "015-printer" is gone \(tasks\/2\.todo\/015-printer\.md\)/,
    counts: { total: 2, done: 1, open: 1, deleted: 1 },
  },
  { name: 'the whole folder deleted', start: board, now: {}, answer: 'no', counts: { open: 2, deleted: 2 } },
  {
    name: 'the folder became a file with every box ticked',
    start: board,
    now: { tasks: '- [x] 014-parser.md\n- [x] everything\n' },
    answer: 'no',
    counts: { deleted: 2, open: 2 },
  },
  {
    name: 'a file emptied in done',
    start: board,
    now: { ...finished, 'tasks/4.done/015-printer.md': ' \n' },
    answer: 'no',
    says: /"015-printer" was emptied/,
  },
  {
    name: 'nothing left of it but the heading',
    start: board,
    now: { ...finished, 'tasks/4.done/015-printer.md': '# Write the printer\n\n## Notes\n' },
    answer: 'no',
    says: /was emptied/,
  },
  {
    name: 'a file renamed on its way to done',
    start: board,
    now: { 'tasks/4.done/014-parser.md': ticked, 'tasks/4.done/016-nothing.md': printer },
    answer: 'no',
    says: /"015-printer" is gone/,
    counts: { total: 3, open: 1, deleted: 1, added: 1 },
  },
  {
    name: 'put among the templates',
    start: board,
    now: { 'tasks/4.done/014-parser.md': ticked, 'tasks/_templates/015-printer.md': printer },
    answer: 'no',
    says: /"015-printer" is gone/,
  },
  {
    name: 'copied instead of moved',
    start: board,
    now: { ...finished, 'tasks/2.todo/015-printer.md': printer },
    answer: 'no',
    says: /Open: "015-printer" \(tasks\/2\.todo/,
    counts: { total: 2, open: 1 },
  },
  {
    name: 'moved to done and back again',
    start: board,
    now: { ...board, 'tasks/4.done/014-parser.md': ticked, 'tasks/3.doing/014-parser.md': ticked },
    options: { previous: '- [x] 014-parser\n- [ ] 015-printer\n' },
    answer: 'no',
    says: /"014-parser" was unticked/,
    counts: { unticked: 1, ticked: 0 },
  },
  {
    name: 'a folder of the year below done',
    start: board,
    now: { 'tasks/4.done/2026/014-parser.md': ticked, 'tasks/4.done/2026/015-printer.md': printer },
    answer: 'yes',
    counts: { deleted: 0, total: 2 },
  },
  {
    name: 'two tasks of one name in two places',
    start: { 'tasks/api/todo/setup.md': printer, 'tasks/web/todo/setup.md': printer },
    now: { 'tasks/api/done/setup.md': printer },
    answer: 'no',
    says: /"web\/setup" is gone/,
    counts: { total: 2, done: 1 },
  },
  {
    name: 'a new task counts',
    start: board,
    now: { ...finished, 'tasks/2.todo/016-more.md': printer },
    answer: 'no',
    counts: { total: 3, open: 1, added: 1 },
  },
  {
    name: 'blocked is open',
    now: { 'tasks/1.blocked/a.md': printer, 'tasks/4.done/b.md': printer },
    answer: 'no',
    counts: { total: 2, done: 1, open: 1 },
  },
  {
    name: 'a plain folder: done by its front matter',
    start: { 'tasks/a.md': status('todo'), 'tasks/b.md': status('in-progress') },
    now: { 'tasks/a.md': status('done'), 'tasks/b.md': status('"Completed"  # on Monday') },
    answer: 'yes',
    counts: { total: 2, done: 2 },
  },
  {
    name: 'front matter flipped, the boxes open',
    start: { 'tasks/a.md': status('todo', parser) },
    now: { 'tasks/a.md': status('done', parser) },
    answer: 'no',
    says: /"a" is marked as done, but 2 boxes/,
  },
  {
    name: 'front matter flipped and flipped back',
    start: { 'tasks/a.md': status('done') },
    now: { 'tasks/a.md': status('todo') },
    answer: 'no',
    says: /"a" was unticked/,
  },
  {
    name: 'a status of two minds',
    now: { 'tasks/a.md': '---\nstatus: todo\nstatus: done\n---\nx\n' },
    answer: 'no',
  },
  { name: 'a status that is no front matter', now: { 'tasks/a.md': 'x\n\nstatus: done\n' }, answer: 'no' },
  { name: 'front matter that never ends', now: { 'tasks/a.md': '---\nstatus: done\nx\n' }, answer: 'no' },
  { name: 'no status at all', now: { 'tasks/a.md': printer }, answer: 'no' },
  { name: 'in a done folder at the same level', now: { 'tasks/done/a.md': printer }, answer: 'yes' },
  { name: 'in done, and says it is not', now: { 'tasks/done/a.md': status('todo') }, answer: 'no' },
  { name: 'in todo, and says it is done', now: { 'tasks/todo/a.md': status('done') }, answer: 'no' },
  { name: 'undone is not done', now: { 'tasks/undone/a.md': printer }, answer: 'no' },
  { name: 'other line ends', now: { 'tasks/a.md': status('done').replaceAll('\n', '\r\n') }, answer: 'yes' },
  { name: 'a byte order mark', now: { 'tasks/a.md': `\uFEFF${status('done')}` }, answer: 'yes' },
  {
    name: 'skipped by the user',
    start: board,
    now: { ...finished, 'tasks/4.done/015-printer.md': '' },
    options: { skipped: ['015-printer'] },
    answer: 'yes',
    says: /1 of 1 .*Skipped by the user: "015-printer"/,
    counts: { total: 1, done: 1, open: 0, skipped: 1 },
  },
  {
    name: 'skipped and deleted',
    start: board,
    now: { 'tasks/4.done/014-parser.md': ticked },
    options: { skipped: ['015-printer'] },
    answer: 'yes',
    counts: { skipped: 1, total: 1 },
  },
]

describe('a folder of tasks', () => {
  it.each(rows)('$name', async ({ start, now, options, answer, says, counts }) => {
    const evidence = await checked(now, start, options)
    expect(evidence).toMatchObject({ check: 'checklist', answer, tree: 't1' })
    if (says) expect(evidence.detail).toMatch(says)
    if (counts) expect(evidence.counts).toMatchObject(counts)
  })

  it.each(['tasks/', './tasks', 'tasks/.', 'x/../tasks'])('may be written %s', async (path) => {
    expect(await checked(finished, board, { path })).toMatchObject({ answer: 'yes' })
    expect(await checked({}, board, { path })).toMatchObject({ answer: 'no', counts: { deleted: 2 } })
  })

  it.each([
    ['the folder', 'tasks', 'elsewhere'],
    ['the done folder', 'tasks/4.done', 'elsewhere/4.done'],
    ['a file in it', 'tasks/4.done/014-parser.md', 'elsewhere/4.done/014-parser.md'],
  ])('does not count if a link leads out of the workspace: %s', async (_name, link, target) => {
    const outside = folder(
      Object.fromEntries(Object.entries(finished).map(([path, text]) => [path.replace('tasks', 'elsewhere'), text])),
    )
    const dir = folder(
      link.includes('/')
        ? { 'tasks/4.done2/x.txt': '', ...(link.endsWith('.md') ? { 'tasks/4.done/x.txt': '' } : {}) }
        : {},
    )
    symlinkSync(join(outside, target), join(dir, link))
    const baseline = baselineOf(board)
    const context = { workspace: openWorkspace(dir), baseline, claim: true, tree: '', taskTexts: [], deadlineMs: 1 }
    const [evidence] = await planCheck({ path: 'tasks' }).collect(context)
    expect(evidence).toMatchObject({ answer: 'no', counts: { done: 0 } })
  })

  it('reports that the plan did not exist at the start', async () => {
    expect((await checked(finished, { 'other.md': '' })).detail).toContain('tasks did not exist at the start')
  })

  it('has a text for later comparison', () => {
    const view = planNow(openWorkspace(folder({ ...board, 'tasks/4.done/001-a.md': 'x\n', 'PLAN.md': '- [ ] a\n' })))
    expect(planText(view, 'tasks')).toBe('- [ ] 015-printer\n- [ ] 014-parser\n- [x] 001-a\n')
    expect(planText(view, 'PLAN.md')).toBe('- [ ] a\n')
    expect(planText(view, 'nothing')).toBeUndefined()
  })

  it.each([
    ['PLAN.md', 'PLAN.md'],
    ['./PLAN.md', 'PLAN.md'],
    ['tasks/', 'tasks'],
    ['/w/tasks/', 'tasks'],
    ['../PLAN.md', '../PLAN.md'],
  ])('finds %s at %s', (path, expected) => {
    expect(planPath('/w', path)).toBe(expected)
  })
})
