import { expect, it } from 'vitest'
import { patience } from '../timing.ts'
import { CLAIM, runProject } from './run-project.ts'

const FILES = {
  'package.json': JSON.stringify({ type: 'module', scripts: { test: 'node --test' } }),
  'README.md': '# halve\n',
  'style.css': 'p { color: red }\n',
  'src/halve.js': 'export const halve = (n) => n / 2\n',
  'test/halve.test.js':
    "import assert from 'node:assert/strict'\nimport { test } from 'node:test'\nimport { halve } from '../src/halve.js'\n" +
    "test('halves', () => assert.equal(halve(4), 2))\n",
}
const DOUBLE = "printf 'export const halve = (n) => n / 2\\nexport const double = (n) => n * 2\\n' > src/halve.js\n"
const newTest = (body: string) =>
  `cat > test/double.test.js <<'END'\nimport assert from 'node:assert/strict'\nimport { test } from 'node:test'\nimport * as all from '../src/halve.js'\ntest('doubles', () => ${body})\nEND\n`
const TESTED = newTest('assert.equal(all.double(4), 8)')
const once = (work: string) => `test -e ../first && { ${work} }\ntouch ../first\n`

const both = (second: string) =>
  "printf 'export const halve = (n) => n / 2\\nexport const double = (n) => n * 2\\nexport const triple = (n) => n * 3\\n' > src/halve.js\n" +
  newTest(`assert.equal(all.double(4), 8))\ntest('triples', () => ${second}`) +
  "sed -i 's/\\[ \\]/[x]/' PLAN.md\n"
const PLAN = { 'PLAN.md': '- [ ] Add double(n)\n- [ ] Add triple(n)\n' }
const NAMES = `echo 'PROOF: item 1: "doubles"'\n`
const NAMES_BOTH = `${NAMES}echo 'PROOF: item 2: "triples"'\n`
const REQUIRED = { evidence: { requirements: 'required' } }

/** A project without a test command; the agent adds one. */
const UNTESTED = { 'package.json': '{"type":"module"}', 'test/halve.test.js': null }
const ADDS = `printf '{"type":"module","scripts":{"test":"node --test"}}' > package.json\nmkdir -p test\n`

interface Row {
  readonly name: string
  readonly files?: Readonly<Record<string, string | null>>
  readonly task?: string
  readonly agent: string
  readonly args?: readonly string[]
  readonly config?: object
  readonly history?: number
  readonly ends: 'completed/verified' | 'completed/passed' | 'aborted/unproven' | 'aborted/iterations'
  readonly iterations: number
  readonly shows: readonly string[]
}

