import { goAhead, n, phase, remove, say, scenario, write } from './agent.mjs'

/** The status block as its agents print it. The TESTS field is only what the agent says, and counts for nothing. */
function block(signal, more = []) {
  say(
    `Phase ${phase}: worked on it.`,
    '',
    '---PRP_PHASE_STATUS---',
    'TIMESTAMP: 2026-01-13T10:00:00Z',
    `PHASE: ${phase}`,
    `STATUS: ${signal ? 'COMPLETE' : 'IN_PROGRESS'}`,
    `ITERATION: ${n}`,
    'PROGRESS_PERCENT: 50',
    '',
    'TESTS:',
    '  TOTAL: 10',
    '  PASSING: 10',
    '  FAILING: 0',
    '  SKIPPED: 0',
    '',
    'BLOCKERS:',
    '  - none',
    '',
    ...more,
    `EXIT_SIGNAL: ${signal}`,
    'RECOMMENDATION: go on',
    '---END_PRP_PHASE_STATUS---',
  )
}

const testOf = (name, call, result) => `import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sum } from '../src/sum.js'
test('${name}', () => assert.equal(sum(${call}), ${result}))
`
const red = () => {
  write('src/sum.js', 'export const sum = () => undefined\n')
  write('test/two.test.js', testOf('adds two numbers', '1, 2', 3))
  write('test/none.test.js', testOf('is zero without numbers', '', 0))
}
const half = () => write('src/sum.js', 'export const sum = (a, b) => (a === undefined ? undefined : a + b)\n')
const SUM = 'export const sum = (...all) => all.reduce((a, b) => a + b, 0)\n'
const green = () => write('src/sum.js', SUM)
const refactor = () =>
  write('src/sum.js', 'const add = (a, b) => a + b\nexport const sum = (...all) => all.reduce(add, 0)\n')

const C4 =
  'C4Context\n  title Sums\n  Person(user, "User")\n  System(sum, "Sum", "Adds numbers")\n  Rel(user, sum, "calls")\n'
// Parsing a Mermaid diagram loads Mermaid, which takes a second or two; PlantUML isn't parsed.
const PLANTUML = `@startuml\n!include C4_Context.puml\n${C4.slice('C4Context\n'.length)}@enduml\n`
function documents(language = 'plantuml', diagram = PLANTUML) {
  write('docs/usage.md', '# Usage\n\nCall sum with any number of numbers and it adds them up.\n')
  write(
    'docs/adr/0001-a-fold.md',
    '# 1. A fold\n\n## Status\n\nAccepted\n\n## Context\n\nNumbers come in any count.\n\n## Decision\n\nWe fold over them.\n\n## Consequences\n\nNo numbers give zero.\n',
  )
  write(
    'docs/architecture.md',
    `# Architecture\n\nOne function, and whoever calls it.\n\n\`\`\`${language}\n${diagram}\`\`\`\n`,
  )
}

const done = () => block(true)
const notDone = () => block(false)
const nothingLeft = () => block(true, ['NO_IMPROVEMENTS: true'])

/** What the agent does, by iteration number across all phases. An iteration without a row reports "not done". */
const scenarios = {
  // Signals too early in RED, does half the work in GREEN, forgets the signal once, and postpones most documents.
  completes: {
    1: [done],
    2: [red, done],
    3: [half, done],
    4: [green, notDone],
    5: [done],
    6: [refactor, () => block(true, ['REFACTORING_COMPLETE: true'])],
    7: [() => write('docs/usage.md', 'Call sum with numbers and get what they add up to.\n'), done],
    8: [() => documents('mermaid', C4), done],
  },
  // Goes through all five phases; the review rejects the work once.
  reviewed: {
    1: [red, done],
    2: [green, done],
    3: [nothingLeft],
    4: [() => documents(), done],
    5: [done],
    6: [() => write('src/sum.js', `// Adds numbers.\n${SUM}`), done],
    7: [nothingLeft],
    8: [done],
    9: [done],
  },
  // Writes no test at all.
  idle: {},
  // Writes the tests, then makes no more progress.
  opens: { 1: [red, done] },
  // Deletes the failing test instead of making it pass.
  deletes: { 1: [red, done], 2: [half, () => remove('test/none.test.js'), done], 3: [done], 4: [done] },
  // Waits in GREEN, so a test can control the run meanwhile.
  waits: {
    1: [red, done],
    2: [goAhead, half, notDone],
    3: [green, nothingLeft],
    4: [() => documents(), nothingLeft],
    5: [done],
  },
}

for (const act of scenarios[scenario][n] ?? [notDone]) await act()
