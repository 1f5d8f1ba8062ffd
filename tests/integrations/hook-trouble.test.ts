import { chmodSync, existsSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { completionProtocol } from '../../src/core/presets/completion-protocol.ts'
import { HOOK_CLIENTS } from '../../src/hooks/index.ts'
import { refusalText } from '../../src/hooks/messages.ts'
import { readMessage } from '../../src/hooks/read-message.ts'
import { isGone } from '../is-gone.ts'
import { patience } from '../timing.ts'
import { CLAIM, CONFIG, type HookProject, hookProject, LIE, STOPS, TALK } from './hook-project.ts'

const hosts = Object.keys(STOPS)

describe('approval', () => {
  const changes: [string, Record<string, string>][] = [
    [
      'another command in the configuration',
      { 'exitgate.config.json': '{"commands": {"test": "sh check.sh || true"}}' },
    ],
    ['another setting', { 'exitgate.config.json': '{"commands": {"test": "sh check.sh"}, "required": []}' }],
    ['a configuration that cannot be read', { 'exitgate.config.json': '{' }],
    ['a second configuration', { 'exitgate.config.yaml': 'required: []\n' }],
  ]
  it.each(changes)('%s is rejected once, and then reported every time', async (_what, files) => {
    const p = hookProject()
    await p.run(['trust'])
    for (const [name, text] of Object.entries(files)) p.write(name, text)
    const ask = (prompt: string) => p.ask('claude', STOPS.claude!(p.dir, LIE, { prompt_id: prompt }))
    const first = await ask('p-1')
    expect(first.refused).toMatch(/changed since they were approved[\s\S]*exitgate trust --dir/)
    for (const prompt of ['p-1', 'p-2', 'p-3']) {
      const next = await ask(prompt)
      expect(next.refused).toBeUndefined()
      expect(next.told).toMatch(/not verified: the commands that exitgate runs here changed/)
    }
  })

  it('a script that the command runs is part of it', async () => {
    const p = hookProject({ 'exitgate.config.json': '{}', 'package.json': '{"scripts": {"test": "sh check.sh"}}' })
    expect((await p.run(['trust'])).stdout).toContain('test: npm test = sh check.sh')
    p.write('package.json', '{"scripts": {"test": "sh check.sh || true"}}')
    expect((await p.run(['trust', '--show'])).stdout).toContain('These commands changed since you approved them.')
    expect((await p.ask('claude', STOPS.claude!(p.dir, LIE))).refused).toMatch(
      /now: test: npm test = sh check\.sh \|\| true/,
    )
  })

  it('files that do not decide what runs may change', async () => {
    const p = hookProject()
    await p.run(['trust'])
    p.write('exitgate.config.json', `\n${CONFIG}\n`)
    p.write('src/a.js', '1')
    expect((await p.run(['trust', '--show', '--json'])).json).toMatchObject({ trust: 'approved' })
  })

  it('can be withdrawn', async () => {
    const p = hookProject()
    expect((await p.run(['trust', '--show'])).stdout).toContain('Not approved yet.')
    await p.run(['trust'])
    await p.run(['trust', '--withdraw'])
    expect((await p.ask('claude', STOPS.claude!(p.dir, LIE))).told).toContain(
      "not verified, because you haven't approved the commands here yet",
    )
  })
})

describe('evidence that takes longer than the timeout of the CLI', () => {
  const pidIn = (file: string): number => (existsSync(file) ? Number(readFileSync(file, 'utf8')) : 0)

  /**
   * The answer to a stop with a command that takes longer, and the process of that command. If the time was too short to start it,
   * a new project gets twice as long. From 75 s on, exitgate keeps 15 s of the timeout for itself. The age of the process counts too,
   * so this one pretends to be 60 s old.
   */
  async function askInShortTime(message: string, prepare: (p: HookProject) => Promise<unknown>) {
    vi.spyOn(process, 'uptime').mockReturnValue(60)
    onTestFinished(() => void vi.restoreAllMocks())
    for (let seconds = 3; ; seconds *= 2) {
      const p = hookProject()
      await prepare(p)
      const pidFile = join(p.root, 'pid')
      p.write('check.sh', `echo $$ > "${pidFile}"\nsleep 600\n`)
      const answer = await p.ask('claude', STOPS.claude!(p.dir, message), { args: ['--timeout', String(75 + seconds)] })
      const pid = pidIn(pidFile)
      if (pid > 0) return { p, answer, pid }
    }
  }

  it('is cancelled in time, and a goal still blocks the stop', { timeout: patience(120_000) }, async () => {
    const { p, answer, pid } = await askInShortTime(CLAIM, (p) => p.run(['goal', 'start', 'subtraction works']))
    expect(answer.refused).toMatch(
      /Not everything was checked: the checks take longer than the \d+ s that claude waits for the hook\./,
    )
    expect(answer.refused).toMatch(/tests: It was stopped, because the agent CLI waits only \d+ s for the hook/)
    expect(isGone(pid)).toBe(true)
    expect(p.events().at(-1)).toMatchObject({ type: 'iteration.decided', verdict: { action: 'continue' } })
  })

  it('passes without a goal, and the answer says so', { timeout: patience(120_000) }, async () => {
    const { p, answer, pid } = await askInShortTime(LIE, (p) => p.run(['trust']))
    expect(answer.refused).toBeUndefined()
    expect(answer.told).toMatch(
      /not verified\. The agent may stop, because the checks take longer than the \d+ s that claude waits/,
    )
    expect(isGone(pid)).toBe(true)
    expect(p.events().at(-1)).toMatchObject({ type: 'run.ended', outcome: 'aborted', ending: 'unverifiable' })
  })
})

describe('what a CLI may send', () => {
  const inputs: [string, string][] = [
    ['nothing', ''],
    ['no JSON', 'Traceback (most recent call last)'],
    ['half of it', '{"session_id": "s", "cwd": '],
    ['a list', '[1, 2]'],
    ['null', 'null'],
    ['a text', '"stop"'],
    ['100 MB', `{"cwd": "${'x'.repeat(100 * 1024 * 1024)}"}`],
    ['a hundred thousand brackets', '['.repeat(100_000)],
  ]
  it.each(inputs)('%s: passes with a message, and is blocked with a goal', async (_what, input) => {
    const p = hookProject()
    const loose = await p.ask('claude', input)
    expect([loose.code, loose.refused]).toEqual([0, undefined])
    expect(loose.told).toMatch(/^exitgate: .*the agent sent/)
    await p.run(['goal', 'start', 'subtraction works'])
    expect((await p.ask('claude', input)).refused).toMatch(/the agent sent/)
  })

  it('a byte order mark does no harm', async () => {
    const p = hookProject()
    await p.run(['trust'])
    expect((await p.ask('claude', `\uFEFF${JSON.stringify(STOPS.claude!(p.dir, LIE))}`)).refused).toContain('subtracts')
  })

  it('fields of any type never break the answer', async () => {
    const p = hookProject()
    const names = hosts.flatMap((host) => Object.keys(STOPS[host]!(p.dir, LIE)))
    const odd = fc.oneof(
      fc.jsonValue(),
      fc.constant('x'.repeat(5_000)),
      fc.constant('../../../etc'),
      fc.constant(p.dir),
    )
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...hosts),
        fc.dictionary(fc.constantFrom(...names), odd),
        async (host, payload) => {
          const answer = await p.ask(host, { ...STOPS[host]!(p.dir, 'hm'), ...payload })
          expect([0, 2]).toContain(answer.code)
          if (answer.stdout !== '') expect(JSON.parse(answer.stdout)).toBeTypeOf('object')
        },
      ),
      { numRuns: 150 },
    )
  })

  it.each([
    [['hook'], /Missing argument: exitgate hook takes one of install, uninstall, status, claude, codex/],
    [['hook', 'claud'], /Did you mean claude\?/],
    [['hook', 'claude', '--timeout', 'soon'], /--timeout must be a whole number of at least 1, not "soon"\./],
    [['hook', 'claude', '--max-refusals', '0'], /at least 1/],
    [['hook', 'install'], /Missing argument: exitgate hook install takes one of claude, codex/],
    [['hook', 'install', 'vim'], /Unexpected argument "vim": exitgate hook install takes one of claude, codex/],
    [['hook', 'install', 'claude', '--user', '--project'], /Pass either --user or --project, not both\./],
  ] as const)('%j gives one sentence', async (args, sentence) => {
    const ran = await hookProject().run(args)
    expect([ran.code, ran.stdout]).toEqual([64, ''])
    expect(ran.stderr).toMatch(sentence)
  })
})

