import { describe, expect, it } from 'vitest'
import type { Task } from '../../src/core/run.ts'
import { openWorkspace } from '../../src/evidence/workspace.ts'
import { nextTask, readTasks, type TaskOptions } from '../../src/loop/tasks.ts'
import { baselineOf } from '../evidence/baseline-of.ts'
import { folder } from '../evidence/folders.ts'

type Files = Readonly<Record<string, string>>
const tasksOf = (files: Files, path: string, options: TaskOptions = {}) =>
  readTasks(openWorkspace(folder(files)), path, options)

const prd = JSON.stringify({
  userStories: [
    { id: 'US-3', title: 'log out', priority: 3, passes: false },
    {
      id: 'US-1',
      title: 'log in',
      description: 'With a password.',
      acceptanceCriteria: ['a', 'b'],
      priority: 1,
      passes: true,
    },
    { id: 'US-2', title: 'reset', priority: 2, passes: false, type: 'bug' },
    { id: 'US-4', title: 'later', passes: false },
    { id: 'US-5', title: 'never', passes: false, optional: true },
  ],
})
const board = {
  '.board/2.todo/003-b.md': '# Second\n\nText of b.\n',
  '.board/2.todo/010-c.md': '# Third\n\nText of c.\n',
  '.board/3.doing/009-a.md': '# First\n\nText of a.\n\n- [ ] a box\n',
  '.board/1.blocked/001-d.md': '# Waits\n\nText of d.\n',
  '.board/4.done/000-e.md': '# Old\n\nText of e.\n',
  '.board/_templates/task.md': '# Template\n\nx\n',
}

interface Row {
  readonly name: string
  readonly files: Files
  readonly path: string
  readonly options?: TaskOptions
  readonly tasks: readonly Task[]
  readonly problems?: readonly RegExp[]
}
const open = (id: string, title = id, more: Partial<Task> = {}): Task => ({ id, title, done: false, ...more })
const done = (id: string, title = id, more: Partial<Task> = {}): Task => ({ ...open(id, title, more), done: true })

