import { describe, expect, it } from 'vitest'
import { verifyJournal } from '../../src/journal/read.ts'
import { decisionsOf, endOf, runHostile } from './hostile-run.ts'

const LEAVE = "process.chdir('/')"
const DELETE = 'fs.rmSync(WORK, { recursive: true })'
const ELSEWHERE = "join(ROOT, 'elsewhere')"

describe('an agent that claims and', () => {
  it.each([
    ['deletes the workspace', `${LEAVE}; ${DELETE}`, /The workspace folder is gone/],
    [
      'replaces it with a link to a finished one',
      `work(); fs.cpSync(WORK, ${ELSEWHERE}, { recursive: true }); ${LEAVE}; ${DELETE}; fs.symlinkSync(${ELSEWHERE}, WORK)`,
      /The workspace .*work was replaced with a link to .*elsewhere/,
    ],
    [
      'replaces it with a file',
      `${LEAVE}; ${DELETE}; fs.writeFileSync(WORK, '')`,
      /was replaced with something that is not a folder/,
    ],
    [
      'does the work and moves the repository away',
      `work(); fs.renameSync('.git', join(ROOT, 'git'))`,
      /The git repository is gone or unreadable since the start/,
    ],
  ])('%s does not complete the run', async (_name, agent, said) => {
    const { project, ran, seen } = await runHostile(`${agent}\nclaim()`)
    expect(ran.code, seen).toBe(2)
    expect(endOf(project)).toBe('aborted/iterations')
    expect(seen).toMatch(said)
  })
})

describe('an agent that', () => {
  const rows: readonly [string, string, RegExp][] = [
    ['deletes the workspace', `${LEAVE}; ${DELETE}`, /The workspace folder is gone: .*work\./],
    [
      'moves it and leaves a link',
      `${LEAVE}; fs.renameSync(WORK, ${ELSEWHERE}); fs.symlinkSync(${ELSEWHERE}, WORK)`,
      /was replaced with a link to .*elsewhere/,
    ],
  ]
  it.each(rows)('%s ends the run after that iteration, and the journal is intact', async (_name, agent, said) => {
    const { project, ran, seen } = await runHostile(agent, { args: ['--max-iterations', '5'] })
    expect(ran.code, seen).toBe(2)
    expect(endOf(project)).toBe('aborted/fatal')
    expect(seen).toMatch(said)
    expect(decisionsOf(project)).toHaveLength(1)
    expect(verifyJournal(project.journalDir())).toMatchObject({ ok: true, problems: [] })
  })
})
