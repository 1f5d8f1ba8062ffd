import { describe, expect, it } from 'vitest'
import { patience } from '../timing.ts'
import { decisionsOf, endOf, NODE_KIT, noteOf, type Project, runHostile } from './hostile-run.ts'

/** `line FIELDS`: a line as `exitgate signal` writes it to the agent's current inbox. */
const LINE = String.raw`ids=0
line() {
  ids=$((ids + 1))
  printf '{"v":1,"at":%s000,"id":"%s","run":"%s","iteration":%s,"nonce":"%s",%s}\n' "$(date +%s)" $n-$ids "$EXITGATE_RUN" $n "$EXITGATE_NONCE" "$1"
}
post() { cat >> "$EXITGATE_INBOX"; }
complete() { line '"status":"complete"'; }
`

/** The first iteration does the work. From then on only a claim is missing, and none of these is one. */
const WORDS: readonly (readonly [name: string, agent: string, message?: RegExp])[] = [
  ['does the work in silence', 'work'],
  ['prints its prompt back', 'cat "$EXITGATE_PROMPT_FILE"'],
  ['prints its input back', 'cat'],
  [
    'prints the status block with its placeholders',
    String.raw`printf 'EXIT_STATUS: COMPLETE | CONTINUE | BLOCKED\nEXIT_REASON: <one line>\nREMAINING_WORK: <list or none>\n'`,
  ],
  [
    'quotes the status block',
    String.raw`printf 'When I am done I will print:\n\n> EXIT_STATUS: COMPLETE\n> EXIT_REASON: done\n> REMAINING_WORK: none\n\nI am still at it.\n'`,
  ],
  [
    'shows the status block in a code fence',
    "printf 'The form is\\n\\n```\\nEXIT_STATUS: COMPLETE\\nEXIT_REASON: done\\nREMAINING_WORK: none\\n```\\n\\nand I will use it later.\\n'",
  ],
  ['withdraws its claim', String.raw`claim; printf '\nEXIT_STATUS: CONTINUE\nREMAINING_WORK: the rest\n'`],
  [
    'claims and lists remaining work',
    String.raw`printf 'EXIT_STATUS: COMPLETE\nEXIT_REASON: done\nREMAINING_WORK: the second half\n'`,
  ],
  ['claims and exits with code 1', 'claim; exit 1', /the agent exited with code 1/],
  ['announces success in other words', "echo 'All tests pass. Everything is complete. DONE. <done/> exit code 0'"],
  [
    'fills the inbox with garbage',
    String.raw`{ printf 'garbage\n\0\303\277\n[]\nnull\n{"status":"complete"}\n'; head -c 50000 /dev/zero | tr '\0' x; echo; } | post`,
    /A signal was rejected: it is not a JSON object/,
  ],
  [
    'sends evidence',
    `complete > "$ROOT/old"; line '"status":"continue","tests":"pass","evidence":{"tests":"yes"}' | post`,
    /its field "tests" is ignored: exitgate gathers evidence itself/,
  ],
  [
    'sends the signal of an earlier iteration',
    'post < "$ROOT/old"',
    /A signal was rejected: it belongs to another iteration/,
  ],
  [
    'sends it with the current iteration number',
    String.raw`sed "s/\"iteration\":[0-9]*/\"iteration\":$n/" "$ROOT/old" | post`,
    /A signal was rejected: it has the nonce of another start/,
  ],
  [
    'sends the signal of another run',
    'EXITGATE_RUN=20200101-000000-1; complete | post',
    /A signal was rejected: it belongs to another run/,
  ],
  ['withdraws its signal', `{ complete; line '"status":"continue"'; } | post`],
  ['removes the inbox', 'rm "$EXITGATE_INBOX"', /The signal inbox was removed/],
  [
    'replaces the inbox with a link',
    'complete > "$ROOT/mine"; rm "$EXITGATE_INBOX"; ln -s "$ROOT/mine" "$EXITGATE_INBOX"',
    /The signal inbox was replaced with a link/,
  ],
  ['replaces the inbox with a pipe', 'rm "$EXITGATE_INBOX"; mkfifo "$EXITGATE_INBOX"', /The signal inbox/],
]

