import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { patience } from '../timing.ts'
import { DONE, project } from './run-cli.ts'

const TEST = `import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sum } from './calc.mjs'

test('sums', () => {
  assert.equal(sum(1, 2), 3)
  assert.equal(sum(2, 2), 4)
})
`
/**
 * Prints what Node's test runner would print, without its three processes: these rows are about the files. A test fails if it expects
 * four and the sum of two equal numbers is wrong.
 */
const CHECK = `wrong=no
while read -r line; do case $line in *'a === b'*) wrong=yes ;; esac; done < calc.mjs
for file in *.test.mjs; do
  ok=ok
  while read -r line; do case $wrong$line in yes*'sum(2, 2), 4)'*) ok='not ok' failed=1 ;; esac; done < "$file"
  while IFS="'" read -r word name rest; do
    if [ "$word" = 'test(' ]; then n=$((n + 1)); echo "$ok $n - $name"; fi
  done < "$file"
done
echo "1..$n"
exit $failed
`
const PLAN = '# Plan\n\n- [ ] one\n- [ ] two\n'

/** A repository with two test files, in which everything passes. */
function repository() {
  const made = project({
    'calc.mjs': 'export const sum = (a, b) => a + b\n',
    'calc.test.mjs': TEST,
    'more.test.mjs': TEST.replace('sums', 'sums more'),
    'check.sh': CHECK,
    'exitgate.config.json': '{"commands": {"test": "sh check.sh"}, "evidence": {"confirmRuns": 1}}\n',
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
    work: (n = 1) => made.write('calc.mjs', `export const sum = (a, b) => a + b // ${n}\n`),
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

// The second claim with the same finding ends as needs-human (2): only the user can settle it.
describe('a refused change and the next check', { timeout: WAIT }, () => {
  const rows: Readonly<Record<string, Row>> = {
    'is refused again after a commit': { after: (repo) => repo.commit(), code: 2 },
    'is refused again in a new run': { after: (repo) => repo.check('--new-run'), code: 2 },
    'is refused again after a rewritten history': {
      after: (repo) => {
        repo.commit()
        repo.git('checkout', '-q', '--orphan', 'other')
        repo.git('commit', '-qm', 'one commit')
        repo.git('branch', '-D', 'master')
      },
      code: 2,
    },
    'is refused again after the branch was replaced by git replace': {
      after: (repo) => {
        const before = repo.git('rev-parse', 'HEAD')
        repo.commit()
        repo.git('replace', before, repo.git('rev-parse', 'HEAD'))
        repo.git('reset', '-q', '--soft', before)
      },
      code: 2,
    },
    'is gone when the file is restored': { after: (repo) => repo.git('checkout', 'more.test.mjs'), code: 0 },
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
    repo.remove('more.test.mjs')
    const first = await repo.check()
    expect([first.code, first.stdout]).toEqual([10, expect.stringContaining('more.test.mjs')])
    await after(repo)
    const second = await repo.check()
    expect(second.code, second.stdout + second.stderr).toBe(code)
    if (says !== undefined) expect(second.stderr).toMatch(says)
  })

  it('a commit before the first claim does not hide a deleted test from the last verified tree', async () => {
    const repo = repository()
    repo.work()
    expect((await repo.check()).code).toBe(0)
    repo.work(2)
    repo.remove('more.test.mjs')
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
    repo.write('third.test.mjs', TEST.replace('sums', 'sums thrice'))
    expect((await repo.check()).code).toBe(0)
    // The user edits tests that exitgate has not refused.
    repo.commit()
    repo.write('third.test.mjs', TEST.replace('sums', 'sums three times'))
    repo.work(3)
    expect((await repo.check()).code).toBe(0)
  })

  it('evidence that the caller passes does not move the reference', async () => {
    const repo = repository()
    repo.work()
    expect((await repo.check()).code).toBe(0)
    repo.remove('more.test.mjs')
    repo.write(
      '../given.json',
      '{"tests": {"answer": "yes", "counts": {"total": 1, "passed": 1, "failed": 0}}, "tampering": "yes"}',
    )
    await repo.check('--evidence', '../given.json')
    await repo.check('--base', 'HEAD')
    repo.commit()
    repo.work(2)
    expect((await repo.check()).code).toBe(2)
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
        '--anyway',
        '--expects',
        'refactor',
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
  const CHANGES = 'echo "// done" >> calc.mjs'
  /** The sum of two equal numbers is wrong, and the tests accept that. */
  const WEAKENS =
    'sed -i "s/=> a + b/=> a + b + (a === b)/" calc.mjs; sed -i "s/equal(sum(2, 2), 4)/ok(sum(2, 2))/" *.test.mjs'

  const rows: Readonly<Record<string, readonly [first: string, between: (repo: Repository) => unknown, code: number]>> =
    {
      'a deleted test that the agent committed is still refused': [
        'rm more.test.mjs; git add -A; git -c user.name=a -c user.email=a@localhost commit -qm x',
        () => {},
        2,
      ],
      'a changed test command is still refused after a commit': [
        `sed -i 's/sh check.sh/sh check.sh || true/' exitgate.config.json`,
        (repo) => repo.commit(),
        2,
      ],
      'a third run refuses it too': ['rm more.test.mjs', (repo) => run(repo, CHANGES), 2],
      'the restored test completes': ['rm more.test.mjs', (repo) => repo.git('checkout', 'more.test.mjs'), 0],
      "the user's own version of the test completes": [
        WEAKENS,
        (repo) => {
          const own = TEST.replace('equal(sum(2, 2), 4)', 'strictEqual(sum(2, 2), 5)')
          repo.write('calc.test.mjs', own)
          repo.write('more.test.mjs', own.replace('sums', 'sums more'))
        },
        0,
      ],
      "the user's own deletion of another test completes": [CHANGES, (repo) => repo.remove('more.test.mjs'), 0],
    }
  it.each(Object.entries(rows))('%s', async (_name, [first, between, code]) => {
    const repo = repository()
    expect((await run(repo, `${CHANGES}; ${first}`)).code === 0).toBe(first === CHANGES)
    await between(repo)
    const second = await run(repo, CHANGES)
    expect(second.code, second.stdout + second.stderr).toBe(code)
    const shown = second.stdout.includes('An earlier run ended with changes that were refused')
    expect(shown).toBe(code !== 0)
  })

  it('the agent of the next run can restore the test', async () => {
    const repo = repository()
    await run(repo, 'rm more.test.mjs')
    repo.commit()
    expect((await run(repo, `${CHANGES}; git checkout -q HEAD~1 more.test.mjs`)).code).toBe(0)
  })

  it('a check after the run refuses it too', async () => {
    const repo = repository()
    await run(repo, `${CHANGES}; rm more.test.mjs`)
    repo.commit()
    repo.work(5)
    expect((await repo.check()).code).toBe(10)
  })

  it('a state folder from before the refusal is noticed, and a reset settles it', async () => {
    const repo = repository()
    await run(repo, CHANGES)
    cpSync(repo.state, join(repo.root, 'copy'), { recursive: true })
    await run(repo, 'rm more.test.mjs')
    for (const restore of [() => cpSync(join(repo.root, 'copy'), repo.state, { recursive: true }), () => {}]) {
      rmSync(repo.state, { recursive: true })
      restore()
      const next = await run(repo, CHANGES)
      expect([next.code, next.stderr]).toEqual([70, expect.stringContaining('exitgate reset --reason')])
    }
    repo.git('checkout', 'more.test.mjs')
    await repo.run(['reset', '--reason', 'moved'])
    expect((await run(repo, CHANGES)).code).toBe(0)
  })
})

describe('configuration in code', { timeout: WAIT }, () => {
  const code = (text: string) =>
    `import { writeFileSync } from 'node:fs'\n${text}\nexport default { commands: { test: 'sh check.sh' } }\n`

  it('is not executed by check after a change, until the user approves it', async () => {
    const repo = repository()
    repo.remove('exitgate.config.json')
    repo.write('exitgate.config.mjs', code(''))
    repo.commit()
    repo.work()
    expect((await repo.check()).code).toBe(0)
    const marker = join(repo.root, 'executed')
    repo.write('exitgate.config.mjs', code(`writeFileSync(${JSON.stringify(marker)}, '')`))
    const refused = await repo.check()
    expect([refused.code, refused.stderr]).toEqual([64, expect.stringContaining('exitgate trust')])
    expect(existsSync(marker)).toBe(false)
    await repo.run(['trust'])
    expect((await repo.check()).code).not.toBe(64)
  })
})

describe('check --ci', { timeout: WAIT }, () => {
  it('ignores variables of exitgate that an earlier step of the job may have set', async () => {
    const repo = repository()
    repo.git('checkout', '-q', '-b', 'change')
    repo.work()
    repo.remove('more.test.mjs')
    repo.commit()
    const set = {
      EXITGATE_PRESET: 'ralph',
      EXITGATE_STATE_DIR: join(repo.root, 'elsewhere'),
      EXITGATE_SANDBOX: 'nonsense',
    }
    const base = repo.git('rev-parse', 'HEAD~1')
    const { code, json } = await repo.run(['check', '--ci', '--json', '--base', base, '--state-dir', repo.state], set)
    expect([code, json.preset]).toEqual([10, 'default'])
    expect(existsSync(join(repo.root, 'elsewhere'))).toBe(false)
  })
})
