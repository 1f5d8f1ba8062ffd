import { execFileSync } from 'node:child_process'
import {
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createGate, defineAgent, defineCheck, type LoopEvent, run } from '../../src/index.ts'
import { isGone } from '../is-gone.ts'

let dir: string
let stateDir: string
beforeEach(() => {
  const home = realpathSync(mkdtempSync(join(tmpdir(), 'exitgate-run-')))
  dir = join(home, 'project')
  stateDir = join(home, 'state')
  execFileSync('git', ['init', '-q', dir])
  writeFileSync(join(dir, 'check.sh'), 'test -f done.txt && echo "1 passing" || { echo "1 failing"; exit 1; }\n')
  const git = ['-c', 'user.name=a', '-c', 'user.email=a@b.c', '-C', dir]
  execFileSync('git', [...git, 'add', '.'])
  execFileSync('git', [...git, 'commit', '-qm', 'start'])
})
afterEach(() => rmSync(join(dir, '..'), { recursive: true, force: true }))

const commands = { test: 'sh check.sh' }
const works = ['sh', '-c', 'echo x > done.txt; printf "EXIT_STATUS: COMPLETE\\nREMAINING_WORK: none\\n"']
/** Prints its pid, then works until it is ended. */
const endless = ['sh', '-c', 'echo $$ > pid.txt; while :; do sleep 1; done']
const pidOf = () => Number(readFileSync(join(dir, 'pid.txt'), 'utf8'))
const untilStarted = async () => {
  while (!existsSync(join(dir, 'pid.txt'))) await new Promise((resolve) => setTimeout(resolve, 20))
}

