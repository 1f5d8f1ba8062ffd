import { mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { configure } from '../../src/config/project-config.ts'
import type { ConfigPatch } from '../../src/core/config.ts'
import { policyFor } from '../../src/core/presets/index.ts'
import { openBaseline } from '../../src/evidence/baseline/open.ts'
import { type GatherOptions, gather, gatherBaseline } from '../../src/evidence/gather.ts'
import { openWorkspace } from '../../src/evidence/workspace.ts'
import { nextTask, readTasks } from '../../src/loop/tasks.ts'
import { folder, repository, writeFiles } from '../evidence/folders.ts'

const states = mkdtempSync(join(tmpdir(), 'exitgate-tasks-'))
afterAll(() => rmSync(states, { recursive: true, force: true }))

const parser = '---\ntype: feature\n---\n# Write the parser\n\nIt reads.\n\n- [ ] numbers\n'
const board = {
  'board/2.todo/1-parser.md': parser,
  'board/2.todo/2-printer.md': '# Write the printer\n\nIt prints.\n',
  'board/4.done/0-start.md': '# Start\n\n- [ ] never ticked\n',
}
const plan = { 'PLAN.md': '# Plan\n- [ ] parser\n- [ ] printer\n' }
const move = (dir: string, from: string, to: string) => {
  mkdirSync(dirname(join(dir, to)), { recursive: true })
  renameSync(join(dir, from), join(dir, to))
}
const finish = (dir: string) => {
  move(dir, 'board/2.todo/1-parser.md', 'board/4.done/1-parser.md')
  move(dir, 'board/2.todo/2-printer.md', 'board/4.done/2-printer.md')
  writeFiles(dir, { 'board/4.done/1-parser.md': parser.replace('[ ]', '[x]') })
}

interface Row {
  readonly name: string
  readonly files: Readonly<Record<string, string>>
  readonly plan: string
  readonly agent: (dir: string) => void
  readonly options?: Partial<GatherOptions>
  readonly plain?: true
  readonly answer: string
  readonly says?: RegExp
  readonly next?: string
}

/** Each row takes a baseline, runs the agent, then runs the real check on the real folder. */
const rows: Row[] = [
  {
    name: 'an unchanged board',
    files: board,
    plan: 'board',
    agent: () => {},
    answer: 'no',
    says: /1 of 3/,
    next: '1-parser',
  },
  { name: 'a board that is done', files: board, plan: 'board/', agent: finish, answer: 'yes', says: /3 of 3/ },
  {
    name: 'a file that was only moved',
    files: board,
    plan: 'board',
    agent: (dir) => {
      finish(dir)
      writeFiles(dir, { 'board/4.done/1-parser.md': parser })
    },
    answer: 'no',
    says: /"1-parser" is marked as done, but 1 box/,
    next: '1-parser',
  },
  {
    name: 'a file deleted, and the repository with it',
    files: board,
    plan: 'board',
    agent: (dir) => {
      finish(dir)
      rmSync(join(dir, 'board/4.done/2-printer.md'))
      rmSync(join(dir, '.git'), { recursive: true })
    },
    answer: 'no',
    says: /"2-printer" is gone/,
    next: '2-printer',
  },
  {
    name: 'the whole board deleted',
    files: board,
    plan: 'board',
    agent: (dir) => rmSync(join(dir, 'board'), { recursive: true }),
    answer: 'no',
    says: /"1-parser" is gone/,
    next: '1-parser',
  },
  {
    name: 'a task that the user skipped',
    files: board,
    plan: 'board',
    agent: (dir) => {
      finish(dir)
      rmSync(join(dir, 'board/4.done/2-printer.md'))
    },
    options: { skipped: ['2-printer'] },
    answer: 'yes',
    says: /Skipped by the user: "2-printer"/,
  },
  {
    name: 'a board that git ignores',
    files: { ...board, '.gitignore': 'board/\n' },
    plan: 'board',
    agent: (dir) => {
      finish(dir)
      rmSync(join(dir, 'board/4.done/2-printer.md'))
    },
    answer: 'no',
    says: /"2-printer" is gone/,
    next: '2-printer',
  },
  {
    name: 'a plan that git ignores',
    files: { ...plan, '.gitignore': 'PLAN.md\n' },
    plan: './PLAN.md',
    agent: (dir) => writeFiles(dir, { 'PLAN.md': '- [x] parser\n' }),
    answer: 'no',
    says: /"printer" was removed/,
    next: 'printer',
  },
  {
    name: 'a board without a repository',
    files: board,
    plan: 'board',
    plain: true,
    agent: (dir) => rmSync(join(dir, 'board/2.todo/2-printer.md')),
    answer: 'no',
    says: /"2-printer" is gone/,
    next: '1-parser',
  },
  {
    name: 'an item that was unticked since the previous iteration',
    files: plan,
    plan: 'PLAN.md',
    agent: (dir) => writeFiles(dir, { 'PLAN.md': '# Plan\n- [ ] parser\n- [x] printer\n' }),
    options: { previousPlan: '# Plan\n- [x] parser\n- [ ] printer\n' },
    answer: 'no',
    says: /"parser" was unticked/,
    next: 'parser',
  },
]

describe('the task list and the check agree', () => {
  it.each(rows)('$name', async ({ files, plan: path, agent, options, plain, answer, says, next }) => {
    const dir = plain === true ? folder(files) : repository(files)
    const stateDir = mkdtempSync(join(states, 'state-'))
    const patch: ConfigPatch = { plan: path, optionalSections: ['Optional'] }
    const config = configure(patch)
    const { checks } = policyFor(config)
    const request = { dir, config, checks, stateDir, claim: true, taskTexts: [], ignore: [], at: 0 }
    const { baselineId } = await gatherBaseline(request)
    agent(dir)
    const { evidence } = await gather({ ...request, baselineId: baselineId!, ...options })
    expect(evidence.checklist).toMatchObject({ answer })
    if (says) expect(evidence.checklist!.detail).toMatch(says)

    const start = openBaseline(stateDir, { expect: baselineId! })!
    const { tasks } = readTasks(openWorkspace(dir), path, { optionalSections: config.optionalSections, start })
    expect(nextTask(tasks, { skipped: options?.skipped ?? [] })?.id).toBe(next)
    if (path === 'board') expect(tasks.find(({ id }) => id === '1-parser')?.type).toBe('feature')
  })
})
