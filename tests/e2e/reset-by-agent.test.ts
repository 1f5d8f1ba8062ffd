import { describe, expect, it } from 'vitest'
import { decisionsOf, endOf, NODE_KIT, noteOf, runHostile } from './hostile-run.ts'

/** Ways an agent can call `exitgate reset`. It records the answers. */
const AGENTS: [string, string][] = [
  [
    'directly',
    'spawnSync(process.execPath, [process.env.PROGRAM, ...way], { ...bare, env: { ...process.env, ...bare.env } })',
  ],
  ['with an empty environment', 'spawnSync(process.execPath, [process.env.PROGRAM, ...way], bare)'],
  [
    'through a shell',
    'spawnSync("sh", ["-c", \'"$@"; exit $?\', "sh", process.execPath, process.env.PROGRAM, ...way], bare)',
  ],
]
const WAYS = ['reset --reason fresh', 'reset --breaker --reason fresh', 'reset --force-unlock --reason fresh']

describe.each(AGENTS)('called by the agent of a running loop %s:', (_how, text) => {
  const once = async () => {
    const agent = `${NODE_KIT}const bare = { encoding: 'utf8', env: { HOME: ROOT, PATH: process.env.PATH, EXITGATE_STATE_DIR: dirname(STATE) } }
const answers = ${JSON.stringify(WAYS)}.map((line) => {
  const way = line.split(' ')
  const { status, stderr } = ${text}
  return status + ' ' + stderr
})
tell('answers', JSON.stringify(answers))
console.log('Still at it.')`
    const { project, ran, seen } = await runHostile(agent)
    return {
      answers: JSON.parse(noteOf(project, 'answers')) as string[],
      notes: project.events().flatMap((event) => (event.type === 'note' ? [event.text] : [])),
      seen,
      run: { code: ran.code, end: endOf(project), decisions: decisionsOf(project).length },
    }
  }
  let first: ReturnType<typeof once> | undefined

  it.each([...WAYS.entries()])('%s `exitgate %s` is refused and recorded', async (at) => {
    first ??= once()
    const result = await first
    expect(result.answers[at]).toMatch(/^64 error: Refused: .* can't use exitgate reset/)
    expect(result.notes[at], result.seen).toMatch(/^refused: reset-breaker by the user \(exitgate reset.*: fresh\)/)
    expect(result.notes).toHaveLength(WAYS.length)
    // The run keeps its lock and its journal.
    expect(result.run, result.seen).toEqual({ code: 2, end: 'aborted/iterations', decisions: 1 })
  })
})
