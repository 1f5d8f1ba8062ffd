import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { findPlan } from '../../src/evidence/plan/find.ts'
import { openWorkspace } from '../../src/evidence/workspace.ts'

const OPEN = '# Plan\n\n- [x] one\n- [ ] two\n'
const TICKED = '# Plan\n\n- [x] one\n'
const STORIES = JSON.stringify({ userStories: [{ id: 'US-1', title: 'a story', passes: false }] })
const roots: string[] = []
afterAll(() => {
  for (const root of roots) rmSync(root, { recursive: true, force: true })
})

function folder(files: Readonly<Record<string, string>>): string {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'exitgate-find-plan-')))
  roots.push(root)
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), text)
  }
  return root
}

const find = (root: string, ...texts: string[]) => {
  const found = findPlan(openWorkspace(root), texts, { optionalSections: ['Future'] })
  return found.kind === 'found'
    ? `${found.path} (${found.why})`
    : found.kind === 'several'
      ? found.paths.join(' + ')
      : 'none'
}

interface Row {
  readonly name: string
  readonly files: Readonly<Record<string, string>>
  readonly text?: string
  readonly finds: string
}

const rows: readonly Row[] = [
  ...[
    ...['PLAN.md', 'plan.md', 'fix_plan.md', '@fix_plan.md', 'IMPLEMENTATION_PLAN.md', 'implementation-plan.md'],
    ...['TODO.md', 'todos.md', 'TASKS.md', 'ROADMAP.md', 'BACKLOG.md', 'PRD.md', '.ralph/fix_plan.md', 'docs/PLAN.md'],
  ].map((path) => ({
    name: `the only file of a usual name, ${path}`,
    files: { [path]: OPEN },
    finds: `${path} (only)`,
  })),
  { name: 'stories', files: { 'prd.json': STORIES }, finds: 'prd.json (only)' },
  { name: 'a usual name without boxes', files: { 'TODO.md': '- write more\n' }, finds: 'none' },
  { name: 'a plan that is already ticked', files: { 'PLAN.md': TICKED }, finds: 'none' },
  { name: 'a ticked plan next to an open one', files: { 'PLAN.md': TICKED, 'TODO.md': OPEN }, finds: 'TODO.md (only)' },
  { name: 'open items only in an optional section', files: { 'PLAN.md': '## Future\n\n- [ ] later\n' }, finds: 'none' },
  { name: 'two of them', files: { 'PLAN.md': OPEN, 'TODO.md': OPEN }, finds: 'PLAN.md + TODO.md' },
  {
    name: 'two of them, and the prompt names one',
    files: { 'PLAN.md': OPEN, 'TODO.md': OPEN },
    text: 'Follow ./TODO.md.',
    finds: 'TODO.md (named)',
  },
  {
    name: 'two of them, and the prompt names both',
    files: { 'PLAN.md': OPEN, 'TODO.md': OPEN },
    text: 'PLAN.md, then TODO.md',
    finds: 'PLAN.md + TODO.md',
  },
  {
    name: 'the prompt names a list and a plan',
    files: { 'specs/api.md': OPEN, 'PLAN.md': OPEN },
    text: 'Read specs/api.md and work through PLAN.md.',
    finds: 'PLAN.md (named)',
  },
  {
    name: 'the prompt names a file of another name',
    files: { 'work/step-2.md': OPEN },
    text: 'Do everything in `work/step-2.md`!',
    finds: 'work/step-2.md (named)',
  },
  {
    name: 'a file mention as in Claude Code',
    files: { 'work/steps.md': OPEN },
    text: 'Do @work/steps.md',
    finds: 'work/steps.md (named)',
  },
  {
    name: 'another case',
    files: { 'PLAN.md': OPEN, 'TODO.md': OPEN },
    text: 'Finish plan.md',
    finds: 'PLAN.md (named)',
  },
  {
    name: 'a Markdown link',
    files: { 'work/steps.md': OPEN },
    text: 'Do [these steps](work/steps.md).',
    finds: 'work/steps.md (named)',
  },
  {
    name: 'the prompt names a file that does not exist',
    files: { 'src/a.js': '' },
    text: 'Write PLAN.md first.',
    finds: 'none',
  },
  { name: 'a file above the folder', files: { 'src/a.js': '' }, text: 'See ../PLAN.md', finds: 'none' },
  {
    name: 'the prompt says to leave the plan alone',
    files: { 'TODO.md': OPEN },
    text: 'Fix the bug. Do not touch TODO.md.',
    finds: 'none',
  },
  { name: 'the prompt says to ignore it', files: { 'ROADMAP.md': OPEN }, text: 'Ignore the ROADMAP.md', finds: 'none' },
  {
    name: 'the prompt forbids to stop before the plan is done',
    files: { 'PLAN.md': OPEN },
    text: "Don't stop until PLAN.md is done.",
    finds: 'PLAN.md (named)',
  },
  {
    name: 'named twice, once with a warning',
    files: { 'PLAN.md': OPEN },
    text: 'Do PLAN.md. Never use other files than PLAN.md.',
    finds: 'PLAN.md (named)',
  },
  ...[
    ...['README.md', 'CHANGELOG.md', 'CONTRIBUTING.md', 'RELEASING.md', 'AGENTS.md', 'PROMPT.md'],
    ...['.github/PULL_REQUEST_TEMPLATE.md', '.github/plan.md', 'docs/plan-template.md', 'tests/fixtures/todo.md'],
  ].map((path) => ({ name: `not a plan: ${path}`, files: { [path]: OPEN }, text: `Update ${path}.`, finds: 'none' })),
  {
    name: 'a document to correct',
    files: { 'docs/deploy.md': OPEN },
    text: 'Fix the typo in docs/deploy.md.',
    finds: 'none',
  },
  {
    name: 'a document with work to do',
    files: { 'docs/api.md': OPEN },
    text: 'Add the features listed in docs/api.md.',
    finds: 'docs/api.md (named)',
  },
  {
    name: 'a plan to keep up to date',
    files: { 'PLAN.md': OPEN },
    text: 'Update PLAN.md as you go.',
    finds: 'PLAN.md (named)',
  },
  {
    name: 'data of a program',
    files: { 'tasks.json': JSON.stringify([{ title: 'buy milk', done: false }]) },
    text: 'The tasks are in tasks.json.',
    finds: 'none',
  },
  { name: 'a package file', files: { 'package.json': '{"tasks":["a"]}' }, text: 'Look at package.json', finds: 'none' },
  { name: 'the roadmap of a product in its docs', files: { 'docs/ROADMAP.md': OPEN }, finds: 'none' },
  { name: 'a plan deeper in the project', files: { 'packages/a/PLAN.md': OPEN }, finds: 'none' },
  { name: 'an unreadable story file', files: { 'prd.json': '{' }, finds: 'none' },
]

describe('the plan of a folder', () => {
  it.each(rows)('$name', ({ files, text = '', finds }) => {
    expect(find(folder(files), text)).toBe(finds)
  })

  it('a link to the plan is not a second plan', () => {
    const root = folder({ 'PLAN.md': OPEN })
    symlinkSync('PLAN.md', join(root, 'TODO.md'))
    expect(find(root)).toBe('PLAN.md (only)')
  })

  it('an absolute path in the prompt', () => {
    const root = folder({ 'work/steps.md': OPEN })
    expect(find(root, `Do ${join(root, 'work/steps.md')} today`)).toBe('work/steps.md (named)')
  })
})
