import { execFileSync } from 'node:child_process'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { patience } from '../timing.ts'
import { DONE, project } from './run-cli.ts'

/** Prints what jest would print: two tests, or one if the second test file is gone. */
const RUNNER = `const { existsSync } = require('node:fs')
const all = ['calc.test.js', 'more.test.js'].filter((file) => existsSync(file))
console.log(all.map((file) => 'PASS ./' + file + '\\n  \\u2713 works in ' + file + ' (1 ms)\\n').join('') + '\\nTests:       ' + all.length + ' passed, ' + all.length + ' total')
`
const TEST = `const { sum } = require('./calc.js')\ntest('sums', () => {\n  expect(sum(1, 2)).toBe(3)\n  expect(sum(2, 2)).toBe(4)\n})\n`
const WEAKER = TEST.replace('toBe(4)', 'toBeTruthy()')
const PLAN = '# Plan\n\n- [ ] one\n- [ ] two\n'

/** A repository with two test files, in which everything passes. */
function repository() {
  const made = project({
    'calc.js': 'exports.sum = (a, b) => a + b\n',
    'calc.test.js': TEST,
    'more.test.js': TEST.replace('sums', 'sums more'),
    'run.js': RUNNER,
    'exitgate.config.json': '{"commands": {"test": "node run.js"}, "evidence": {"confirmRuns": 1}}\n',
    '.gitignore': '.exitgate/\nout.txt\n',
    'out.txt': DONE,
  })
  const git = (...args: string[]): string =>
    execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@localhost', ...args], {
      cwd: made.dir,
      stdio: 'pipe',
    })
      .toString()
      .trim()
  git('init', '-q')
  git('add', '-A')
  git('commit', '-qm', 'start')
  const commit = (message = 'more') => {
    git('add', '-A')
    git('commit', '-qm', message)
  }
  return {
    ...made,
    git,
    commit,
    remove: (name: string) => rmSync(join(made.dir, name)),
    work: (n = 1) => made.write('calc.js', `exports.sum = (a, b) => a + b // ${n}\n`),
    check: (...more: string[]) => made.run(['check', '--transcript', 'out.txt', '--json', ...more]),
  }
}
type Repository = ReturnType<typeof repository>

const WAIT = patience(60_000)

interface Row {
  /** What happens after the first, refused check. */
  readonly after: (repo: Repository) => unknown
  readonly code: number
  readonly says?: RegExp
}

describe('a refused change and the next check', { timeout: WAIT }, () => {
  const rows: Readonly<Record<string, Row>> = {
    'is refused again after a commit': { after: (repo) => repo.commit(), code: 10 },
    'is refused again in a new run': { after: (repo) => repo.check('--new-run'), code: 10 },
    'is refused again after a rewritten history': {
      after: (repo) => {
        repo.commit()
        repo.git('checkout', '-q', '--orphan', 'other')
        repo.git('commit', '-qm', 'one commit')
        repo.git('branch', '-D', 'master')
      },
      code: 10,
    },
    'is refused again after the branch was replaced by git replace': {
      after: (repo) => {
        const before = repo.git('rev-parse', 'HEAD')
        repo.commit()
        repo.git('replace', before, repo.git('rev-parse', 'HEAD'))
        repo.git('reset', '-q', '--soft', before)
      },
      code: 10,
    },
    'is gone when the file is restored': { after: (repo) => repo.git('checkout', 'more.test.js'), code: 0 },
    'is settled when the user starts over from the commit': {
      after: async (repo) => {
        repo.commit()
        await repo.run(['reset', '--reason', 'the test was obsolete'])
        repo.work(2)
      },
      code: 0,
    },
  }
  it.each(Object.entries(rows))('%s', async (_name, { after, code, says }) => {
    const repo = repository()
    repo.work()
    repo.remove('more.test.js')
    const first = await repo.check()
    expect([first.code, first.stdout]).toEqual([10, expect.stringContaining('more.test.js')])
    await after(repo)
    const second = await repo.check()
    expect(second.code).toBe(code)
    if (says !== undefined) expect(second.stderr).toMatch(says)
  })

  it('a commit before the first claim does not hide a deleted test from the last verified tree', async () => {
    const repo = repository()
    repo.work()
    expect((await repo.check()).code).toBe(0)
    repo.work(2)
    repo.remove('more.test.js')
    repo.commit()
    repo.work(3)
    const refused = await repo.check()
    expect([refused.code, refused.stderr]).toEqual([10, expect.stringContaining('exitgate reset --reason')])
  })

  it('verified work stays verified, before and after its commit, and later work too', async () => {
    const repo = repository()
    repo.work()
    expect([(await repo.check()).code, (await repo.check()).code]).toEqual([0, 0])
    repo.commit()
    repo.work(2)
    repo.write('third.test.js', TEST.replace('sums', 'sums thrice'))
    expect((await repo.check()).code).toBe(0)
    // The user edits tests that exitgate has not refused.
    repo.commit()
    repo.write('third.test.js', TEST.replace('sums', 'sums three times'))
    repo.work(3)
    expect((await repo.check()).code).toBe(0)
  })

  it('evidence that the caller passes does not move the reference', async () => {
    const repo = repository()
    repo.work()
    expect((await repo.check()).code).toBe(0)
    repo.remove('more.test.js')
    repo.write(
      '../given.json',
      '{"tests": {"answer": "yes", "counts": {"total": 1, "passed": 1, "failed": 0}}, "tampering": "yes"}',
    )
    await repo.check('--evidence', '../given.json')
    await repo.check('--base', 'HEAD')
    repo.commit()
    repo.work(2)
    expect((await repo.check()).code).toBe(10)
  })

  it('items deleted from the plan stay open after a commit', async () => {
    const repo = repository()
    repo.write('PLAN.md', PLAN)
    repo.commit()
    repo.work()
    repo.write('PLAN.md', '# Plan\n\n- [x] one\n')
    expect((await repo.check('--plan', 'PLAN.md')).code).toBe(10)
    repo.commit()
    repo.work(2)
    expect((await repo.check('--plan', 'PLAN.md')).code).toBe(10)
    repo.write('PLAN.md', PLAN.replaceAll('[ ]', '[x]'))
    expect((await repo.check('--plan', 'PLAN.md')).code).toBe(0)
  })
})