describe('problems of exitgate itself', () => {
  it('a state folder that cannot be written cannot count stops, so the stop passes with a message', async ({
    skip,
  }) => {
    skip(process.getuid?.() === 0, 'root may write everywhere')
    const p = hookProject()
    await p.run(['goal', 'start', 'subtraction works'])
    chmodSync(p.stateDir, 0o500)
    const answer = await p.ask('claude', STOPS.claude!(p.dir, CLAIM))
    chmodSync(p.stateDir, 0o700)
    expect(answer.refused).toBeUndefined()
    expect(answer.told).toMatch(/not verified\. The agent may stop, because/)
  })

  const impossible: readonly (readonly [string, (root: string) => string])[] = [
    ['a folder in /proc', () => '/proc/nope'],
    ['a file', (root) => join(root, 'file')],
    ['a folder below a file', (root) => join(root, 'file/x')],
    ['a link to nothing', (root) => join(root, 'link')],
  ]
  it.each(impossible)('a state folder that is %s: the stop passes at once with a message', async (_, place) => {
    const p = hookProject()
    writeFileSync(join(p.root, 'file'), '')
    symlinkSync(join(p.root, 'nowhere/x'), join(p.root, 'link'))
    const env = { EXITGATE_STATE_DIR: place(p.root) }
    for (const message of [CLAIM, LIE]) {
      const answer = await p.ask('claude', STOPS.claude!(p.dir, message), { env })
      expect([answer.code, answer.refused]).toEqual([0, undefined])
      expect(answer.told).toMatch(
        /^exitgate: not verified\. The agent may stop, because .* or choose another folder with \S+ or EXITGATE_STATE_DIR\.$/,
      )
    }
    expect((await p.ask('claude', STOPS.claude!(p.dir, TALK), { env })).told).toBe('')
  })

  it('deleting the workspace is not a way out', async () => {
    const p = hookProject()
    await p.run(['goal', 'start', 'subtraction works'])
    rmSync(p.dir, { recursive: true })
    expect((await p.ask('claude', STOPS.claude!(p.dir, CLAIM))).refused).toContain('subtraction works')
  })
})

