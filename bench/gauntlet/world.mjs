// What a scripted agent can do: work in the workspace and print text.
import { spawnSync } from 'node:child_process'
import { appendFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { claimText, notDoneText, PLANS } from './claims.mjs'

/** Thrown by `world.exit` to end the script. */
export class Exit {
  constructor(code) {
    this.code = code
  }
}

/**
 * `n` is the iteration number from 1. `state` is an object kept between iterations outside the workspace. `readPrompt` returns the
 * agent's prompt, and `speech` takes its output. Claims are recorded in `heard`, for the harness only.
 */
export function makeWorld({ dir, n, state, voice, phase, readPrompt, speech }) {
  const heard = { claimed: false, denied: false }
  const at = (path) => join(dir, path)
  const write = (path, text) => {
    mkdirSync(dirname(at(path)), { recursive: true })
    writeFileSync(at(path), text)
  }
  const world = {
    n,
    state,
    write,
    read: (path) => readFileSync(at(path), 'utf8'),
    edit(path, from, to) {
      const text = world.read(path)
      if (!text.includes(from)) throw new Error(`the script tries to change "${from}", which is not in ${path}`)
      write(
        path,
        text.replace(from, () => to),
      )
    },
    append: (path, text) => appendFileSync(at(path), text),
    remove: (path) => rmSync(at(path), { recursive: true, force: true }),
    /** The output of a command. Background processes must redirect theirs: `sleep 9 >/dev/null 2>&1 &`. */
    sh(command) {
      const { stdout, stderr } = spawnSync('/bin/sh', ['-c', command], {
        cwd: dir,
        encoding: 'utf8',
        stdio: ['ignore', 'pipe', 'pipe'],
      })
      return `${stdout}${stderr}`
    },
    say: (text) => speech.say(text),
    /** Raw bytes before the message: tool output, broken events, a flood. */
    raw: (bytes) => speech.raw(bytes),
    /** The cost of the iteration, if the agent's format reports it. */
    spend: (usd) => speech.spend(usd),
    /** A claim in the form the current system looks for; `only` selects one or more forms, `as` formats the text. */
    claim({ only, as = (text) => text } = {}) {
      heard.claimed = true
      const plan = only === undefined ? PLANS[voice] : undefined
      if (plan !== undefined && existsSync(at(plan.path))) write(plan.path, plan.text.replace('[ ]', '[x]'))
      speech.say(as(claimText({ voice, only, phase })))
    },
    notDone(remaining, { only } = {}) {
      heard.denied = true
      speech.say(notDoneText({ voice, only, phase, remaining }))
    },
    get prompt() {
      return readPrompt()
    },
    exit(code) {
      throw new Exit(code)
    },
    sleep: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
  }
  return { world, heard }
}