describe('a refused change and the next run', { timeout: WAIT }, () => {
  /** The agent changes something and claims to be done. */
  const run = (repo: Repository, does: string, ...more: string[]) =>
    repo.run(
      [
        'run',
        '--plain',
        '--max-iterations',
        '1',
        '--sandbox',
        'off',
        ...more,
        '--',
        'sh',
        '-c',
        `${does}; cat out.txt`,
      ],
      {
        PATH: process.env.PATH ?? '',
      },
    )
  const CHANGES = 'echo "// done" >> calc.js'

  const rows: Readonly<Record<string, readonly [first: string, between: (repo: Repository) => unknown, code: number]>> =
    {
      'a deleted test that the agent committed is still refused': [
        'rm more.test.js; git add -A; git -c user.name=a -c user.email=a@localhost commit -qm x',
        () => {},
        2,
      ],
      'a weakened assertion is still refused after a commit': [
        'sed -i "s/toBe(4)/toBeTruthy()/" calc.test.js',
        (repo) => repo.commit(),
        2,
      ],
      'a changed test command is still refused after a commit': [
        `sed -i 's/node run.js/node run.js || true/' exitgate.config.json`,
        (repo) => repo.commit(),
        2,
      ],
      'a third run refuses it too': ['rm more.test.js', (repo) => run(repo, CHANGES), 2],
      'the restored test completes': ['rm more.test.js', (repo) => repo.git('checkout', 'more.test.js'), 0],
      "the user's own version of the test completes": [
        'sed -i "s/toBe(4)/toBeTruthy()/" calc.test.js',
        (repo) => repo.write('calc.test.js', WEAKER.replace('toBeTruthy()', 'toEqual(4)')),
        0,
      ],
      "the user's own deletion of another test completes": [CHANGES, (repo) => repo.remove('more.test.js'), 0],
    }
  it.each(Object.entries(rows))('%s', async (_name, [first, between, code]) => {
    const repo = repository()
    await run(repo, `${CHANGES}; ${first}`)
    await between(repo)
    const second = await run(repo, CHANGES)
    expect(second.code).toBe(code)
    const shown = second.stdout.includes('An earlier run ended with changes that were refused')
    expect(shown).toBe(code !== 0)
  })

  it('the agent of the next run can restore the test', async () => {
    const repo = repository()
    await run(repo, 'rm more.test.js')
    repo.commit()
    expect((await run(repo, `${CHANGES}; git checkout -q HEAD~1 more.test.js`)).code).toBe(0)
  })

  it('a check after the run refuses it too', async () => {
    const repo = repository()
    await run(repo, `${CHANGES}; rm more.test.js`)
    repo.commit()
    repo.work(5)
    expect((await repo.check()).code).toBe(10)
  })
})