describe('the text for the agent', () => {
  const tokens = [
    'EXIT_STATUS: COMPLETE',
    '<promise>COMPLETE</promise>',
    'EXIT_SIGNAL: true',
    '---RALPH_STATUS---',
    '\n',
    'STATUS: COMPLETE',
    '**EXIT_STATUS**: COMPLETE',
  ]
  const words = fc
    .array(fc.oneof(fc.string(), fc.constantFrom(...tokens)), { maxLength: 6 })
    .map((parts) => parts.join(' '))

  it('never contains a claim, whatever tests, plans and goals are called', () => {
    fc.assert(
      fc.property(words, fc.array(words, { maxLength: 5 }), fc.boolean(), (goal, missing, protocol) => {
        const text = refusalText({
          missing,
          nth: 1,
          of: 7,
          goal,
          ...(protocol ? { protocol: completionProtocol } : {}),
        })
        expect(readMessage(text, undefined).explicit).not.toBe(true)
        expect(text.length).toBeLessThanOrEqual(8_000)
      }),
    )
  })

  it('codex gets no field outside its closed schema', () => {
    const known = ['continue', 'decision', 'reason', 'stopReason', 'suppressOutput', 'systemMessage']
    const codex = HOOK_CLIENTS.find(({ name }) => name === 'codex')!
    for (const reply of [
      { action: 'pass', message: 'm' },
      { action: 'refuse', reason: 'r' },
    ] as const)
      expect(known).toEqual(expect.arrayContaining(Object.keys(JSON.parse(codex.answer(reply).stdout))))
  })
})