const rows: readonly Row[] = [
  {
    name: 'a feature with its test',
    agent: DOUBLE + TESTED,
    ends: 'completed/verified',
    iterations: 1,
    shows: ['Verified: the agent reported COMPLETE', 'proven by: "doubles"'],
  },
  {
    name: 'a line in the README for a feature',
    agent: 'echo more >> README.md\n',
    ends: 'aborted/unproven',
    iterations: 2,
    shows: ['Claim rejected: not proven', 'nothing shows that the task was done', 'exitgate accept'],
  },
  {
    name: 'a feature without a test, and the reason of the agent',
    agent: `${DOUBLE}echo 'PROOF: none: it has no tests for this'\n`,
    ends: 'aborted/unproven',
    iterations: 2,
    shows: ['The agent says why there is no test: it has no tests for this'],
  },
  {
    name: 'a test that proves nothing',
    agent: DOUBLE + newTest('assert.ok(true)'),
    ends: 'aborted/unproven',
    iterations: 2,
    shows: ['Passing even without the code changes, so proving nothing: doubles (test/double.test.js)'],
  },
  {
    name: 'a test added after the first refusal',
    agent: `test -e ../first || { ${DOUBLE}}\n${once(`${TESTED}`)}`,
    ends: 'completed/verified',
    iterations: 2,
    shows: ['Claim rejected: not proven', 'proven by: "doubles"'],
  },
  {
    name: 'a refactoring that you announced',
    agent: DOUBLE,
    args: ['--expects', 'refactor'],
    ends: 'completed/passed',
    iterations: 1,
    shows: [
      'Passed, not proven: the agent reported COMPLETE',
      'No proof was required: the task asks for the same behavior',
    ],
  },
  {
    name: 'a refactoring that the task asks for',
    task: 'Rename the parameter n to value in src/halve.js. Behavior stays the same.',
    agent: "echo 'export const halve = (value) => value / 2' > src/halve.js\n",
    ends: 'completed/passed',
    iterations: 1,
    shows: ['Passed, not proven'],
  },
  {
    name: 'documentation that the task asks for',
    task: 'Update the README: say how to install it.',
    agent: 'echo "npm install halve" >> README.md\n',
    ends: 'completed/passed',
    iterations: 1,
    shows: ['the task asks for documentation'],
  },
  {
    name: 'styles only, and words that say nothing',
    task: 'Blue paragraphs.',
    agent: 'echo "p { color: blue }" > style.css\n',
    ends: 'completed/passed',
    iterations: 1,
    shows: ['no test here can reach the changed files'],
  },
  {
    name: 'code, and words that say nothing',
    task: 'Doubles.',
    agent: DOUBLE,
    ends: 'aborted/unproven',
    iterations: 2,
    shows: ['nothing shows that the task was done'],
  },
  {
    name: 'a project that does not test its changes',
    agent: DOUBLE,
    history: 20,
    ends: 'completed/passed',
    iterations: 1,
    shows: ['of the last 21 commits that change this code touch no test'],
  },
  {
    name: 'too few commits to say so',
    agent: DOUBLE,
    history: 18,
    ends: 'aborted/unproven',
    iterations: 2,
    shows: ['nothing shows that the task was done'],
  },
  {
    name: 'evidence.proof report',
    agent: DOUBLE,
    config: { evidence: { proof: 'report' } },
    ends: 'completed/passed',
    iterations: 1,
    shows: ['evidence.proof is "report"'],
  },
  {
    name: 'evidence.proof required, for documentation',
    task: 'Update the README.',
    agent: 'echo more >> README.md\n',
    config: { evidence: { proof: 'required' } },
    ends: 'aborted/unproven',
    iterations: 2,
    shows: ['nothing shows that the task was done'],
  },
  {
    name: 'each item of the plan with a test that proves it',
    files: PLAN,
    agent: both('assert.equal(all.triple(4), 12)') + NAMES_BOTH,
    config: REQUIRED,
    ends: 'completed/verified',
    iterations: 1,
    shows: ['proven by: "doubles" and "triples"'],
  },
  {
    name: 'an item of the plan without a test',
    files: PLAN,
    agent: both('assert.equal(all.triple(4), 12)') + NAMES,
    config: REQUIRED,
    ends: 'aborted/unproven',
    iterations: 2,
    shows: ['No named test proves item 2 ("Add triple(n)").'],
  },
  {
    name: 'an item of the plan with a test that proves nothing',
    files: PLAN,
    agent: both('assert.ok(true)') + NAMES_BOTH,
    config: REQUIRED,
    ends: 'aborted/unproven',
    iterations: 2,
    shows: ['No named test proves item 2 ("Add triple(n)").'],
  },
  {
    name: 'an item of the plan without a test, which is only reported',
    files: PLAN,
    agent: both('assert.equal(all.triple(4), 12)') + NAMES,
    ends: 'completed/verified',
    iterations: 1,
    shows: ['proven by: "doubles" and "triples"'],
  },
  {
    name: 'a feature with its test, in a project with a database',
    files: { 'compose.yaml': 'services:\n  db:\n    image: postgres:16\n' },
    agent: DOUBLE + TESTED,
    ends: 'completed/verified',
    iterations: 1,
    shows: ['proven by: "doubles" (shared database)'],
  },
  {
    name: 'a feature with its test, in a project with a database that is reset',
    files: { 'compose.yaml': 'services:\n  db:\n    image: postgres:16\n' },
    agent: DOUBLE + TESTED,
    config: { evidence: { reset: 'true' } },
    ends: 'completed/verified',
    iterations: 1,
    shows: ['proven by: "doubles".'],
  },
  {
    name: 'a test command that the agent added, for documentation',
    task: 'Update the README: say how to install it.',
    files: UNTESTED,
    agent: `echo "npm install halve" >> README.md\n${ADDS}${newTest('assert.equal(all.halve(4), 2)')}`,
    args: ['--anyway'],
    ends: 'aborted/unproven',
    iterations: 2,
    shows: ['nothing shows that the task was done'],
  },
  {
    name: 'a test command that the agent added',
    files: UNTESTED,
    agent: DOUBLE + ADDS + TESTED,
    args: ['--anyway'],
    ends: 'completed/verified',
    iterations: 1,
    shows: ['the agent added the test command', 'proven by: "doubles"'],
  },
  {
    name: 'a test command that the agent added, and that prints its results',
    files: UNTESTED,
    agent: `${DOUBLE}printf '{"type":"module","scripts":{"test":"sh run.sh"}}' > package.json\nprintf 'echo "TAP version 13"\\necho "1..1"\\necho "ok 1 - doubles"\\n' > run.sh\n`,
    args: ['--anyway', '--max-iterations', '1'],
    ends: 'aborted/iterations',
    iterations: 1,
    shows: ['Claim rejected: ', 'nothing shows that its tests can fail'],
  },
  {
    name: 'a test command that the agent added, with tests that prove nothing',
    files: UNTESTED,
    agent: DOUBLE + ADDS + newTest('assert.ok(true)'),
    args: ['--anyway'],
    ends: 'aborted/unproven',
    iterations: 2,
    shows: ['nothing shows that the task was done'],
  },
  {
    name: 'another preset only reports it',
    agent: `${DOUBLE}printf 'All tasks are complete. The feature is implemented.\\n<promise>COMPLETE</promise>\\n'\n`,
    args: ['--preset', 'cub'],
    ends: 'completed/passed',
    iterations: 1,
    shows: ['only a run with the default preset requires it'],
  },
]

