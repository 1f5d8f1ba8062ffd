import { beforeAll, describe, expect, it } from 'vitest'
import { decisionsOf, endOf, letLoose, noteOf } from './hostile-run.ts'

/** Each tries to reset as cleverly as it can, and stores the answer. */
const AGENTS: [string, string][] = [
  [
    'as it is',
    'spawnSync(process.execPath, [process.env.PROGRAM, ...way], { ...bare, env: { ...process.env, ...bare.env } })',
  ],
  ['with an empty environment', 'spawnSync(process.execPath, [process.env.PROGRAM, ...way], bare)'],
  [
    'by a shell of its own',
    'spawnSync("sh", ["-c", \'"$@"; exit $?\', "sh", process.execPath, process.env.PROGRAM, ...way], bare)',
  ],
]
const WAYS = ['reset --reason fresh', 'reset --breaker --reason fresh', 'reset --force-unlock --reason fresh']

describe.each(AGENTS)('the agent of a running loop, %s', (_how, text) => {
  const told = { answers: [] as string[], notes: [] as string[], seen: '', run: {} }
  beforeAll(async () => {
    const agent = `const bare = { encoding: 'utf8', env: { HOME: ROOT, PATH: process.env.PATH, EXITGATE_STATE_DIR: dirname(STATE) } }
const answers = ${JSON.stringify(WAYS)}.map((words) => {
  const way = words.split(' ')
  const { status, stderr } = ${text}
  return status + ' ' + stderr
})
tell('answers', JSON.stringify(answers))
console.log('Still at it.')`
    const { project, ran, seen } = await letLoose(agent)
    told.answers = JSON.parse(noteOf(project, 'answers'))
    told.notes = project.events().flatMap((event) => (event.type === 'note' ? [event.text] : []))
    told.seen = seen
    told.run = { code: ran.code, end: endOf(project), decisions: decisionsOf(project).length }
  })

  it.each([...WAYS.entries()])('%s `exitgate %s` is refused and written down', (at) => {
    expect(told.answers[at]).toMatch(/^64 error: Refused: .* can't use exitgate reset/)
    expect(told.notes[at], told.seen).toMatch(/^refused: reset-breaker by the user \(exitgate reset.*: fresh\)/)
    expect(told.notes).toHaveLength(WAYS.length)
    // The run has lost neither its lock nor its past.
    expect(told.run, told.seen).toEqual({ code: 2, end: 'aborted/iterations', decisions: 1 })
  })
})