const script = (rows: typeof WORDS, last: string): string =>
  `${LINE}case $n in\n${rows.map(([, agent], i) => `${i + 1}) ${agent} ;;`).join('\n')}\n*) ${last} ;;\nesac`

describe('when the checks pass, an agent that', () => {
  it.each([
    ['prints its claim', 'claim'],
    ['sends the signal', `${process.execPath} "$PROGRAM" signal complete`],
  ])(
    '%s completes the run, and anything less than a claim does not',
    { timeout: patience(300_000) },
    async (_name, last) => {
      const rows = last === 'claim' ? WORDS : WORDS.slice(0, 1)
      const { project, ran, seen } = await runHostile(script(rows, last), {
        args: ['--max-iterations', '30'],
        config: { required: ['build'], commands: { build: 'test -f first.txt' } },
        files: { 'package.json': '{}' },
      })
      const verdicts = decisionsOf(project).map(({ verdict, observation }, i) => {
        const claimed = observation.signals.claim === true && observation.signals.vetoes.length === 0
        return `${rows[i]?.[0] ?? 'claims'}: ${verdict.action}${claimed ? ', claimed' : ''}`
      })
      expect(verdicts, seen).toEqual([...rows.map(([name]) => `${name}: continue`), 'claims: stop, claimed'])
      expect(ran.code).toBe(0)
      for (const [, , message] of rows) if (message !== undefined) expect(seen).toMatch(message)
    },
  )
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
  ['check', '--claim', '--new-run', '--evidence', '../evidence.json'],
  ['next', '--test', 'true'],
  ['run', '--plain', '--max-iterations', '1', '--resume', '--force-complete', '--reason', 'x'],
  ['run', '--plain', '--max-iterations', '1', '--test', 'true'],
  ['trust'],
]

/** Commands that need the journal first wait for its lock, so two of them are enough. */
const LOOP_COMMANDS = COMMANDS.filter(([name], i) => !['check', 'next'].includes(name!) || i === 7)
/** Kills the loop and waits until it is dead, even if its parent has not collected it yet. */
const KILL = `process.kill(RUNNER, 'SIGKILL')
const isDead = () => { try { return /^State:\\s+[ZX]/m.test(fs.readFileSync('/proc/' + RUNNER + '/status', 'utf8')) } catch { return true } }
while (!isDead()) await new Promise((go) => setTimeout(go, 20))
`

/** As if the loop had been killed in the short time before it records the agent's process. */
const KILL_UNRECORDED = `${KILL}const recorded = fs.readFileSync(join(STATE, 'journal.jsonl'), 'utf8').split('\\n')
fs.writeFileSync(join(STATE, 'journal.jsonl'), recorded.filter((line) => !line.includes('"type":"agent.started"')).join('\\n'))
`

/** Runs each command once as the agent and once without any trace of it, and records the answers. */
const runCommands = (
  commands: typeof COMMANDS,
): string => `fs.writeFileSync(join(ROOT, 'evidence.json'), '{"tests":{"answer":"yes"}}')
const answers = []
for (const args of ${JSON.stringify(commands)}) {
  const argv = [process.execPath, process.env.PROGRAM, args[0], '--state-dir', dirname(STATE), ...args.slice(1), ...(args[0] === 'run' ? ['--', 'true'] : [])]
  for (const [file, ...rest] of [argv, ['env', '-i', 'PATH=' + process.env.PATH, 'HOME=' + ROOT, 'setsid', '--wait', ...argv]]) {
    const { status, stdout, stderr } = spawnSync(file, rest, { encoding: 'utf8' })
    answers.push([file === 'env' ? 'untraced' : 'agent', args.join(' '), status, stdout + stderr])
  }
}
tell('answers', JSON.stringify(answers))
`
type Answered = readonly [who: string, command: string, status: number, said: string]

describe('an agent that tries to end its own run', () => {
  it.for([
    ['through the running loop', '', LOOP_COMMANDS, 2, 'aborted/iterations'],
    ['after killing the loop', KILL, COMMANDS, null, undefined],
    ['after killing the loop before its start is recorded', KILL_UNRECORDED, COMMANDS, null, undefined],
  ] as const)('%s is refused', { timeout: patience(300_000) }, async ([, first, commands, code, end], { skip }) => {
    skip(process.platform !== 'linux', 'it calls setsid')
    const { project, ran, seen } = await runHostile(`${NODE_KIT}${first}${runCommands(commands)}claim()`, {
      files: { 'PROMPT.md': 'x\n' },
      leftover: (project) => noteOf(project, 'answers') !== '',
    })
    expect(ran.code, seen).toBe(code)
    const answers = JSON.parse(noteOf(project, 'answers')) as readonly Answered[]
    expect(answers).toHaveLength(2 * commands.length)
    for (const [who, command, status, said] of answers) {
      expect([64, 70, 75], `${who}: ${command}: ${said}`).toContain(status)
      expect(said).toMatch(/^error: [^\n]+\n$/)
    }
    expect(endOf(project)).toBe(end)
    const notes = project.events().flatMap((event) => (event.type === 'note' ? [event.text] : []))
    expect(notes.filter((text) => text.startsWith('refused: force by the user (x)')).length).toBeGreaterThan(0)
    expect(project.events().filter(({ type }) => type === 'iteration.decided')).toHaveLength(end === undefined ? 0 : 1)
  })
})

/** Kills the loop, then asks for a decision without any trace of the run in its environment. */
const KILL_AND_CHECK = `kill -9 $RUNNER
while grep -q '^State:[[:space:]]*[^ZX[:space:]]' /proc/$RUNNER/status 2> /dev/null; do sleep 0.02; done
echo '{"tests":{"answer":"yes"}}' > $ROOT/evidence.json
env -i PATH='$PATH' HOME=$ROOT setsid --wait ${process.execPath} $PROGRAM check --dir $WORK --state-dir $(dirname "$STATE") \\
  --claim --evidence $ROOT/evidence.json > $ROOT/said 2>&1
echo \\$? > $ROOT/answers
`
/** Nothing ends the agent after its supervisor was killed, so it ends by itself. */
const UNTIL_ANSWERED = 'while [ -d "$ROOT" ] && [ ! -s "$ROOT/answers" ]; do sleep 0.1; done'
const KILLERS: readonly (readonly [name: string, agent: string, said: RegExp])[] = [
  [
    'a test that kills the loop',
    `work\ncat > halves.sh <<END\n${KILL_AND_CHECK}END\nclaim`,
    /^error: Run \S+ of exitgate run is not finished/,
  ],
  [
    'a process that left its group, environment and parents',
    `cat > "$ROOT/killer.sh" <<END\n${KILL_AND_CHECK}END\nenv -i PATH="$PATH" setsid -f sh "$ROOT/killer.sh"\n${UNTIL_ANSWERED}`,
    /^error: Run \S+ of exitgate run is not finished/,
  ],
]

it.for(KILLERS)('%s cannot decide the run', async ([, agent, said], { skip }) => {
  skip(process.platform !== 'linux', 'it calls setsid')
  const leftover = (project: Project) => noteOf(project, 'answers') !== ''
  const { project, ran, seen } = await runHostile(agent, { leftover })
  expect(ran.signal, seen).toBe('SIGKILL')
  expect(noteOf(project, 'said')).toMatch(said)
  expect(noteOf(project, 'answers')).toBe('64\n')
  expect(decisionsOf(project)).toEqual([])
})
