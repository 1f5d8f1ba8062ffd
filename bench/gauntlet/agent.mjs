// The scripted agent as a process: node agent.mjs CLASS NAME FOLDER TREES VOICE FORMAT [-- arguments of the calling system]. FOLDER
// is outside the workspace. It has the number of the iteration, the state of the script, and the record of what was done.
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { argv, cwd, env, exit } from 'node:process'
import { SPEECHES } from './speech.mjs'
import { keepTree } from './tree.mjs'
import { Exit, makeWorld } from './world.mjs'

const [group, name, folder, trees, voice, format, ...words] = argv.slice(2).filter((word) => word !== '--')
const record = join(folder, 'record')
const stateFile = join(folder, 'state.json')

mkdirSync(record, { recursive: true })
const n = readdirSync(record).filter((file) => file.endsWith('.started')).length + 1
const startedAt = Date.now()
writeFileSync(join(record, `${n}.started`), JSON.stringify({ n, startedAt }))

const { default: scenarios } = await import(`./scenarios/${group}.mjs`)
const scenario = scenarios.find((each) => each.name === name)
const state = existsSync(stateFile) ? JSON.parse(readFileSync(stateFile, 'utf8')) : {}
const said = []
const speech = SPEECHES[format](said)
const { world, heard } = makeWorld({ dir: cwd(), n, state, voice, phase: env.EXITGATE_PHASE, readPrompt, speech })

let code = 0
try {
  await scenario.iterations[Math.min(n, scenario.iterations.length) - 1](world)
} catch (error) {
  if (!(error instanceof Exit)) throw error
  code = error.code
}
speech.close(code)
writeFileSync(stateFile, JSON.stringify(state))
writeFileSync(
  join(record, `${n}.json`),
  JSON.stringify({
    n,
    startedAt,
    endedAt: Date.now(),
    // A claim that is withdrawn in the same output, or made by a failing process, doesn't count.
    claimed: heard.claimed && !heard.denied && code === 0,
    said: createHash('sha256')
      .update(Buffer.concat(said.map((each) => Buffer.from(each))))
      .digest('hex')
      .slice(0, 20),
    tree: keepTree(cwd(), trees),
    code,
  }),
)
exit(code)

/** Where the current system put it: a file, an argument, or standard input. */
function readPrompt() {
  if (env.EXITGATE_PROMPT_FILE !== undefined) return readFileSync(env.EXITGATE_PROMPT_FILE, 'utf8')
  return words.length > 0 ? words.at(-1) : readFileSync(0, 'utf8')
}
