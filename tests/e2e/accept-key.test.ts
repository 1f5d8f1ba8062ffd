import { describe, expect, it } from 'vitest'
import { patience } from '../timing.ts'
import { inShell, noTerminal } from './interrupt-run.ts'
import { CLAIM, waitFor } from './run-project.ts'
import { CTRL_C } from './terminal.ts'

/** Does half of the work and claims. From the second iteration on it waits for the test. */
const AGENT = `printf done > first.txt
echo $EXITGATE_ITERATION >> "$HOME/started"
if [ $EXITGATE_ITERATION != 1 ]; then ${waitFor('go')}fi
${CLAIM}`

describe('the live view', { timeout: patience(90_000) }, () => {
  it('a key accepts a finding while the agent works', async ({ skip }) => {
    skip(noTerminal !== undefined, noTerminal)
    const session = await inShell({ agent: AGENT, columns: 120 })
    const { terminal, project } = session
    await session.noted('started', '2')
    await terminal.shows(/a accept a finding {3}Ctrl\+C: stop/)
    terminal.type('a')
    const [, id = ''] = await terminal.shows(
      /wait for your decision:\s+([A-Z2-9]{5}) {2}.*"the second half is done" fails/,
    )
    await terminal.shows(/Ids to accept/)
    terminal.type(`${id}\r`)
    await terminal.shows(/Reason/)
    terminal.type('later\r')
    const [, code = ''] = await terminal.shows(/To accept [A-Z2-9]{5}, type (\w{6})/)
    terminal.type(`${code}\r`)
    await terminal.shows(/Accepted\. It counts from the next time the checks run\./)
    session.let('go')
    expect(await session.end()).toBe(0)
    const accepted = project.events().filter(({ type }) => type === 'accepted')
    expect(accepted).toMatchObject([{ reason: 'later', findings: [{ id, kind: 'test-failing' }] }])
  })

  it('without the code nothing is accepted, and Ctrl+C stays an interrupt', async ({ skip }) => {
    skip(noTerminal !== undefined, noTerminal)
    const session = await inShell({ agent: AGENT, columns: 120 })
    const { terminal, project } = session
    await session.noted('started', '2')
    await terminal.shows(/a accept a finding/)
    terminal.type('a')
    const [, id = ''] = await terminal.shows(/wait for your decision:\s+([A-Z2-9]{5}) /)
    for (const [asked, typed] of [
      [/Ids to accept/, id],
      [/Reason/, 'later'],
      [/type \w{6}/, 'WRONG2'],
    ] as const) {
      await terminal.shows(asked)
      terminal.type(`${typed}\r`)
    }
    await terminal.shows(/Nothing was done\. The code was wrong\./)
    terminal.type(CTRL_C)
    session.let('go')
    expect(await session.end()).toBe(3)
    expect(project.events().filter(({ type }) => type === 'accepted')).toEqual([])
  })
})
