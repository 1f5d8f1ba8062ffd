import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { patience } from '../timing.ts'
import { assertSound, inShell, noTerminal, QUICK_AGENT, story } from './interrupt-run.ts'
import { CLAIM, HALVES, runProject, waitFor } from './run-project.ts'
import { CTRL_C } from './terminal.ts'

beforeEach(({ skip }) => skip(noTerminal !== undefined, noTerminal))

const ONE = ['--max-iterations', '1']
/** Waits until the test has seen it working, then does half of the work and claims. It exits when the test has seen that. */
const HASTY_AGENT = `case $EXITGATE_ITERATION in
  1) ${waitFor('go')} printf done > first.txt ;;
  *) ${waitFor('go-on')} printf done > second.txt ;;
esac
${CLAIM}
${waitFor('seen')}`

describe('the live view in a terminal', { timeout: patience(90_000) }, () => {
  it.each([
    [24, 80],
    [40, 120],
  ])('%s rows, %s columns: shows claim and proof, what is missing, and the end', async (rows, columns) => {
    // The view skips short phases, so each phase lasts until the test has seen it.
    const project = runProject()
    const hold = join(project.root, 'hold')
    project.write('halves.sh', `while test -e ${hold}; do sleep 0.02; done\n${HALVES}`)
    writeFileSync(hold, '')
    const { terminal, ...session } = await inShell({ agent: HASTY_AGENT, rows, columns }, project)
    await terminal.shows(/running the checks for the baseline/)
    rmSync(hold)
    await terminal.shows(/agent working/)
    writeFileSync(hold, '')
    session.let('go')
    await terminal.shows(/│ All done\./)
    session.let('seen')
    await terminal.shows(/running the checks, /)
    rmSync(hold)
    await terminal.shows(/claim ✓ says it is done/)
    await terminal.shows(/proof ✗ \d of \d checks pass/)
    await terminal.shows(/iteration 1: Claim rejected: 1 of 2 tests fail/)
    await terminal.shows(/tests: 1 of 2 tests fail/)
    session.let('go-on')
    await terminal.shows(/proof ✓ \d of \d checks pass/)
    await terminal.shows(/── verified ─/)
    expect(await session.end(), terminal.text()).toBe(0)
    expect(terminal.bytes()).toContain('\u001b[?25l')
    expect(story(project).at(-1)).toBe('completed/verified')
    for (const line of terminal.text().split('\n'))
      expect([...line.trimEnd()].length, line).toBeLessThanOrEqual(columns)
    await assertSound(project)
  })

  it('adapts to a new size and ignores typed text', async () => {
    const { project, terminal, ...session } = await inShell({ args: ONE })
    await session.noted('started', '1')
    await terminal.shows(/── agent output ─{104}\n/)
    terminal.resize(12, 50)
    await terminal.shows(/── agent output ─{34}\n/)
    terminal.type('xyz')
    terminal.resize(50, 160)
    await terminal.shows(/── agent output ─{144}\n/)
    terminal.type(CTRL_C)
    await terminal.shows(/will stop after this iteration/)
    session.let('go')
    expect(await session.end(), terminal.text()).toBe(3)
    await assertSound(project)
  })
})

describe('the bell', { timeout: patience(90_000) }, () => {
  it('rings at the end in a terminal', async () => {
    const { terminal, ...session } = await inShell({ agent: QUICK_AGENT })
    expect(await session.end()).toBe(0)
    expect(terminal.bytes()).toContain('\u0007')
  })

  it('does not ring in a pipe', async () => {
    const project = runProject()
    const ran = await project.run(['run', '--', ...project.agent(QUICK_AGENT)], { TERM: 'xterm-256color' })
    expect(ran.code).toBe(0)
    expect(ran.stdout + ran.stderr).not.toMatch(/[\u0007\u001b]/)
  })
})