const rows: Row[] = [
  {
    name: 'a Markdown plan, in order, with the text below each item',
    path: 'PLAN.md',
    files: {
      'PLAN.md':
        '# Plan\n- [x] **set up**\n- [ ] write the parser\n  It reads all.\n\n  - numbers\n    - [ ] signs\n- [ ] write the parser\n## Optional\n- [ ] dream\n',
    },
    options: { optionalSections: ['optional'] },
    tasks: [
      done('set up', '**set up**'),
      open('write the parser It reads all.', 'write the parser It reads all.', {
        detail: '- numbers\n  - [ ] signs',
      }),
      open('signs'),
      open('write the parser'),
    ],
  },
  {
    name: 'identical items get numbers',
    path: 'PLAN.md',
    files: { 'PLAN.md': '## A\n- [x] test\n## B\n- [ ] test\n- [ ] test (2)\n' },
    tasks: [done('test'), open('test (2)', 'test'), open('test (2) (2)', 'test (2)')],
  },
  {
    name: 'CRLF line ends and a byte order mark',
    path: 'PLAN.md',
    files: { 'PLAN.md': '\uFEFF# Plan\r\n- [ ] a\r\n\r\n\tmore of a\r\n- [x] b\r\n' },
    tasks: [open('a', 'a', { detail: 'more of a' }), done('b')],
  },
  {
    name: 'a roadmap, by number, and only its plans',
    path: '.planning/ROADMAP.md',
    files: {
      '.planning/ROADMAP.md':
        '- [ ] **Phase 1**\n\n### Phase 2\n- [ ] 02-01-PLAN.md: c\n### Phase 1\n- [x] 01-01-PLAN.md: a\n- [ ] **01-02-PLAN.md** — b\n- [ ] a note\n',
    },
    options: { plansOnly: true },
    tasks: [
      done('01-01', '01-01-PLAN.md: a'),
      open('01-02', '**01-02-PLAN.md** — b'),
      open('02-01', '02-01-PLAN.md: c'),
    ],
  },
  {
    name: 'a roadmap without the gsd preset',
    path: 'ROADMAP.md',
    files: { 'ROADMAP.md': '- [ ] 01-02-PLAN.md: b\n- [ ] a note\n' },
    tasks: [open('01-02-PLAN.md: b'), open('a note')],
  },
  {
    name: 'stories by priority',
    path: 'prd.json',
    files: { 'prd.json': prd },
    tasks: [
      done('US-1', 'US-1: log in', { detail: 'With a password.\n- a\n- b' }),
      open('US-2', 'US-2: reset'),
      open('US-3', 'US-3: log out'),
      open('US-4', 'US-4: later'),
    ],
  },
  {
    name: 'priorities in words, and ids that are numbers',
    path: 'tasks.json',
    files: {
      'tasks.json': JSON.stringify({
        tasks: [
          { id: 1, title: 'a', priority: 'low', status: 'pending' },
          { id: 2, title: 'b', priority: 'high', status: 'done' },
          { id: 3, title: 'c', priority: 'medium', status: 'pending' },
        ],
      }),
    },
    tasks: [done('2', '2: b'), open('3', '3: c'), open('1', '1: a')],
  },
  {
    name: 'priorities from P0',
    path: 'tasks.json',
    files: {
      'tasks.json': '[{"id": "a", "priority": "P2"}, {"id": "b", "priority": "P0"}, {"id": "c", "priority": "P10"}]',
    },
    tasks: [open('b'), open('a'), open('c')],
  },
  {
    name: 'features without ids',
    path: 'features.json',
    files: { 'features.json': '[{"description": "A user  can log in", "steps": ["go", "type"], "passes": false}]' },
    tasks: [open('A user can log in', 'A user can log in', { detail: '- go\n- type' })],
  },
  {
    name: 'a board: doing before todo, blocked last',
    path: '.board/',
    files: board,
    tasks: [
      open('009-a', 'First', { detail: '# First\n\nText of a.\n\n- [ ] a box' }),
      open('003-b', 'Second', { detail: '# Second\n\nText of b.' }),
      open('010-c', 'Third', { detail: '# Third\n\nText of c.' }),
      open('001-d', 'Waits', { detail: '# Waits\n\nText of d.' }),
      done('000-e', 'Old', { detail: '# Old\n\nText of e.' }),
    ],
  },
  {
    name: 'a plain folder: by number, status from the top of each file',
    path: 'tasks',
    files: {
      'tasks/10-z.md': '---\ntitle: "Tenth: z"\n---\nz\n',
      'tasks/2-y.md': '---\nstatus: Done\n---\ny\n',
      'tasks/1-x.md': '---\nstatus: blocked\n---\nx\n',
      'tasks/README.md': 'How we write tasks.\n',
    },
    tasks: [
      done('2-y', '2-y', { detail: 'y' }),
      open('10-z', 'Tenth: z', { detail: 'z' }),
      open('1-x', '1-x', { detail: 'x' }),
    ],
  },
  { name: 'no plan', path: 'PLAN.md', files: {}, tasks: [], problems: [/PLAN\.md does not exist or cannot be read/] },
  { name: 'an empty plan', path: 'PLAN.md', files: { 'PLAN.md': '\n' }, tasks: [], problems: [/PLAN\.md is empty/] },
  {
    name: 'a broken plan',
    path: 'p.json',
    files: { 'p.json': '{' },
    tasks: [],
    problems: [/p\.json is not valid JSON/],
  },
  { name: 'a plan outside the workspace', path: '../PLAN.md', files: {}, tasks: [], problems: [/does not exist/] },
  { name: 'the workspace itself', path: '.', files: { 'a.md': 'x' }, tasks: [], problems: [/does not exist/] },
]

describe('the task list', () => {
  it.each(rows)('$name', ({ files, path, options, tasks, problems = [] }) => {
    const found = tasksOf(files, path, options)
    expect(found.tasks).toEqual(tasks)
    expect(found.problems).toHaveLength(problems.length)
    for (const [index, problem] of problems.entries()) expect(found.problems[index]).toMatch(problem)
  })
})

const three = '- [ ] write the parser\n  - for numbers\n- [ ] write the printer\n- [x] set up\n'
const typed = (type: string, passes = false) => JSON.stringify({ stories: [{ id: 'S', title: 't', type, passes }] })
interface Edited {
  readonly name: string
  readonly path?: string
  readonly start: string
  readonly now?: string
  readonly tasks: readonly Partial<Task>[]
  readonly problems?: number
}

