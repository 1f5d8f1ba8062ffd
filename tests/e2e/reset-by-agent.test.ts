import { describe, expect, it } from 'vitest'
import { decisionsOf, endOf, letLoose, noteOf } from './hostile-run.ts'

/** Each asks as cleverly as it can, and writes down what it was told. */
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
const rows = AGENTS.flatMap(([how, text]) => WAYS.map((way): [string, string, string] => [how, way, text]))

describe('the agent of a running loop', () => {
  it.each(rows)('%s: `exitgate %s` is refused and written down', async (_how, way, text) => {
    const agent = `const way = ${JSON.stringify(way.split(' '))}
const bare = { encoding: 'utf8', env: { HOME: ROOT, PATH: process.env.PATH, EXITGATE_STATE_DIR: dirname(STATE) } }
const asked = ${text}
tell('told', asked.status + ' ' + asked.stderr)
console.log('Still at it.')`
    const { project, ran, seen } = await letLoose(agent)
    expect(noteOf(project, 'told')).toMatch(/^64 exitgate: refused: exitgate reset.* is for people/)
    const notes = project.events().filter((event) => event.type === 'note')
    expect(notes, seen).toMatchObject([
      { text: expect.stringMatching(/^refused: reset-breaker by a person \(exitgate reset.*: fresh\)/) },
    ])
    // The run has lost neither its lock nor its past.
    expect(ran.code, seen).toBe(2)
    expect(endOf(project)).toBe('aborted/iterations')
    expect(decisionsOf(project)).toHaveLength(1)
  })
})
