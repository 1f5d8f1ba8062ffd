// One run of a published loop, with the scripted agent in place of the program it calls.
import { mkdirSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { PEERS as PINNED, peerProgram } from '../../scripts/install-peers.mjs'
import { capOf, endLeftovers, readRecord, runProcess } from './ground.mjs'
import { keepTree } from './tree.mjs'
import { agentCommand } from './walk.mjs'

/** How each loop gets the same task and limit, and how it reports completion. */
const CALLS = [
  {
    package: 'ralph-starter',
    words: (scenario) => ['run', scenario.prompt, ...STARTER, '--max-iterations', String(capOf(scenario))],
  },
  {
    package: 'ralph-starter',
    with: '--validate',
    words: (scenario) => [
      'run',
      scenario.prompt,
      ...STARTER,
      '--validate',
      '--max-iterations',
      String(capOf(scenario)),
    ],
  },
  {
    package: 'ralphy-cli',
    words: (scenario) => [scenario.prompt, '--max-iterations', String(capOf(scenario)), '--retry-delay', '0'],
  },
]
const STARTER = ['--agent', 'claude-code', '--headless', '--no-auto-skills', '--output-dir', '.']

export const peers = () =>
  CALLS.map(({ package: name, with: option, words }) => ({
    name: [name, PINNED[name].version, option].filter(Boolean).join(' '),
    run: (scenario, ground) => peerRun(scenario, ground, { program: peerProgram(name).path, words: words(scenario) }),
    missing: peerProgram(name).missing,
  }))

/** Published loops that can't be run, each with the reason. */
export const absent = () =>
  Object.keys(PINNED).flatMap((name) => {
    const { missing } = peerProgram(name)
    return missing === undefined ? [] : [{ name: `${name} ${PINNED[name].version}`, missing }]
  })

async function peerRun(scenario, ground, { program, words }) {
  const env = { ...ground.env, PATH: `${standIn(scenario, ground)}${delimiter}${ground.env.PATH}` }
  const ended = await runProcess(process.execPath, [program, ...words], { cwd: ground.dir, env, deadlineMs: 60_000 })
  endLeftovers(ground)
  const iterations = readRecord(ground.folder)
  return {
    completed: ended.code === 0,
    ending: ended.late ? 'deadline' : `exit code ${ended.code}`,
    started: iterations.length,
    iterations,
    finalTree: keepTree(ground.dir, ground.trees),
  }
}

/** A folder with a program `claude` that is our agent and prints in the requested format. */
function standIn(scenario, ground) {
  const bin = join(ground.folder, 'bin')
  mkdirSync(bin, { recursive: true })
  const quoted = agentCommand(scenario, ground, { format: '"$format"' })
    .map((word) => (word.startsWith('"') ? word : `'${word.replaceAll("'", `'\\''`)}'`))
    .join(' ')
  const script = `#!/bin/sh
format=text
for word in "$@"; do
  case "$word" in
    --version) echo '2.1.0 (Claude Code)'; exit 0 ;;
    stream-json) format=claude ;;
    json) format=claude-json ;;
  esac
done
exec ${quoted} -- "$@"
`
  writeFileSync(join(bin, 'claude'), script, { mode: 0o755 })
  return bin
}
