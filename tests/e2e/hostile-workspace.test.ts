import { describe, expect, it } from 'vitest'
import { endOf, letLoose } from './hostile-run.ts'

const LEAVE = "process.chdir('/')"
const DELETE = 'fs.rmSync(WORK, { recursive: true })'
const ELSEWHERE = "join(ROOT, 'elsewhere')"

describe('an agent that claims and', () => {
  it.each([
    ['deletes the workspace', `${LEAVE}; ${DELETE}`, /the workspace/],
    [
      'exchanges it for a link to a finished one',
      `work(); fs.cpSync(WORK, ${ELSEWHERE}, { recursive: true }); ${LEAVE}; ${DELETE}; fs.symlinkSync(${ELSEWHERE}, WORK)`,
      /The workspace .*work was exchanged for a link to .*elsewhere/,
    ],
    [
      'exchanges it for a file',
      `${LEAVE}; ${DELETE}; fs.writeFileSync(WORK, '')`,
      /was exchanged for something that is no folder/,
    ],
    [
      'moves the repository away, the work done',
      `work(); fs.renameSync('.git', join(ROOT, 'git'))`,
      /The repository that was here at the start is gone/,
    ],
  ])('%s is not done', async (_name, agent, said) => {
    const { project, ran, seen } = await letLoose(`${agent}\nclaim()`)
    expect(ran.code, seen).toBe(2)
    expect(endOf(project)).toBe('aborted/iterations')
    expect(seen).toMatch(said)
  })
})
