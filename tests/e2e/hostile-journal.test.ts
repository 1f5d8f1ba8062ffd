import { existsSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { endOf, letLoose } from './hostile-run.ts'

const JOURNAL = "join(STATE, 'journal.jsonl')"
const COPY = `fs.copyFileSync(${JOURNAL}, join(STATE, 'copy'))`

/** The work is done and claimed; but what cannot be recorded is no decision, and what was touched cannot be believed. */
const TOUCHED: readonly (readonly [name: string, agent: string, said: RegExp])[] = [
  ['appends to the journal', `fs.appendFileSync(${JOURNAL}, '{}\\n')`, /was taken over by another process/],
  ['cuts it', `fs.truncateSync(${JOURNAL}, 10)`, /was taken over by another process/],
  [
    'changes a byte of it',
    `const fd = fs.openSync(${JOURNAL}, 'r+'); fs.writeSync(fd, 'X', 100)`,
    /was changed by another process/,
  ],
  ['deletes it', `fs.rmSync(${JOURNAL})`, /was removed or exchanged by another process/],
  ['puts a copy in its place', `${COPY}; fs.renameSync(join(STATE, 'copy'), ${JOURNAL})`, /was removed or exchanged/],
  [
    'puts a link in its place',
    `fs.renameSync(${JOURNAL}, join(ROOT, 'mine')); fs.symlinkSync(join(ROOT, 'mine'), ${JOURNAL})`,
    /was removed or exchanged by another process/,
  ],
  ['takes the lock away', "fs.rmSync(join(STATE, 'lock'))", /was taken over by another process/],
  ['moves the state folder', "fs.renameSync(STATE, STATE + '-away')", /was taken over by another process/],
  ['deletes the state folder', 'fs.rmSync(STATE, { recursive: true })', /was taken over by another process/],
  [
    'deletes the baseline',
    "for (const name of fs.readdirSync(STATE)) if (name.startsWith('baseline')) fs.rmSync(join(STATE, name), { recursive: true })",
    /The baseline in .* is gone/,
  ],
  [
    'changes the baseline',
    "for (const name of fs.readdirSync(STATE, { recursive: true })) if (/baseline.*json/.test(name)) fs.appendFileSync(join(STATE, name), ' ')",
    /The baseline in .* (?:is damaged|cannot be read|is not the one)/,
  ],
]

describe('an agent that does its work, claims, and', () => {
  it.each(TOUCHED)('%s is not done', async (_name, agent, said) => {
    const { ran, seen } = await letLoose(`work()\n${agent}\nclaim()`)
    expect(ran.code, seen).toBe(70)
    expect(ran.stderr).toMatch(/^exitgate: [^\n]+\n$/)
    expect(ran.stderr).toMatch(said)
    expect(seen).not.toContain('completed')
  })

  it('only touches what is no record is done, and the journal is sound', async () => {
    const { project, ran, seen } = await letLoose(
      `work()
fs.chmodSync(${JOURNAL}, 0o644)
fs.linkSync(${JOURNAL}, join(ROOT, 'second'))
fs.rmSync(join(STATE, 'inbox'), { recursive: true })
fs.rmSync(join(STATE, 'transcripts'), { recursive: true })
fs.rmSync('.exitgate', { recursive: true })
fs.mkdirSync(join(ROOT, 'elsewhere'))
fs.symlinkSync(join(ROOT, 'elsewhere'), '.exitgate')
claim()`,
    )
    expect(ran.code, seen).toBe(0)
    expect(endOf(project)).toBe('completed/verified')
    expect(seen).toContain('.exitgate was not written: it is a symbolic link')
    expect(existsSync(`${project.root}/elsewhere/status.json`)).toBe(false)
    expect((await project.run(['state', '--verify'])).code).toBe(0)
  })
})
