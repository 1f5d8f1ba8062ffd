import { execFileSync } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { generateText, stepCountIs } from 'ai'
import { MockLanguageModelV4 } from 'ai/test'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createGate, defineCheck, type GateOptions } from '../../src/index.ts'
import { exitSignal, gateStops } from '../../src/library/ai-sdk.ts'
import { patience } from '../timing.ts'

let home: string
let dir: string
beforeEach(() => {
  home = realpathSync(mkdtempSync(join(tmpdir(), 'exitgate-gate-test-')))
  dir = join(home, 'project')
  vi.stubEnv('XDG_STATE_HOME', join(home, 'state'))
  execFileSync('git', ['init', '-q', dir])
  writeFileSync(join(dir, 'check.sh'), 'test -f done.txt && echo "1 passing" || { echo "1 failing"; exit 1; }\n')
  const git = ['-c', 'user.name=a', '-c', 'user.email=a@b.c', '-C', dir]
  execFileSync('git', [...git, 'add', '.'])
  execFileSync('git', [...git, 'commit', '-qm', 'start'])
})
afterEach(() => {
  vi.unstubAllEnvs()
  rmSync(home, { recursive: true, force: true })
})

const output = 'EXIT_STATUS: COMPLETE\nREMAINING_WORK: none\n'
const options = (more: GateOptions = {}): GateOptions => ({
  dir,
  commands: { test: 'sh check.sh' },
  breaker: { enabled: false },
  ...more,
})
const style = { checks: [defineCheck({ name: 'style', run: () => true })] }

/** A program with its own modules: it begins, the agent claims to be done, and the program ends. */
async function program(more: GateOptions = {}): Promise<string> {
  vi.resetModules()
  const gate = (await import('../../src/index.ts')).createGate(options(more))
  await gate.begin()
  const { action, rule } = await gate.check({ output })
  const { iterations } = await gate.state()
  await gate.close()
  return `${action} ${rule} ${iterations}`
}

describe('state', { timeout: patience(60_000) }, () => {
  it('in memory gives the same answer to every program, and leaves no files', async () => {
    for (let n = 0; n < 5; n++) expect(await program()).toBe('continue warn 1')
    expect(existsSync(join(home, 'state'))).toBe(false)
    expect(existsSync(join(dir, '.exitgate'))).toBe(false)
  })

  it('in a folder is continued by the next program, unless it starts fresh', async () => {
    const state = 'folder'
    expect(await program({ state })).toBe('continue warn 1')
    expect(await program({ state })).toBe('continue warn 2')
    expect(await program({ state, fresh: true })).toBe('continue warn 1')
    expect(existsSync(join(home, 'state'))).toBe(true)
    expect(existsSync(join(dir, '.exitgate/STATUS.md'))).toBe(true)
  })

  it('that starts fresh has a closed breaker, whatever the run before did', async () => {
    const state = 'folder'
    const breaker = { enabled: true, noProgress: 2 }
    await program({ state, breaker })
    expect(await program({ state, breaker })).toBe('stop breaker-open 2')
    expect(await program({ state, breaker, fresh: true })).toBe('continue warn 1')
  })

  it('is kept in a folder if you name one', async () => {
    const stateDir = join(home, 'named')
    expect(await program({ stateDir })).toBe('continue warn 1')
    expect(await program({ stateDir })).toBe('continue warn 2')
  })

  it('carries counters from check to check, also of calls at the same time', async () => {
    const gate = createGate(options())
    await gate.begin()
    const verdicts = await Promise.all([1, 2, 3].map(() => gate.check({ output })))
    expect(verdicts.map(({ rule }) => rule)).toEqual(['warn', 'warn', 'hollow-claims'])
  })

  it('verifies work that came after begin, not that of an earlier program', async () => {
    writeFileSync(join(dir, 'done.txt'), 'x')
    expect(await program()).toBe('continue warn 1')
  })

  it('of another kind is refused', () => {
    expect(() => createGate(options({ state: 'disk' as 'folder' }))).toThrow('state is "disk". It must be "memory" or')
  })
})

describe('a program with other code', { timeout: patience(60_000) }, () => {
  const rows: [string, GateOptions][] = [
    ['no checks of its own', {}],
    ['a check that does something else', { checks: [defineCheck({ name: 'style', run: () => false })] }],
    ['another check', { checks: [defineCheck({ name: 'spelling', run: () => true })] }],
  ]
  it.each(rows)('with %s gets an error that names the difference and the remedy', async (_, second) => {
    expect(await program({ state: 'folder', ...style })).toBe('continue warn 1')
    const refused = await program({ state: 'folder', ...second }).catch((error: unknown) => error)
    expect(refused).toMatchObject({ name: 'OwnPartsError', exitCode: 64 })
    expect(String(refused)).toMatch(/configuration code \(check "style"\) .*`fresh: true`/)
    expect(await program({ state: 'folder', fresh: true, ...second })).toBe('continue warn 1')
    expect(await program({ state: 'folder', ...second })).toBe('continue warn 2')
  })

  it('can use a gate in memory', async () => {
    expect(await program({ state: 'folder', ...style })).toBe('continue warn 1')
    expect(await program()).toBe('continue warn 1')
  })
})

const inputTokens = { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 }

describe('the AI SDK', { timeout: patience(60_000) }, () => {
  async function generated(gate: ReturnType<typeof createGate>) {
    const model = new MockLanguageModelV4({
      doGenerate: async () => ({
        content: [{ type: 'tool-call', toolCallId: 'c1', toolName: 'exit_signal', input: '{"status":"complete"}' }],
        finishReason: { unified: 'tool-calls', raw: undefined },
        usage: { inputTokens, outputTokens: { total: 1, text: 1, reasoning: 0 } },
        warnings: [],
      }),
    })
    const tools = { exit_signal: exitSignal(gate) }
    return generateText({ model, prompt: 'Work.', tools, stopWhen: [gateStops(gate), stepCountIs(20)] })
  }

  it('ends at the error of a gate that can not check', async () => {
    const gate = createGate(options({ state: 'folder' }))
    await gate.begin()
    rmSync(join(home, 'state'), { recursive: true })
    writeFileSync(join(home, 'state'), 'a file')
    await expect(generated(gate)).rejects.toMatchObject({ name: 'JournalError' })
  })

  it('needs a baseline, so that it does not verify the work of an earlier program', async () => {
    writeFileSync(join(dir, 'done.txt'), 'x')
    await expect(generated(createGate(options()))).rejects.toThrow(/no baseline.*gate\.begin\(\)/)
    const gate = createGate(options({ hollowClaims: 2 }))
    await gate.begin()
    expect((await generated(gate)).steps.length).toBe(2)
    expect(gate.last?.rule).toBe('hollow-claims')
  })
})

describe('temporary files', () => {
  it('are gone, except for the folder that the exit of the process removes', async () => {
    vi.stubEnv('TMPDIR', mkdtempSync(join(home, 'tmp-')))
    await program()
    const left = readdirSync(process.env.TMPDIR ?? '').filter((name) => !name.startsWith('exitgate-scratch-'))
    expect(left).toEqual([])
  })
})