it.each(rows)('$name: $ends', { timeout: patience(120_000) }, async (row) => {
  const { task = 'Add double(n), with tests.', agent, args = [], config, history = 0, ends, iterations, shows } = row
  const files = Object.entries({ ...FILES, ...row.files }).filter((each): each is [string, string] => each[1] !== null)
  const project = runProject({
    ...Object.fromEntries(files),
    'PROMPT.md': `${task}\n`,
    ...(config && { 'exitgate.config.json': JSON.stringify(config) }),
  })
  for (let i = 0; i < history; i += 1) {
    project.write('src/halve.js', `${FILES['src/halve.js']}// ${i}\n`)
    project.git('commit', '-qam', `change ${i}`)
  }
  const ran = await project.run(['run', '--plain', ...args, '--', ...project.agent(agent + CLAIM)])
  const ended = project.events().find(({ type }) => type === 'run.ended') as { outcome: string; ending: string }
  const decided = project.events().filter(({ type }) => type === 'iteration.decided')
  expect(`${ended?.outcome}/${ended?.ending}`, ran.stdout + ran.stderr).toBe(ends)
  expect(ran.code).toBe(ends.startsWith('completed') ? 0 : 2)
  for (const text of shows) expect(ran.stdout).toContain(text)
  expect(decided).toHaveLength(iterations)
})

it('an unproven end is accepted with its id, and the run completes as accepted', {
  timeout: patience(120_000),
}, async () => {
  const project = runProject({ ...FILES, 'PROMPT.md': 'Add double(n), with tests.\n' })
  const stopped = await project.run([
    'run',
    '--plain',
    '--allow-remote-control',
    '--',
    ...project.agent(DOUBLE + CLAIM),
  ])
  const id = /exitgate accept (\w{5})/.exec(stopped.stdout)?.[1] ?? ''
  expect(stopped.code, stopped.stdout).toBe(2)
  const accepted = await project.run(['accept', id, '--reason', 'I tried it', '--by', 'Ada'])
  expect(accepted, accepted.stderr).toMatchObject({ code: 0 })
  const ran = await project.run(['run', '--resume', '--plain'])
  expect(ran.code, ran.stdout + ran.stderr).toBe(0)
  expect(ran.stdout).toContain('Accepted by Ada without a proof: I tried it.')
  expect(ran.stdout).toContain('Passed, not proven')
})

it.each([
  { name: 'by default it only reports', config: {}, code: 0, ends: 'passed' },
  { name: 'evidence.proof required is final', config: { evidence: { proof: 'required' } }, code: 2, ends: 'unproven' },
])('check: $name', { timeout: patience(60_000) }, async ({ config, code, ends }) => {
  const project = runProject({ ...FILES, 'exitgate.config.json': JSON.stringify(config) })
  project.write('src/halve.js', `${FILES['src/halve.js']}export const double = (n) => n * 2\n`)
  const ran = await project.run(['check', '--claim', '--json'])
  expect(ran.code, ran.stdout + ran.stderr).toBe(code)
  expect(JSON.parse(ran.stdout)).toMatchObject({ ending: ends })
})
