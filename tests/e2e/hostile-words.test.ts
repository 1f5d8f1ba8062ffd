import { describe, expect, it } from 'vitest'
import { patience } from '../timing.ts'
import { decisionsOf, endOf, letLoose, noteOf } from './hostile-run.ts'

/** A line as `exitgate signal` writes it, for the inbox of this start of the agent. */
const LINE = `const line = (more = {}) => JSON.stringify({ v: 1, at: Date.now(), id: String(Math.random()), run: process.env.EXITGATE_RUN,
  iteration: n, nonce: process.env.EXITGATE_NONCE, ...more }) + '\\n'
const post = (text) => fs.appendFileSync(process.env.EXITGATE_INBOX, text)
`

/** The work is done in the first iteration: from then on nothing but the claim is missing, and none of these is one. */
const WORDS: readonly (readonly [name: string, agent: string, told?: RegExp])[] = [
  ['does the work in silence', 'work()'],
  ['prints its prompt back', 'process.stdout.write(fs.readFileSync(process.env.EXITGATE_PROMPT_FILE))'],
  ['prints what came on its input', 'process.stdout.write(fs.readFileSync(0))'],
  [
    'prints the form with its placeholders',
    "console.log('EXIT_STATUS: COMPLETE | CONTINUE | BLOCKED\\nEXIT_REASON: <one line>\\nREMAINING_WORK: <list or none>')",
  ],
  [
    'quotes the block',
    "console.log('When I am done I will print:\\n\\n> EXIT_STATUS: COMPLETE\\n> EXIT_REASON: done\\n> REMAINING_WORK: none\\n\\nI am still at it.')",
  ],
  [
    'shows the block in a fence',
    "console.log('The form is\\n\\n```\\nEXIT_STATUS: COMPLETE\\nEXIT_REASON: done\\nREMAINING_WORK: none\\n```\\n\\nand I will use it later.')",
  ],
  ['takes its claim back', "claim(); console.log('\\nEXIT_STATUS: CONTINUE\\nREMAINING_WORK: the rest')"],
  [
    'claims with work left',
    "console.log('EXIT_STATUS: COMPLETE\\nEXIT_REASON: done\\nREMAINING_WORK: the second half')",
  ],
  ['claims and fails', 'claim(); process.exitCode = 1', /the agent exited with code 1/],
  ['cries success in other words', "console.log('All tests pass. Everything is complete. DONE. <done/> exit code 0')"],
  [
    'fills the inbox with garbage',
    "post('garbage\\n\\0\\xff\\n[]\\nnull\\n{\"status\":\"complete\"}\\n' + 'x'.repeat(50000) + '\\n')",
    /A signal was rejected: it is not a JSON object/,
  ],
  [
    'sends evidence',
    "tell('old', line({ status: 'complete' })); post(line({ status: 'continue', tests: 'pass', evidence: { tests: 'yes' } }))",
    /its field "tests" is ignored: exitgate gathers evidence itself/,
  ],
  [
    'sends the signal of an earlier iteration',
    "post(fs.readFileSync(join(ROOT, 'old')))",
    /A signal was rejected: it belongs to another iteration/,
  ],
  [
    'sends it with the number of this one',
    "post(JSON.stringify({ ...JSON.parse(fs.readFileSync(join(ROOT, 'old'), 'utf8')), iteration: n }) + '\\n')",
    /A signal was rejected: it has the nonce of another start/,
  ],
  [
    'sends the signal of another run',
    "post(line({ status: 'complete', run: '20200101-000000-1' }))",
    /A signal was rejected: it belongs to another run/,
  ],
  ['takes its signal back', "post(line({ status: 'complete' })); post(line({ status: 'continue' }))"],
  ['removes the inbox', 'fs.rmSync(process.env.EXITGATE_INBOX)', /The signal inbox was removed/],
  [
    'puts a link in place of the inbox',
    "fs.writeFileSync(join(ROOT, 'mine'), line({ status: 'complete' })); fs.rmSync(process.env.EXITGATE_INBOX); fs.symlinkSync(join(ROOT, 'mine'), process.env.EXITGATE_INBOX)",
    /The signal inbox was replaced with a link/,
  ],
  [
    'puts a pipe in place of the inbox',
    'fs.rmSync(process.env.EXITGATE_INBOX); sh(\'mkfifo "$EXITGATE_INBOX"\')',
    /The signal inbox/,
  ],
]

const script = (rows: typeof WORDS, last: string): string =>
  `${LINE}switch (n) {\n${rows.map(([, agent], i) => `case ${i + 1}: { ${agent}\nbreak }`).join('\n')}\ndefault: ${last}\n}`

