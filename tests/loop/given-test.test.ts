import { expect, it } from 'vitest'
import type { Loaded } from '../../src/config/load.ts'
import { configure } from '../../src/config/project-config.ts'
import { emptyState } from '../../src/core/journal/reduce.ts'
import { openWorkspace } from '../../src/evidence/workspace.ts'
import { preflight } from '../../src/loop/preflight/index.ts'

const why = 'set in the configuration'
const given = { kind: 'test', command: './busted', cwd: '', runner: 'busted', why } as const

it.each([
  ['a flag', 'flag --test', './busted (given with --test)'],
  ['a file', 'exitgate.config.json', `./busted (${why})`],
])('the start of a run says where the test command comes from: %s', (_what, source, text) => {
  const facts = preflight({
    ...{ stateDir: '/nowhere', state: emptyState(), tests: [given], platform: 'win32', now: 1 },
    env: { PATH: import.meta.dirname },
    workspace: openWorkspace(import.meta.dirname),
    loaded: { config: configure({}), sources: new Map([['commands.test', source]]) } as unknown as Loaded,
  }).filter(({ name }) => name === 'tests')
  expect(facts.map((fact) => fact.text)).toEqual([text])
})
