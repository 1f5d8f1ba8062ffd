import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { patience } from '../timing.ts'
import { runProject, TAP } from './run-project.ts'

const AGENT = fileURLToPath(new URL('fixtures-plan/literal-agent.sh', import.meta.url))
const ITEMS = [1, 2, 3, 4, 5]
const TESTS = {
  'parts.sh': `${TAP}${ITEMS.map((n) => `check 'part ${n} exists' test -e part-${n}.txt\n`).join('')}`,
  'PROMPT.md': 'Work through the plan.\n',
}
const boxes = (name: (n: number) => string) => ITEMS.map((n) => `- [ ] ${name(n)}\n`).join('')
const story = (n: number, more: object) => ({ id: `US-${n}`, title: `write part-${n}.txt`, priority: n, ...more })
const stories = (more: object) => JSON.stringify({ userStories: ITEMS.map((n) => story(n, more)) })
const taskFiles = (folder: string, head = '') =>
  Object.fromEntries(ITEMS.map((n) => [`${folder}/00${n}-part.md`, `${head}# Part ${n}\n\nWrite part-${n}.txt.\n`]))

interface Row {
  readonly preset: string
  readonly kind: string
  readonly plan: string
  readonly files: Readonly<Record<string, string>>
  readonly iterations?: number
  readonly ending?: string
}
const PLAN = { 'PLAN.md': `# Plan\n\n${boxes((n) => `write part-${n}.txt`)}` }
const boxed = { kind: 'boxes', plan: 'PLAN.md', files: PLAN } as const

const rows: readonly Row[] = [
  { preset: 'default', ...boxed },
  {
    preset: 'default',
    kind: 'nested boxes',
    plan: 'PLAN.md',
    files: {
      'PLAN.md': `# Plan\n\n${ITEMS.map((n) => `${n % 3 === 1 ? '' : '  '}- [ ] write part-${n}.txt\n`).join('')}`,
    },
  },
  { preset: 'default', kind: 'stories', plan: 'prd.json', files: { 'prd.json': stories({ passes: false }) } },
  {
    preset: 'default',
    kind: 'stories with a status',
    plan: 'prd.json',
    files: { 'prd.json': stories({ status: 'open', acceptanceCriteria: ['it exists'] }) },
  },
  { preset: 'default', kind: 'a board', plan: 'tasks', files: taskFiles('tasks/todo') },
  {
    preset: 'default',
    kind: 'task files with a status',
    plan: 'tasks',
    files: taskFiles('tasks', '---\nstatus: open\n---\n\n'),
  },
  // With this preset the agent claims each item, and the run continues until the plan is done.
  { preset: 'cub', ...boxed },
  { preset: 'doyaken', ...boxed },
  { preset: 'doyaken', kind: 'a board', plan: 'tasks', files: taskFiles('tasks/todo') },
  { preset: 'ralph', ...boxed },
  {
    preset: 'gsd',
    kind: 'a roadmap',
    plan: '.planning/ROADMAP.md',
    files: { '.planning/ROADMAP.md': `# Roadmap\n\n${boxes((n) => `01-0${n}-PLAN.md: write part-${n}.txt`)}` },
    // It completes without a claim, and only a claim is proven.
    ending: 'passed',
  },
  // This preset completes at 80 %: four of five.
  { preset: 'blackbox', ...boxed, iterations: 4, ending: 'threshold' },
]

describe('an agent that follows the prompt literally', () => {
  it.each(rows)(
    '$preset, $kind: finishes five items without a rejected claim',
    { timeout: patience(120_000) },
    async (row) => {
      const { preset, plan, iterations = 5, ending = 'verified' } = row
      const made = runProject({ ...TESTS, ...row.files })
      const ran = await made.run(
        ['run', '--plain', '--preset', preset, '--plan', plan, '--max-iterations', '12', '--', 'sh', AGENT],
        { EXITGATE_COMMANDS_TEST: 'sh parts.sh' },
      )
      const decided = made.events().flatMap((event) => (event.type === 'iteration.decided' ? [event] : []))
      const rejected = decided.filter(
        ({ verdict, observation }) =>
          verdict.action === 'continue' && observation.signals.claim === true && verdict.gate.proof !== 'yes',
      )
      expect(rejected.map(({ verdict }) => verdict.missing)).toEqual([])
      expect(ran.code, ran.stdout + ran.stderr).toBe(0)
      expect(made.events().findLast(({ type }) => type === 'run.ended')).toMatchObject({ outcome: 'completed', ending })
      expect(decided).toHaveLength(iterations)
      for (const at of decided.keys())
        expect(readFileSync(join(made.root, 'prompts', `${at + 1}.md`), 'utf8')).toContain(
          `## Current task: item ${at + 1} of 5 in ${plan}\n`,
        )
    },
  )
})
