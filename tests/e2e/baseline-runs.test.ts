import { expect, it } from 'vitest'
import { patience } from '../timing.ts'
import { CLAIM, runProject } from './run-project.ts'

const PASSING = { 'first.txt': 'done\n', 'second.txt': 'done\n' }
const NEEDS_IGNORED = { ...PASSING, '.gitignore': '*.txt\n' }
const COPY = 'all tests, in a clean copy'
const AGAIN = 'all tests again, for 2 failing tests'
const COMPARED = 'all tests, in the project itself, to compare'
const IGNORED = 'all tests, in a clean copy with ignored files'

type Row = readonly [string, files: Readonly<Record<string, string>>, room: string, runs: readonly string[]]
const ROWS: readonly Row[] = [
  ['all pass', PASSING, 'auto', [COPY]],
  ['there is no clean copy', PASSING, 'off', ['all tests']],
  ['two fail', {}, 'auto', [COPY, AGAIN, AGAIN, COMPARED]],
  ['two fail without a clean copy', {}, 'off', ['all tests', AGAIN, AGAIN]],
  ['they need files that git ignores', NEEDS_IGNORED, 'auto', [COPY, AGAIN, AGAIN, COMPARED, IGNORED]],
]

it.each(ROWS)(
  'the baseline numbers its runs of the tests and says why: %s',
  {
    timeout: patience(120_000),
  },
  async (_name, files, room, runs) => {
    const p = runProject(files)
    const config = { evidence: { cleanRoom: room } }
    p.write('exitgate.config.json', JSON.stringify(config))
    const args = ['run', '--json', '--max-iterations', '1', '--prompt', 'PROMPT.md', '--', ...p.agent(CLAIM)]
    const { stdout, stderr } = await p.run(args)
    const events = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
    const baseline = events.slice(
      0,
      events.findIndex(({ type, done }) => type === 'baseline' && done),
    )
    const told = baseline.filter(({ type, check }) => type === 'command' && check === 'tests')
    expect(told.map(({ run, why }) => `${run}: ${why}`)).toEqual(runs.map((why, at) => `${at + 1}: ${why}`))
    const tests = events.filter(({ type, why }) => type === 'command' && why !== undefined)
    expect(tests, 'only the baseline has reasons').toEqual(told)
    expect(stderr).toMatch(new RegExp(`baseline: .* \\(${runs.length} test runs? in \\d`))
  },
)
