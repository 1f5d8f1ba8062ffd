import { appendFileSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { configure } from '../../src/config/project-config.ts'
import { copilot } from '../../src/hooks/copilot.ts'
import { completeTranscript } from '../../src/hooks/last-message.ts'
import { openJournal } from '../../src/journal/log.ts'
import { readEvents } from '../../src/journal/read.ts'
import { sessionsOf } from '../../src/journal/sessions.ts'
import { Runs } from '../../src/watch/runs.ts'
import { project } from '../cli/run-cli.ts'
import { CLAIM, type HookProject, hookProject, LIE, STOPS, TALK } from './hook-project.ts'

const hosts = Object.keys(STOPS)
/** The answer each CLI gets if exitgate has nothing to report. */
const SILENCE: Readonly<Record<string, string>> = { gemini: '{}\n', copilot: '{}\n', cursor: '{}\n' }

/** The end of a turn; Cursor sends the final text before it. */
async function stop(p: HookProject, host: string, message: string, more: object = {}, how = {}) {
  const said = {
    conversation_id: 's-1',
    generation_id: 'g-1',
    hook_event_name: 'afterAgentResponse',
    workspace_roots: [p.dir],
    text: message,
  }
  if (host === 'cursor') expect((await p.ask('cursor', said)).stdout).toBe('{}\n')
  return p.ask(host, STOPS[host]!(p.dir, message, more), how)
}

describe('without a goal', () => {
  it.each(hosts)('%s: a stop without a claim passes at once, and nothing is recorded', async (host) => {
    const p = hookProject()
    await p.run(['trust'])
    const answer = await stop(p, host, TALK)
    expect([answer.stdout, answer.stderr, answer.code]).toEqual([SILENCE[host] ?? '', '', 0])
    expect(p.events()).toEqual([])
  })

  it('a third false claim is rejected like the first', async () => {
    const p = hookProject()
    await p.run(['trust'])
    const answers = []
    for (let nth = 1; nth <= 4; nth++) answers.push(await stop(p, 'claude', LIE))
    expect(answers.map(({ refused }) => refused !== undefined)).toEqual([true, true, true, true])
  })

  it('settings the user approved are not tampering before they are committed', async () => {
    const p = hookProject()
    p.git('rm', '-q', '--cached', 'exitgate.config.json')
    p.git('commit', '-qm', 'without settings')
    await p.run(['trust'])
    p.fix()
    const truth = await stop(p, 'claude', LIE)
    expect([truth.refused, truth.told]).toEqual([undefined, expect.stringMatching(/^exitgate: Passed, not proven:/)])
  })

  it.each(hosts)('%s: a false claim is rejected in the format of the CLI, a true one passes', async (host) => {
    const p = hookProject()
    await p.run(['trust'])
    const lie = await stop(p, host, LIE)
    const reason = lie.refused ?? ''
    expect(reason).toMatch(/refusal 1 of \d+[\s\S]*Still missing:\n- tests: 1 of 2 tests fail[^\n]*subtracts/)
    const bytes: Record<string, object> = {
      claude: { hookSpecificOutput: { hookEventName: 'Stop', additionalContext: reason } },
      gemini: { decision: 'deny', reason },
      cursor: { followup_message: reason },
      kimi: { hookSpecificOutput: { permissionDecision: 'deny', permissionDecisionReason: reason } },
    }
    expect(JSON.parse(lie.stdout)).toEqual(bytes[host] ?? { decision: 'block', reason })
    expect([lie.code, lie.stderr]).toEqual([0, ''])

    p.fix()
    const truth = await stop(p, host, LIE)
    expect(truth.refused).toBeUndefined()
    expect(truth.told).toMatch(/^exitgate: Passed, not proven: [^\n]*2 of 2 tests pass/)
    expect(truth.code).toBe(0)
    expect(p.events().at(-1)).toMatchObject({ type: 'run.ended', outcome: 'completed', ending: 'passed' })
  })

  it('a true claim with a test that fails without the work is verified', async () => {
    const test = (...cases: string[]) =>
      `import assert from 'node:assert'\nimport { test } from 'node:test'\nimport { sum } from './sum.mjs'\n${cases.join('\n')}\n`
    const adds = "test('adds nothing', () => assert.equal(sum(2, 0), 2))"
    const p = hookProject({
      'exitgate.config.json': '{"commands": {"test": "node --test"}}',
      'sum.mjs': 'export const sum = (a, b) => a - b\n',
      'sum.test.mjs': test(adds),
    })
    await p.run(['trust'])
    p.write('sum.mjs', 'export const sum = (a, b) => a + b\n')
    p.write('sum.test.mjs', test(adds, "test('adds', () => assert.equal(sum(2, 2), 4))"))
    const answer = await stop(p, 'claude', LIE)
    expect([answer.refused, answer.told]).toEqual([undefined, expect.stringMatching(/^exitgate: Verified:/)])
    expect(p.events().at(-1)).toMatchObject({ type: 'run.ended', outcome: 'completed', ending: 'verified' })
  })

  it.each(hosts)('%s: a folder that is not approved is named once, and nothing runs', async (host) => {
    const p = hookProject({ 'check.sh': 'touch ran' })
    const first = await stop(p, host, LIE)
    expect(first.refused).toBeUndefined()
    expect(first.told).toContain(`exitgate trust --dir ${JSON.stringify(p.dir)}`)
    const second = await stop(p, host, LIE)
    expect([second.stdout, second.stderr]).toEqual([SILENCE[host] ?? '', ''])
    expect(() => rmSync(join(p.dir, 'ran'))).toThrow()
  })

  const messages: [string, string, boolean][] = [
    ['Done.', 'words', true],
    ['All tests pass.', 'words', true],
    ['The test suite is green again.', 'words', true],
    ["I've fixed the bug in the parser.", 'words', true],
    ['The migration is now complete.', 'words', true],
    ['Everything works as expected.', 'words', true],
    ['42 tests passed.', 'words', true],
    ['The change is ready to merge.', 'words', true],
    [CLAIM, 'a block', true],
    ['The tests do not pass yet.', 'a negation', false],
    ['Not all tasks are completed.', 'a negation', false],
    ['Should I run the tests until they pass?', 'a question', false],
    ['Once the tests pass, we can merge.', 'a condition', false],
    ['> All tests pass.', 'a quotation', false],
    ['`all tests pass` is what it prints.', 'code', false],
    ['All tests pass.\n\nEXIT_STATUS: CONTINUE\nREMAINING_WORK: docs\n', 'an explicit no', false],
    ['Here is how the importer works.', 'an explanation', false],
    ['', 'nothing', false],
  ]
  it.each(messages)('%j (%s) is checked: %s', async (message, _kind, looked) => {
    const p = hookProject()
    await p.run(['trust'])
    expect((await stop(p, 'claude', message)).refused !== undefined).toBe(looked)
  })

  it('a claim that no check can verify passes, and the answer says so', async () => {
    const p = hookProject({ 'exitgate.config.json': '{}' })
    await p.run(['trust'])
    const answer = await stop(p, 'claude', LIE)
    expect(answer.refused).toBeUndefined()
    expect(answer.told).toContain('no check here can verify the claim')
    expect(p.events().at(-1)).toMatchObject({ type: 'run.ended', ending: 'unverifiable' })
  })

  it('a plan in the configuration is not required for a single claim', async () => {
    const config = '{"commands": {"test": "sh check.sh"}, "plan": "PLAN.md"}'
    const p = hookProject({ 'exitgate.config.json': config, 'PLAN.md': '- [ ] later\n' })
    await p.run(['trust'])
    p.fix()
    expect((await stop(p, 'claude', LIE)).told).toMatch(/^exitgate: Passed, not proven:/)
  })

  it('an unfinished run of another session is left alone', async () => {
    const p = hookProject()
    await p.run(['trust'])
    p.write('said.txt', TALK)
    await p.run(['check', '--transcript', 'said.txt', '--test', 'sh check.sh'])
    const { run } = (await p.run(['state', '--json'])).json
    expect((await stop(p, 'claude', LIE)).refused).toContain('subtracts')
    expect((await p.run(['state', '--json'])).json).toMatchObject({ run, iterations: 1 })
    // The stop is decided in the journal of its session.
    const types = p.events().map(({ type }) => type)
    expect(types).toEqual(['run.started', 'iteration.decided', 'run.started', 'iteration.decided'])
  })

  it('sessions during a loop: each has its own iterations, and every command shows both', async () => {
    const p = hookProject()
    await p.run(['trust'])
    // A loop locks the journal of the workspace as long as it runs.
    const loop = openJournal(p.stateDir, { command: 'run' })
    const config = configure({ commands: { test: 'sh check.sh' } })
    loop.append([{ type: 'run.started', run: 'of-the-loop', config }], 1)
    for (const again of [false, true])
      for (const session_id of ['a', 'b', 'c'])
        expect((await stop(p, 'claude', LIE, { session_id, stop_hook_active: again })).refused).toContain('subtracts')
    loop.close()
    const [ofLoop, ...sessions] = [p.stateDir, ...sessionsOf(p.stateDir).map(({ dir }) => dir)].map((dir) =>
      [...readEvents(dir)].flatMap((event) => (event.type === 'iteration.decided' ? [event.iteration] : [])),
    )
    expect(ofLoop).toEqual([])
    expect(sessions).toEqual([
      [1, 2],
      [1, 2],
      [1, 2],
    ])
    const { run, sessions: shown } = (await p.run(['state', '--json'])).json as Record<string, readonly object[]>
    expect([run, shown?.length]).toEqual(['of-the-loop', 3])
    expect(
      (await p.run(['state'])).stdout.match(/^session claude-[0-9a-f]{12}: 2 stops checked, active:/gm),
    ).toHaveLength(3)
    const told = (await p.run(['history'])).stdout
    expect(told).toContain('of-the-loop')
    expect(told.match(/-1-claude-/g)).toHaveLength(3)
    const explained = (await p.run(['explain', '--json'])).json as { readonly run: string }
    expect(explained.run).toMatch(/-1-claude-[0-9a-f]{12}$/)
    expect((await p.run(['explain', '1', '--run', explained.run])).stdout).toContain('iteration 1')
    const runs = new Runs({ dir: p.stateDir, all: false })
    runs.look()
    expect(runs.rows()).toHaveLength(4)
  })
})

describe('an event that is not the end of work passes, with or without a goal', () => {
  const rows: [string, string, object][] = [
    ['claude', 'plan mode', { permission_mode: 'plan' }],
    ['claude', 'an error of the provider', { hook_event_name: 'StopFailure', error: 'server_error' }],
    ['claude', 'another event', { hook_event_name: 'PreToolUse' }],
    ['claude', 'the payload of Cursor', { cursor_version: '3.9' }],
    ['codex', 'plan mode', { permission_mode: 'plan' }],
    ['codex', 'another event', { hook_event_name: 'SessionStart' }],
    ['gemini', 'another event', { hook_event_name: 'BeforeAgent' }],
    ['copilot', 'a turn that was cut', { stopReason: 'max_tokens' }],
    ['cursor', 'a person interrupted', { status: 'aborted' }],
    ['cursor', 'an error', { status: 'error' }],
    ['pi', 'an error', { stopReason: 'error' }],
    ['pi', 'a person interrupted', { stopReason: 'aborted' }],
    ['opencode', 'another event', { event: 'created' }],
  ]
  it.each(rows)('%s: %s', async (host, _what, more) => {
    const p = hookProject()
    await p.run(['goal', 'start', 'subtraction works'])
    const answer = await stop(p, host, LIE, more)
    expect([answer.stdout, answer.stderr, answer.code]).toEqual([SILENCE[host] ?? '', '', 0])
  })

  it('inside a run of exitgate the loop decides', async () => {
    const p = hookProject()
    await p.run(['goal', 'start', 'subtraction works'])
    expect((await stop(p, 'claude', LIE, {}, { env: { EXITGATE_RUN: 'r' } })).stdout).toBe('')
  })

  const pending: [string, object, string, RegExp | undefined, boolean][] = [
    [
      'a task in the background',
      { background_tasks: [{ id: '1', status: 'running', command: 'npm run e2e' }] },
      TALK,
      /Still running: npm run e2e/,
      false,
    ],
    [
      'a scheduled prompt',
      { session_crons: [{ id: '1', schedule: '* * * * *' }] },
      TALK,
      /Still running: a scheduled prompt/,
      false,
    ],
    [
      'a task that is over',
      { background_tasks: [{ id: '1', status: 'completed', command: 'npm run e2e' }] },
      TALK,
      undefined,
      true,
    ],
    [
      'a claim beside a server that runs for ever',
      { background_tasks: [{ id: '1', status: 'running', command: 'npm run dev' }] },
      CLAIM,
      undefined,
      true,
    ],
  ]
  it.each(pending)('claude: %s', async (_what, more, message, told, refused) => {
    const p = hookProject()
    await p.run(['goal', 'start', 'subtraction works'])
    const answer = await stop(p, 'claude', message, more)
    expect(answer.refused !== undefined).toBe(refused)
    if (told !== undefined) expect(answer.told).toMatch(told)
  })
})

describe('part of the work', () => {
  const task = (p: HookProject) => ({
    session_id: 's-1',
    prompt_id: 'p-1',
    cwd: p.dir,
    hook_event_name: 'TaskCompleted',
    task_id: '7',
    task_subject: 'Subtract',
  })

  it('TaskCompleted is rejected with exit code and standard error, at most twice, and passes if nothing is broken', async () => {
    const p = hookProject()
    await p.run(['goal', 'start', 'subtraction works'])
    for (const nth of [1, 2]) {
      const answer = await p.ask('claude', task(p))
      expect([answer.code, answer.stdout]).toEqual([2, ''])
      expect(answer.stderr).toMatch(new RegExp(`refusal ${nth} of 2[\\s\\S]*subtracts`))
    }
    expect((await p.ask('claude', task(p))).code).toBe(0)
    p.fix()
    expect(await p.ask('claude', { ...task(p), task_id: '8' })).toMatchObject({ code: 0, stdout: '', stderr: '' })
    expect(p.events().filter(({ type }) => type === 'iteration.decided')).toEqual([])
  })

  it('TaskCompleted passes at once without a goal', async () => {
    const p = hookProject()
    await p.run(['trust'])
    expect(await p.ask('claude', task(p))).toMatchObject({ code: 0, stdout: '', stderr: '' })
  })

  const helpers: [string, string, boolean, boolean][] = [
    ['a report without a claim', TALK, true, false],
    ['a false claim', LIE, true, true],
    ['a false claim in words, without a goal', LIE, false, false],
    ['an explicit claim, without a goal', CLAIM, false, true],
  ]
  it.each(helpers)('SubagentStop: %s', async (_what, message, goal, refused) => {
    const p = hookProject()
    await p.run(goal ? ['goal', 'start', 'subtraction works'] : ['trust'])
    const more = { hook_event_name: 'SubagentStop', agent_id: 'a1', agent_type: 'general-purpose' }
    expect((await stop(p, 'claude', message, more)).refused !== undefined).toBe(refused)
  })
})

/** Copilot CLI writes the call of the hook after the final message, with the time of its payload. */
const COPILOT_CALL = { type: 'hook.start', data: { hookType: 'agentStop', input: { sessionId: 's-1', timestamp: 1 } } }

describe('the final message', () => {
  const entries: [string, object[]][] = [
    [
      'claude',
      [
        { type: 'user', message: { role: 'user', content: 'go' } },
        { type: 'assistant', message: { role: 'assistant', content: [{ type: 'text', text: LIE }] } },
      ],
    ],
    [
      'copilot',
      [
        { type: 'user.message', data: { content: 'go' } },
        { type: 'assistant.message', data: { content: LIE } },
        { type: 'session.idle', data: {} },
        COPILOT_CALL,
      ],
    ],
    [
      'codex',
      [
        {
          type: 'response_item',
          payload: { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: LIE }] },
        },
      ],
    ],
    ['cursor', [{ role: 'assistant', message: { content: [{ type: 'text', text: LIE }] } }]],
  ]
  it.each(entries)('%s: is read from the transcript if the stop does not include it', async (host, lines) => {
    const p = hookProject()
    await p.run(['trust'])
    const path = p.write('../talk.jsonl', `{"broken\n${lines.map((line) => JSON.stringify(line)).join('\n')}\n`)
    const payload = {
      ...STOPS[host]!(p.dir, ''),
      last_assistant_message: null,
      transcript_path: path,
      transcriptPath: path,
    }
    expect((await p.ask(host, payload)).refused).toContain('subtracts')
  })

  it('copilot: is awaited if the transcript is written later', async () => {
    const path = join(project().root, 'talk.jsonl')
    writeFileSync(path, `${JSON.stringify({ type: 'assistant.message', data: { content: LIE } })}\n`)
    const { isComplete } = copilot.read({ ...STOPS.copilot!('/work', '') }, {})!
    let looks = 0
    await completeTranscript(path, (lines) => {
      if (++looks === 2) appendFileSync(path, `${JSON.stringify(COPILOT_CALL)}\n`)
      return isComplete!(lines)
    })
    expect(looks).toBe(3)
  })

  it('is not read from the transcript if the stop includes it: the transcript is written later', async () => {
    const p = hookProject()
    await p.run(['trust'])
    const path = p.write('../talk.jsonl', `${JSON.stringify({ type: 'assistant', message: { content: LIE } })}\n`)
    expect((await stop(p, 'claude', TALK, { transcript_path: path })).refused).toBeUndefined()
  })

  it('text of a tool or the user after it does not count, nor earlier text of the agent', async () => {
    const p = hookProject()
    await p.run(['trust'])
    const said = [
      { type: 'assistant', message: { role: 'assistant', content: LIE } },
      { type: 'user', message: { role: 'user', content: 'and now?' } },
      { type: 'assistant', message: { role: 'assistant', content: TALK } },
    ]
    const path = p.write('../talk.jsonl', said.map((line) => JSON.stringify(line)).join('\n'))
    const payload = { ...STOPS.claude!(p.dir, ''), transcript_path: path, last_assistant_message: undefined }
    expect((await p.ask('claude', payload)).refused).toBeUndefined()
  })

  it.each([
    ['a folder', (path: string) => mkdirSync(path)],
    ['binary', (path: string) => writeFileSync(path, Buffer.from([0, 255, 10, 123]))],
  ] as const)('a transcript that is %s has no message', async (_what, make) => {
    const p = hookProject()
    await p.run(['trust'])
    const path = join(p.root, 'odd')
    make(path)
    const payload = { ...STOPS.claude!(p.dir, ''), transcript_path: path, last_assistant_message: undefined }
    expect(await p.ask('claude', payload)).toMatchObject({ code: 0, stdout: '', stderr: '' })
  })
})