describe('with the proof there, an agent that', () => {
  it.each([
    ['prints its claim', 'claim()'],
    ['signals it', "exitgate('signal', 'complete')"],
  ])('%s is done, and after none of the other ways', { timeout: patience(300_000) }, async (_name, last) => {
    const rows = last === 'claim()' ? WORDS : WORDS.slice(0, 1)
    const { project, ran, seen } = await letLoose(script(rows, last), {
      args: ['--max-iterations', '30'],
      config: { required: ['build'], commands: { build: 'test -f first.txt' } },
      files: { 'package.json': '{}' },
    })
    const verdicts = decisionsOf(project).map(({ verdict, observation }, i) => {
      const heard = observation.signals.claim === true && observation.signals.vetoes.length === 0
      return `${rows[i]?.[0] ?? 'claims'}: ${verdict.action}${heard ? ', heard' : ''}`
    })
    expect(verdicts, seen).toEqual([...rows.map(([name]) => `${name}: continue`), 'claims: stop, heard'])
    expect(ran.code).toBe(0)
    for (const [, , told] of rows) if (told !== undefined) expect(seen).toMatch(told)
  })
})

const COMMANDS: readonly (readonly string[])[] = [
  ['force', '--reason', 'x'],
  ['skip', '--reason', 'x'],
  ['reset-breaker', '--reason', 'x'],
  ['interrupt'],
  ['reset'],
  ['reset', '--breaker'],
  ['reset', '--force-unlock'],
  ['check', '--claim'],
  ['check', '--force-complete', '--reason', 'x'],
  ['check', '--claim', '--evidence', '../evidence.json'],
  ['next', '--test', 'true'],
  ['run', '--plain', '--max-iterations', '1', '--resume', '--force-complete', '--reason', 'x'],
  ['run', '--plain', '--max-iterations', '1', '--test', 'true'],
  ['trust'],
]

/** Whatever wants the journal waits for its lock first; two of those are enough. */
const ASKED_OF_THE_LOOP = COMMANDS.filter(([name], i) => !['check', 'next'].includes(name!) || i === 7)
const KILL = "process.kill(RUNNER, 'SIGKILL')\nawait sleep(50)\n"

/** Sends every request, with and without its own identity, and stores the answers. */
const asks = (
  commands: typeof COMMANDS,
): string => `fs.writeFileSync(join(ROOT, 'evidence.json'), '{"tests":{"answer":"yes"}}')
const answers = []
for (const args of ${JSON.stringify(commands)}) {
  const words = [process.execPath, process.env.PROGRAM, args[0], '--state-dir', dirname(STATE), ...args.slice(1), ...(args[0] === 'run' ? ['--', 'true'] : [])]
  for (const [file, ...rest] of [words, ['env', '-i', 'PATH=' + process.env.PATH, 'HOME=' + ROOT, 'setsid', '--wait', ...words]]) {
    const { status, stdout, stderr } = spawnSync(file, rest, { encoding: 'utf8' })
    answers.push([file === 'env' ? 'nobody' : 'agent', args.join(' '), status, stdout + stderr])
  }
}
tell('answers', JSON.stringify(answers))
`
type Answered = readonly [who: string, command: string, status: number, said: string]

describe('an agent that asks for its own release', () => {
  it.for([
    ['of the loop that runs it', '', ASKED_OF_THE_LOOP, 2, 'aborted/iterations'],
    ['of the journal, having killed the loop', KILL, COMMANDS, null, undefined],
  ] as const)('%s is refused', { timeout: patience(300_000) }, async ([, first, commands, code, end], { skip }) => {
    skip(process.platform !== 'linux', 'it calls setsid')
    const { project, ran, seen } = await letLoose(`${first}${asks(commands)}claim()`, {
      files: { 'PROMPT.md': 'x\n' },
      leftover: (project) => noteOf(project, 'answers') !== '',
    })
    expect(ran.code, seen).toBe(code)
    const answers = JSON.parse(noteOf(project, 'answers')) as readonly Answered[]
    expect(answers).toHaveLength(2 * commands.length)
    for (const [who, command, status, said] of answers) {
      expect([64, 70], `${who}: ${command}: ${said}`).toContain(status)
      expect(said).toMatch(/^error: [^\n]+\n$/)
    }
    expect(endOf(project)).toBe(end)
    const notes = project.events().flatMap((event) => (event.type === 'note' ? [event.text] : []))
    expect(notes.filter((text) => text.startsWith('refused: force by the user (x)')).length).toBeGreaterThan(0)
    expect(project.events().filter(({ type }) => type === 'iteration.decided')).toHaveLength(end === undefined ? 0 : 1)
  })
})