describe('run', () => {
  it('yields its events in order and its end as the result', async () => {
    const running = run({ dir, stateDir, commands, command: works, prompt: 'Work.' })
    const types: LoopEvent['type'][] = []
    for await (const event of running) types.push(event.type)
    expect(await running.result).toMatchObject({ outcome: 'completed', ending: 'verified', iterations: 1 })
    const told = types.filter((type) => ['started', 'iteration', 'agent-ended', 'decided', 'ended'].includes(type))
    expect(told).toEqual(['started', 'iteration', 'agent-ended', 'decided', 'ended'])
  })

  it('starts no agent if you leave at its first event', async () => {
    const running = run({ dir, stateDir, commands, command: endless, prompt: 'Work.' })
    for await (const event of running) if (event.type === 'started') break
    expect(await running.result).toMatchObject({ outcome: 'interrupted' })
  })

  it('leaves the agents of other runs in this process alone', async () => {
    const other = join(dir, '..', 'other')
    cpSync(dir, other, { recursive: true })
    const command = ['sh', '-c', `touch begun; until [ -e go ]; do sleep 0.02; done; rm go begun; ${works[2]}`]
    const first = run({ dir: other, stateDir: `${stateDir}-other`, commands, command, prompt: 'Work.' })
    await expect.poll(() => existsSync(join(other, 'begun'))).toBe(true)
    const stop = new AbortController()
    const running = run({ dir, stateDir, commands, command: endless, prompt: 'Work.', signal: stop.signal })
    await untilStarted()
    await expect.poll(pidOf).toBeGreaterThan(0)
    const agent = pidOf()
    writeFileSync(join(other, 'go'), '')
    await first.result
    // A run that starts in a folder ends what an earlier run left there.
    await run({ dir: other, stateDir: `${stateDir}-other`, commands, command: works, prompt: 'Go on.' }).result
    const lives = !isGone(agent)
    stop.abort()
    await running.result
    expect(lives).toBe(true)
  })

  it('yields what the agent and the checks do while they do it', async () => {
    writeFileSync(join(dir, 'PLAN.md'), '- [ ] write done.txt\n')
    const speaks = [
      'sh',
      '-c',
      `printf '%s\\n' '${JSON.stringify({ type: 'system', subtype: 'init', tools: ['x'.repeat(1024)] })}' '${JSON.stringify(
        {
          type: 'assistant',
          message: {
            id: 'm1',
            usage: { input_tokens: 20, output_tokens: 5 },
            content: [
              { type: 'text', text: 'I look.' },
              { type: 'tool_use', name: 'Bash', input: { command: 'ls' } },
            ],
          },
        },
      )}'; echo x > done.txt; sed -i.old 's/ ]/x]/' PLAN.md; rm PLAN.md.old; printf '%s\\n' '${JSON.stringify({ type: 'result', subtype: 'success', total_cost_usd: 0.02, result: 'EXIT_STATUS: COMPLETE\nREMAINING_WORK: none' })}'`,
    ]
    const events: LoopEvent[] = []
    const own = defineAgent({ name: 'speaks', format: 'claude', command: () => ({ argv: speaks }) })
    for await (const event of run({ dir, stateDir, commands, plan: 'PLAN.md', agent: own, prompt: 'Work.' }))
      events.push(event)
    const of = <Type extends LoopEvent['type']>(type: Type) =>
      events.filter((event): event is Extract<LoopEvent, { type: Type }> => event.type === type)
    expect(of('plan').map(({ items }) => items)).toEqual([
      [{ title: 'write done.txt', state: 'current' }],
      [{ title: 'write done.txt', state: 'done' }],
    ])
    expect(
      of('output')
        .map(({ text, tool }) => ({ text, tool }))
        .slice(0, 2),
    ).toEqual([
      { text: 'I look.\n', tool: undefined },
      { text: '> Bash ls\n', tool: { name: 'Bash', about: 'ls' } },
    ])
    expect(of('usage').at(-1)).toMatchObject({ tokens: 25, usd: 0.02 })
    const tests = of('command').filter(({ check }) => check === 'tests')
    expect(tests.map(({ command, run, why }) => ({ command, run, why }))).toContainEqual({
      command: 'sh check.sh',
      run: 1,
      why: 'all tests, in a clean copy',
    })
    const last = of('command-output').findLast(({ id }) => id === tests.at(-1)?.id)
    expect(last).toMatchObject({ text: '1 passing\n' })
    expect(of('command-ended')).toContainEqual(expect.objectContaining({ id: tests.at(-1)?.id, code: 0 }))
    const [diff] = of('diff')
    expect(diff?.files).toEqual([
      { path: 'PLAN.md', added: 1, removed: 1 },
      { path: 'done.txt', added: 1, removed: 0 },
    ])
    const [project = ''] = readdirSync(stateDir)
    expect(readFileSync(join(stateDir, project, diff?.file ?? ''), 'utf8')).toContain(
      '-- [ ] write done.txt\n+- [x] write',
    )
  })

  it('returns the end from the iterator, and works without a reader', async () => {
    const running = run({ dir, stateDir, commands, command: works, prompt: 'Work.' })
    const end = await running.result
    const iterator = running[Symbol.asyncIterator]()
    let step = await iterator.next()
    while (step.done !== true) step = await iterator.next()
    expect(step.value).toEqual(end)
  })

  it('ends the agent and records it when the caller leaves the loop', async () => {
    for await (const event of run({ dir, stateDir, commands, command: endless, prompt: 'Work.' })) {
      if (event.type !== 'iteration') continue
      await untilStarted()
      break
    }
    expect(isGone(pidOf())).toBe(true)
    const state = await createGate({ dir, stateDir }).state()
    expect(state.ended).toMatchObject({ outcome: 'interrupted' })
  })

  it('ends the agent and records it when the signal is aborted', async () => {
    const abort = new AbortController()
    const running = run({ dir, stateDir, commands, command: endless, prompt: 'Work.', signal: abort.signal })
    await untilStarted()
    abort.abort()
    expect(await running.result).toMatchObject({ outcome: 'interrupted' })
    expect(isGone(pidOf())).toBe(true)
  })

  it('runs your own agent and your own check', async () => {
    const agent = defineAgent({ name: 'mine', format: 'text', command: ({ args }) => ({ argv: [...works, ...args] }) })
    const seen: string[] = []
    const style = defineCheck({
      name: 'style',
      async run({ read, run: exec }) {
        seen.push(read('done.txt') ?? 'nothing', (await exec('echo hello')).output)
        return { answer: 'yes', detail: 'It looks fine.' }
      },
    })
    const options = { dir, stateDir, commands, checks: [style], required: ['tests', 'style'] }
    const end = await run({ ...options, agent, prompt: 'Work.' }).result
    expect(end).toMatchObject({ outcome: 'completed', ending: 'verified' })
    expect(seen.slice(-2)).toEqual(['x\n', 'hello\n'])
  })

  it('rejects both the iterator and the result if an option is wrong', async () => {
    const running = run({ dir, stateDir, agent: 'cluade', prompt: 'Work.' })
    await expect(running.result).rejects.toThrow(/Did you mean "claude"\?/)
    await expect(running[Symbol.asyncIterator]().next()).rejects.toThrow(/Did you mean "claude"\?/)
  })

  it.each([undefined, '', ' '])('rejects the prompt %j', async (prompt) => {
    const running = run({ dir, stateDir, agent: 'claude', prompt: prompt as string })
    await expect(running.result).rejects.toThrow(/^prompt must be a non-empty string, not /)
  })
})

describe('check', () => {
  it('compares with the baseline, keeps counting, and stops when claim and proof agree', async () => {
    const gate = createGate({ dir, stateDir, commands })
    await gate.begin()
    const output = 'EXIT_STATUS: COMPLETE\nREMAINING_WORK: none\n'
    expect(await gate.check({ output })).toMatchObject({ action: 'continue', gate: { claim: 'yes', proof: 'no' } })
    writeFileSync(join(dir, 'done.txt'), 'x\n')
    expect(await gate.check({ output })).toMatchObject({ action: 'stop', outcome: 'completed', ending: 'verified' })
    expect((await gate.state()).iterations).toBe(2)
  })
})
