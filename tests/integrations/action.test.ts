import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { CHECK_OPTIONS } from '../../src/cli/decide-options.ts'
import { normalized } from '../docs/output.ts'
import { program } from '../e2e/program.ts'
import { root } from '../source-tree.ts'

interface Step {
  readonly shell: string
  readonly env: Readonly<Record<string, string>>
  readonly run: string
}
interface Action {
  readonly inputs: Readonly<Record<string, { readonly description: string; readonly default: string }>>
  readonly runs: { readonly using: string; readonly steps: readonly [Step, Step] }
}
const action: Action = parse(readFileSync(join(root, 'action.yml'), 'utf8'))
const [install, hold] = action.runs.steps

const cli = await program()
const base = realpathSync(mkdtempSync(join(tmpdir(), 'exitgate-action-')))
afterAll(() => rmSync(base, { recursive: true, force: true }))
let count = 0

/** A checkout of a branch that fixed the sum. */
function checkout(): string {
  const dir = join(base, String(count++), 'repo')
  const put = (files: Readonly<Record<string, string>>): void => {
    for (const [name, text] of Object.entries(files)) {
      mkdirSync(dirname(join(dir, name)), { recursive: true })
      writeFileSync(join(dir, name), text)
    }
  }
  put({ 'test.sh': 'echo "1..1"\necho "not ok 1 - sum"\nexit 1\n', 'sum.txt': '3\n' })
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', ...args], { cwd: dir, stdio: 'ignore' })
  git('init', '-q', '-b', 'main')
  git('add', '-A')
  git('commit', '-qm', 'start')
  git('update-ref', 'refs/remotes/origin/main', 'HEAD')
  git('checkout', '-qb', 'agent')
  put({ 'sum.txt': '4\n' })
  git('commit', '-qam', 'work')
  return dir
}

/** Runs a step like the runner does: bash with its environment, and the inputs where the step uses them. */
function run(step: Step, cwd: string, inputs: Readonly<Record<string, string>>, env: Readonly<Record<string, string>>) {
  const given = Object.fromEntries(
    Object.entries(step.env).map(([name, text]) => [
      name,
      text.replace(
        /\$\{\{ inputs\.([\w-]+) \}\}/g,
        (_, key: string) => inputs[key] ?? action.inputs[key]?.default ?? '',
      ),
    ]),
  )
  return spawnSync('bash', ['--noprofile', '--norc', '-eo', 'pipefail', '-c', step.run], {
    cwd,
    env: { PATH: process.env.PATH ?? '', HOME: base, ...given, ...env },
    encoding: 'utf8',
  })
}

describe('the action', () => {
  it('is a composite action, and no input is part of a script', () => {
    expect(action.runs.using).toBe('composite')
    for (const { run, shell } of action.runs.steps) {
      expect(shell).toBe('bash')
      expect(run).not.toContain('${{')
    }
  })

  it('declares every input it uses, and passes options that check has', () => {
    const used = action.runs.steps.flatMap(({ env }) =>
      Object.values(env).flatMap((value) => [...value.matchAll(/inputs\.([\w-]+)/g)].map(([, name]) => name)),
    )
    expect([...new Set(used)].sort()).toEqual(Object.keys(action.inputs).sort())
    const options = [...hold.run.matchAll(/(?<=["(\s])--([\w-]+)/g)].map(([, name]) => name ?? '')
    expect(options.filter((name) => !Object.hasOwn(CHECK_OPTIONS, name))).toEqual([])
    expect(options).toEqual(expect.arrayContaining(['ci', 'dir', 'base', 'sarif']))
  })

  it('installs its own version outside the checkout, without install scripts', () => {
    // A fake npm that records how it was called.
    const bin = join(base, 'bin')
    mkdirSync(bin, { recursive: true })
    writeFileSync(join(bin, 'npm'), `#!/bin/sh\npwd > "${base}/npm-cwd"\nprintf '%s\\n' "$@" > "${base}/npm-args"\n`, {
      mode: 0o755,
    })
    const folder = join(base, 'temp', 'exitgate')
    const env = join(base, 'github-env')
    const ended = run(
      install,
      base,
      {},
      {
        PATH: `${bin}:${process.env.PATH}`,
        EXITGATE_ACTION: root,
        EXITGATE_FOLDER: folder,
        GITHUB_ENV: env,
      },
    )
    expect([ended.status, ended.stderr]).toEqual([0, ''])
    expect(readFileSync(join(base, 'npm-cwd'), 'utf8').trim()).toBe(folder)
    const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
    const args = readFileSync(join(base, 'npm-args'), 'utf8').trim().split('\n')
    expect(args).toContain('--ignore-scripts')
    expect(args.at(-1)).toBe(`exitgate@${version}`)
    expect(readFileSync(env, 'utf8')).toBe(`EXITGATE_PROGRAM=${folder}/node_modules/exitgate/dist/cli/cli.cjs\n`)
  })

  const env = (): Record<string, string> => ({
    EXITGATE_PROGRAM: cli,
    XDG_STATE_HOME: join(base, `state-${count++}`),
    GITHUB_ACTIONS: 'true',
    GITHUB_BASE_REF: 'main',
  })

  it('fails with the exit code of the verdict, and writes the report', () => {
    const dir = checkout()
    const ended = run(hold, dir, { test: 'sh test.sh', sarif: 'out.sarif' }, env())
    expect(normalized(ended.stderr)).toBe('')
    expect(ended.status).toBe(10)
    expect(ended.stdout).toMatch(/^::error title=exitgate%3A tests::/m)
    expect(existsSync(join(dir, 'out.sarif'))).toBe(true)
  })

  it('treats an input as data, whatever it contains', () => {
    const dir = checkout()
    const hostile = `x"; touch ${join(base, 'owned')}; echo "$(touch ${join(base, 'owned')})`
    const ended = run(hold, dir, { base: hostile }, env())
    expect(ended.status).toBe(64)
    expect(ended.stderr).toContain('is not a commit in this clone')
    expect(run(hold, dir, { base: '--ci' }, env()).stderr).toContain('--base --ci is not a commit in this clone')
    expect(existsSync(join(base, 'owned'))).toBe(false)
  })
})
