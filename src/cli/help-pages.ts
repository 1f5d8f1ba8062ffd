import { HOOK_PAGES } from './help-pages-hooks.ts'

const COMMON = `  --dir DIR            the project (default: this folder)
  --config FILE        configuration instead of exitgate.config.{json,yaml} or package.json#exitgate
  --state-dir DIR      where journals live (default: the user's state folder)
  --json               one JSON document on stdout
  --no-color           plain text (NO_COLOR is respected too)`

const DECIDE = `  --transcript FILE|-  what the agent printed (- is stdin)
  --format F           auto, text, claude, codex, gemini, opencode, pi, json
  --prompt FILE        what the agent was told: an echo of it is not a claim
  --evidence FILE      evidence as given: {"tests": {"answer": "yes", "counts": {"total": 9, "passed": 9, "failed": 0}}}
  --base REV           compare with that commit instead of the run's baseline
  --preset P           default, cub, prp, doyaken, blackbox, gsd, ralph
  --threshold N        the preset's threshold (alias --exit-threshold)
  --plan FILE          the checklist    --test CMD  the test command    --task ID, --task-type T, --phase P
  --exit-code N        how the agent ended; other than 0 is a failed iteration
  --timed-out K:MIN    it was cut off: overall:30 or activity:15
  --interrupted        a person interrupted
  --iteration N, --breaker STATE[:reason]   counters of a harness that keeps its own
  --max-iterations N, --max-minutes N, --max-cost USD, --max-tokens N
  --force-complete --reason "..."   a person says it is done; shown as forced
  --skip-phase --reason "..."       a person skips the phase at hand
  --new-run, --no-record, --no-files, --quiet`

const ASK = `  --reason "..."       why; written into the journal
  --by NAME            who (default: a person)
  --dir DIR, --state-dir DIR, --json`

