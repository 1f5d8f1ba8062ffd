import { execFileSync } from 'node:child_process'
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { root } from '../source-tree.ts'
import { patience } from '../timing.ts'
import { program } from './program.ts'
import { CLAIM, runProject, WORK } from './run-project.ts'

const LONG = { timeout: patience(90_000) }
/** The loop that docs/migration.md shows. */
const LOOP = /```sh run\n(while exitgate next [\s\S]*?\ndone)\n/.exec(
  readFileSync(join(root, 'docs/migration.md'), 'utf8'),
)?.[1]

const SHELLS = ['sh', 'dash', 'bash', 'busybox sh', 'zsh'].filter((shell) => {
  try {
    return execFileSync('/bin/sh', ['-c', `${shell} -c 'echo yes'`], { encoding: 'utf8', stdio: 'pipe' }) === 'yes\n'
  } catch {
    return false
  }
})

/** Runs the documented loop with this agent, and what the shell has in $code after it. */
async function loop(shell: string, agent: string, files: Readonly<Record<string, string>> = {}) {
  const made = runProject({ 'PLAN.md': '- [ ] both halves\n', ...files })
  const bin = join(made.root, 'bin')
  mkdirSync(bin)
  const script = (name: string, text: string) => {
    writeFileSync(join(bin, name), `#!/bin/sh\n${text}\n`)
    chmodSync(join(bin, name), 0o755)
  }
  script('exitgate', `exec '${process.execPath}' '${await program()}' "$@"`)
  script('my-agent', agent)
  const text = `set -eu\n${LOOP}\necho "code $code"`
  const env = { ...made.env, PATH: `${bin}:${made.env.PATH}` }
  const out = execFileSync('/bin/sh', ['-c', `${shell} -c "$1"`, 'sh', text], {
    cwd: made.dir,
    env,
    encoding: 'utf8',
    stdio: 'pipe',
  })
  return { out, prompts: made.text('.exitgate/prompt.md') }
}

const TICKS = "sed 's/\\[ \\]/[x]/' PLAN.md > PLAN.new; mv PLAN.new PLAN.md\n"

describe('the documented loop of next', LONG, () => {
  it.each(SHELLS)('in %s: feedback reaches the agent, and the code says it is verified', async (shell) => {
    // The second prompt has what is missing; until then, this agent only claims.
    const { out } = await loop(shell, `grep -q 'Not done yet' && { ${WORK}${TICKS}}\n${CLAIM}`)
    expect(out).toMatch(/\ncode 10\n$/)
  })

  it.each<[name: string, code: number, agent: string, files?: Readonly<Record<string, string>>]>([
    ['stuck', 1, 'echo Still at it.'],
    ['a limit', 2, 'date +%N >> noise', { 'exitgate.config.json': '{"limits":{"iterations":1}}' }],
    ['a configuration that becomes wrong', 64, 'echo "{" > exitgate.config.json'],
  ])('the code after %s is %i', async (_name, code, agent, files) => {
    expect((await loop('sh', agent, files)).out).toMatch(new RegExp(`(?:^|\\n)code ${code}\n$`))
  })
})
