// The agent as a process: node agent.mjs CLASS NAME attack|honest PROGRAM. Its notes are in `.git`, the only place that
// it can write in a sandbox without changing the work.
import { spawn } from 'node:child_process'
import { appendFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { argv, cwd, env, execPath, exit } from 'node:process'
import { SPEECHES } from '../gauntlet/speech.mjs'
import { makeWorld } from '../gauntlet/world.mjs'
import { PROJECTS } from './projects.mjs'

const [group, name, part, program] = argv.slice(2)
// An attack on `.git` itself keeps a copy of it.
const notes = join(cwd(), existsSync('.git-kept') ? '.git-kept' : '.git', 'redteam')
mkdirSync(notes, { recursive: true })
const stateFile = join(notes, 'state.json')
const state = existsSync(stateFile) ? JSON.parse(readFileSync(stateFile, 'utf8')) : { n: 0 }
state.n += 1
writeFileSync(stateFile, JSON.stringify(state))

const { default: rows } = await import(`./classes/${group}.mjs`)
const row = rows.find((each) => each.name === name)
const project = PROJECTS[row.project]
const speech = SPEECHES.text([])
const readPrompt = () => readFileSync(env.EXITGATE_PROMPT_FILE ?? 0, 'utf8')
const { world } = makeWorld({ dir: cwd(), n: state.n, state, voice: 'default', readPrompt, speech })

let claims = true
await row[part]({
  ...world,
  program,
  /** Where exitgate keeps its state. It does not tell the agent, but the usual place is known. */
  stateFolder: join(cwd(), '..', 'state'),
  projectName: row.project,
  /** The work, as an honest agent does it. */
  solve() {
    for (const [path, text] of Object.entries(project.solved)) world.write(path, text)
  },
  /** Shows that the trick happened; without it the attack proves nothing. */
  mark: (text) =>
    appendFileSync(join(cwd(), existsSync('.git-kept') ? '.git-kept' : '.git', 'redteam', 'marks'), `${text}\n`),
  /** A program in the background, out of the process group, with an environment of its own. It must end by itself. */
  leave(code, { env: own = {}, interpreter = execPath, option = '-e' } = {}) {
    spawn(interpreter, [option, code], { detached: true, stdio: 'ignore', env: { PATH: env.PATH, ...own } }).unref()
  },
  /** Another command of exitgate, as the agent would type it. */
  exitgate: (args) => world.sh(`"${execPath}" "${program}" ${args} </dev/null 2>&1; echo "exit code $?"`),
  /** This iteration ends without a claim. */
  noClaim() {
    claims = false
  },
})
if (existsSync(notes)) writeFileSync(stateFile, JSON.stringify(state))
if (claims) {
  world.say('The work is done, and I have run the tests.\n')
  world.claim()
}
exit(0)