/** How the agent edited the plan, and which tasks result. */
const edited: Edited[] = [
  {
    name: 'ticked',
    start: three,
    now: three.replace('[ ] write the printer', '[x] write the printer'),
    tasks: [open('write the parser'), done('write the printer'), done('set up')],
  },
  {
    name: 'reordered',
    start: three,
    now: '- [ ] write the printer\n- [x] set up\n- [ ] write the parser\n',
    tasks: [open('write the printer'), done('set up'), open('write the parser')],
  },
  {
    name: 'reworded and ticked',
    start: three,
    now: three.replace('[ ] write the printer', '[x] write a stub printer'),
    tasks: [{ id: 'write the parser' }, open('write the printer'), done('set up')],
    problems: 1,
  },
  {
    name: 'a remark added',
    start: three,
    now: three.replace('printer', 'printer **(see a.ts)**'),
    tasks: [{}, { id: 'write the printer', title: 'write the printer' }, {}],
  },
  {
    name: 'deleted',
    start: three,
    now: '- [x] set up\n',
    tasks: [
      done('set up'),
      open('write the parser', 'write the parser', { detail: '- for numbers' }),
      open('write the printer'),
    ],
    problems: 2,
  },
  {
    name: 'plan deleted',
    start: three,
    tasks: [open('write the parser'), open('write the printer')],
    problems: 3,
  },
  {
    name: 'made optional',
    start: three,
    now: '- [ ] write the parser\n## Optional\n- [ ] write the printer\n',
    tasks: [{}, open('write the printer')],
    problems: 1,
  },
  { name: 'a type', path: 'p.json', start: typed('docs'), now: typed('docs'), tasks: [{ id: 'S', type: 'docs' }] },
  {
    name: 'a type changed during the run',
    path: 'p.json',
    start: typed('feature'),
    now: typed('docs'),
    tasks: [{ id: 'S', type: 'feature' }],
  },
  {
    name: 'a type given during the run',
    path: 'p.json',
    start: '{"stories": [{"id": "S", "title": "t"}]}',
    now: typed('docs'),
    tasks: [{ id: 'S' }],
  },
]

describe('an edited task list', () => {
  it.each(edited)('$name', ({ path = 'PLAN.md', start, now, tasks, problems = 0 }) => {
    const options = { optionalSections: ['Optional'], start: baselineOf({ [path]: start }) }
    const found = tasksOf(now === undefined ? {} : { [path]: now }, path, options)
    expect(found.tasks).toMatchObject(tasks)
    expect(found.problems).toHaveLength(problems)
  })

  it.each([
    ['a story without a baseline', 'p.json', { 'p.json': typed('docs') }],
    ['a file without a baseline', 'tasks', { 'tasks/a.md': '---\ntype: docs\n---\nx\n' }],
  ])('takes types only from the baseline: %s', (_name, path, files: Files) => {
    expect(tasksOf(files, path).tasks[0]).not.toHaveProperty('type')
    expect(tasksOf(files, path, { start: baselineOf({}) }).tasks[0]).not.toHaveProperty('type')
    expect(tasksOf(files, path, { start: baselineOf(files) }).tasks[0]).toMatchObject({ type: 'docs' })
  })

  it('gives no type to a task file added during the run', () => {
    const start = baselineOf({ 'tasks/a.md': '---\ntype: docs\n---\nx\n' })
    const { tasks } = tasksOf({ 'tasks/b.md': '---\ntype: docs\n---\nx\n' }, 'tasks', { start })
    expect(tasks).toEqual([open('b', 'b', { detail: 'x' }), open('a', 'a', { detail: 'x', type: 'docs' })])
  })

  it('limits the length of ids, titles and details', () => {
    const text = `- [ ] ${'x'.repeat(500_000)}\n\n  ${'y'.repeat(500_000)}\n`
    const [task] = tasksOf({ 'PLAN.md': text }, 'PLAN.md').tasks
    expect(task!.id.length).toBeLessThanOrEqual(100)
    expect(task!.title.length).toBeLessThan(320)
    expect(task!.detail!.length).toBeLessThanOrEqual(4_000)
  })
})

const list = [done('a'), open('b'), open('c'), open('d')]
const nexts: [name: string, tasks: readonly Task[], options: Parameters<typeof nextTask>[1], id: string | undefined][] =
  [
    ['the first that is open', list, { skipped: [] }, 'b'],
    ['not one that was skipped', list, { skipped: ['b', 'c'] }, 'd'],
    ['none when all are done or skipped', list, { skipped: ['b', 'c', 'd'] }, undefined],
    ['none when there is none', [], { skipped: [] }, undefined],
    ['the failing one again, even if others come first', list, { skipped: [], failing: 'c' }, 'c'],
    ['not when it is done', list, { skipped: [], failing: 'a' }, 'b'],
    ['not when it was skipped', list, { skipped: ['c'], failing: 'c' }, 'b'],
    ['not when it is gone', list, { skipped: [], failing: 'z' }, 'b'],
  ]

describe('the next task', () => {
  it.each(nexts)('%s', (_name, tasks, options, id) => {
    expect(nextTask(tasks, options)?.id).toBe(id)
  })
})