/** One page a command, each with examples. */
export const PAGES: Readonly<Record<string, string>> = {
  run: `
Usage: exitgate run [options] -- <command...>
       exitgate run --agent claude|codex|gemini|opencode|pi [options] [-- <words for the agent>]
       exitgate run --agent acp [options] -- <agent that speaks the Agent Client Protocol>
Runs the agent until claim and proof meet in one iteration, or until something says that they will not.
The prompt comes on its standard input and as $EXITGATE_PROMPT_FILE.

  --prompt FILE        the prompt (default: PROMPT.md)     --task TEXT   the one task     --plan FILE|DIR   the list of work
  --preset P           default, cub, prp, doyaken, blackbox, gsd, ralph       --test CMD   the test command
  --max-iterations N, --max-minutes N, --max-cost USD, --max-tokens N, --calls-per-hour N; "none" lifts one
  --iteration-minutes N, --silence-minutes N   when an agent that hangs is ended
  --resume             go on with the run that was interrupted or killed
  --dry-run            show what would be run
  --checkpoint         commit each iteration's work to a branch of its own
  --continue-session   keep the agent's session instead of a fresh one each time
  --mcp                give the agent the exit_signal tool (claude, codex, opencode, acp)
  --interrupt immediate   the first Ctrl+C ends the agent; else it finishes its iteration
  --force-complete --reason "..."   the next decision is yours; shown as forced
  --allow-remote-control   let \`exitgate force\` and the like ask without a terminal
  --format F, --task-type T, --threshold N, --plain, --quiet, --json, --json-output
${COMMON}

  exitgate run --agent claude --plan PLAN.md --max-cost 20 -- --permission-mode acceptEdits
  exitgate run --test "npm test" --max-iterations 10 -- ./my-agent.sh
  exitgate run --resume --agent claude
`,
  check: `
Usage: exitgate check [options]
Decide once about the iteration that just ended, record it, and say why.

${DECIDE}
  --claim              the caller says that it is done, where the agent's words say neither yes nor no
  --ci                 a pull request is the claim: compared with the merge base of its target branch (--base, or what the host's
                       variables say), with the configuration of that commit; job summary and annotations on GitHub, else printed
  --sarif FILE         with --ci: the findings as SARIF 2.1.0
${COMMON}

  exitgate check --transcript agent.log --test "npm test"
  exitgate check --ci --base main --sarif exitgate.sarif
  exitgate check --transcript out.jsonl --format claude --evidence evidence.json --json
  exitgate check --preset prp --phase GREEN --transcript agent.log --evidence evidence.json
`,
  next: `
Usage: while exitgate next [options]; do <agent>; done
The same decision as check with 0 and 10 swapped. The first call begins the run.

${DECIDE}
${COMMON}

  while exitgate next --transcript out.log --test "npm test"; do my-agent < PROMPT.md > out.log; done
`,
  explain: `
Usage: exitgate explain [ITERATION] [options]
Why the last (or that) iteration of the run was decided so: every rule with its answer, and what would have opened the gate.

  --run RUN            a run of the past instead of the last one
${COMMON}

  exitgate explain
  exitgate explain 3 --json
`,
  state: `
Usage: exitgate state [--verify] [options]
Where the run stands: iteration, phase, streaks, breaker, spending.

  --verify             check every line of the journal against its hash
${COMMON}
`,
  history: `
Usage: exitgate history [options]
The decisions of the past, newest last.

  --last N             only the last N (default 20)
  --events             every event, not only decisions
${COMMON}
`,
  force: `
Usage: exitgate force --reason "..." [options]
A person says that the run is done. It ends as completed, and is shown as forced everywhere. While a run is running, it is
asked through its socket; the agent itself is refused, and that is written down. Without one, the unfinished run is ended.

${ASK}

  exitgate force --reason "the last failing test is about another feature" --by Ada
`,
  skip: `
Usage: exitgate skip --reason "..." [options]
Leave out the task at hand, or with phases the phase.

${ASK}

  exitgate skip --reason "needs a decision first"
`,
  'reset-breaker': `
Usage: exitgate reset-breaker --reason "..." [options]
Close the breaker of the run, whether it is running or not.

${ASK}

  exitgate reset-breaker --reason "fixed the network"
`,
  interrupt: `
Usage: exitgate interrupt [options]
Like Ctrl+C in the terminal of the run: the agent finishes its iteration, then the run stops and can be resumed.

${ASK}
`,
  pause: `
Usage: exitgate pause [--off] [options]
Hold the run before its next iteration.

  --off                let it go on
${ASK}

  exitgate pause --reason "lunch"
  exitgate pause --off
`,
  reset: `
Usage: exitgate reset [options]
Begin anew. The old journal is kept aside, nothing is deleted.

  --breaker            only close the breaker; the run goes on
  --reason "..."       written into the journal
  --force-unlock       also when a lock of another machine is in the way
${COMMON}

  exitgate reset --breaker --reason "fixed the network"
`,
  config: `
Usage: exitgate config [PATH...] [options]
Every effective value (or those under PATH) and where it came from: default < preset < file < task type < environment < flags.

  --preset P, --threshold N, --task-type T, ...   as in check
${COMMON}
`,
  init: `
Usage: exitgate init [--from cub|prp|doyaken|blackbox|gsd|ralph] [options]
Write a configuration; with --from, carry over the settings of an older tool.

  --preset P           the preset to start with
  --format json|yaml   (default json)
  --force              replace an existing configuration
  --dry-run            only show what would be written
  --dir DIR, --json
`,
  doctor: `
Usage: exitgate doctor [options]
What evidence can be gathered here: the machine, the folder, the configuration, every command that was found and why,
how its results are read, what is missing and what to do. Nothing is changed, and no test is run.
Exit code 0 when a test command was found and can be run, else 64.

${COMMON}

  exitgate doctor
  exitgate doctor --dir packages/api --json
`,
  signal: `
Usage: exitgate signal complete|continue|blocked [options]
What the agent says about being done, from its shell. Works inside exitgate run only: it goes to the loop that started the agent, and
counts when this start of the agent ends. It can claim; it can never supply evidence.

  --reason "..."       one sentence
  --remaining "..."    what is left; anything but "none" says: not done
  --confidence C       low, medium, high
  --json               one JSON document on stdout

  exitgate signal continue --remaining "the API tests"
`,
  mcp: `
Usage: exitgate mcp [options]
An MCP server on stdin and stdout with two tools: exit_signal (the agent says whether it is done) and gate_status (what is missing).
Inside exitgate run a signal goes to the loop; else it is kept for the next stop that a hook sees.

  --dir DIR            the project (default: this folder)
  --state-dir DIR      where journals live
  --run R --iteration N --nonce X --inbox FILE   for agents that do not pass their environment on (else EXITGATE_RUN and so on)

  claude mcp add gate -- exitgate mcp
`,
  ...HOOK_PAGES,
  demo: `
Usage: exitgate demo [options]
A scripted agent works on a small project in a temporary folder: its first claim is refused, then the work is really done.

  --keep               keep the folder
  --json               one JSON line per iteration
`,
}
