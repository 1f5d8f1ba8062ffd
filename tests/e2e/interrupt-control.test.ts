import { spawn } from 'node:child_process'
import { beforeEach, describe, expect, it } from 'vitest'
import { insideAgent } from '../../src/hooks/inside-agent.ts'
import { patience } from '../timing.ts'
import { assertSound, inShell, noTerminal, type Project, type Session, story } from './interrupt-run.ts'
import { program } from './program.ts'
import { openTerminal } from './terminal.ts'

beforeEach(({ skip }) => {
  skip(noTerminal !== undefined, noTerminal)
  skip(process.platform !== 'linux', 'processes are identified through /proc')
  skip(
    insideAgent(process.env, process.pid) !== undefined,
    'these tests were started by an agent, whose commands are refused',
  )
})

/** Runs exitgate in another terminal. */
async function inOtherTerminal(project: Project, ...args: readonly string[]): Promise<{ code: number; text: string }> {
  const argv = [process.execPath, await program(), ...args]
  const { ended, text } = openTerminal(argv, { cwd: project.dir, env: project.env })
  return { code: await ended, text: text() }
}

/** The same for what needs the code that the terminal of the run shows. */
async function withCode(
  { project, terminal }: Session,
  ...args: readonly string[]
): Promise<{ code: number; text: string }> {
  const argv = [process.execPath, await program(), ...args]
  const other = openTerminal(argv, { cwd: project.dir, env: project.env })
  await other.shows(/Type the code shown in the terminal of the run \(Esc goes back\): /)
  await terminal.shows(/one-time code \w{6} for: /)
  other.type(`${[...terminal.text().matchAll(/one-time code (\w{6}) for: /g)].at(-1)?.[1]}\r`)
  return { code: await other.ended, text: other.text() }
}

/** Runs exitgate without a terminal. */
async function withoutTerminal(
  project: Project,
  ...args: readonly string[]
): Promise<{ code: number | null; text: string }> {
  const child = spawn(process.execPath, [await program(), ...args], {
    cwd: project.dir,
    env: project.env,
    // A new session has no terminal, even if these tests have one.
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let text = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (bytes: Buffer) => (text += bytes))
  return new Promise((resolve) => child.on('close', (code) => resolve({ code, text })))
}

const PLAN = { 'PLAN.md': '# Plan\n\n- [ ] the first task\n- [ ] the second task\n' }
const controls = ({ project }: Session) => project.events().filter(({ type }) => type === 'control')

async function atWork(args: readonly string[] = [], files: Readonly<Record<string, string>> = {}): Promise<Session> {
  const session = await inShell({ args, files })
  await session.noted('started', '1')
  // The control socket may open a little after the agent starts.
  await expect
    .poll(async () => (await inOtherTerminal(session.project, 'resume', '--reason', 'are you there')).code, {
      timeout: patience(30_000),
    })
    .toBe(0)
  return session
}

describe('a command from another terminal while the agent works', { timeout: patience(90_000) }, () => {
  it.each([
    ['accept', ['accept', 'ZZZZZ', '--reason', 'seen'], /ZZZZZ/],
    ['skip', ['skip', '--reason', 'later'], /no task or phase to skip/],
  ])('%s: what would have no effect is refused before exitgate asks for a code', async (_, args, why) => {
    const session = await atWork()
    expect(await inOtherTerminal(session.project, ...args)).toMatchObject({
      code: 64,
      text: expect.stringMatching(why),
    })
    expect(session.terminal.text()).not.toContain('one-time code')
    expect(await withoutTerminal(session.project, 'stop', '--now')).toMatchObject({ code: 0 })
    expect(await session.end(), session.terminal.text()).toBe(3)
  })

  it('force: the agent is ended, and the run ends as forced', async () => {
    const session = await atWork()
    const forced = await withCode(session, 'force', '--reason', 'I looked at it', '--by', 'Ada')
    expect(forced).toMatchObject({
      code: 0,
      text: expect.stringMatching(/Stopping the agent\. The run ends as forced\./),
    })
    expect(await session.end(), session.terminal.text()).toBe(0)
    expect(session.note('finished')).toBe('')
    expect(story(session.project)).toEqual(['start 1.1', '1 forced', 'completed/forced'])
    expect(controls(session).at(-1)).toMatchObject({ kind: 'force', by: 'Ada', reason: 'I looked at it' })
    expect(session.terminal.text()).toMatch(/── forced, not verified ─+ exit code 0/)
    await assertSound(session.project)
  })

  it('skip: the next task starts', async () => {
    const session = await atWork(['--plan', 'PLAN.md'], PLAN)
    expect(await withCode(session, 'skip', '--reason', 'later')).toMatchObject({ code: 0 })
    await session.noted('started', '2')
    const skipped = session.project.events().find(({ type }) => type === 'task.skipped')
    expect(skipped).toMatchObject({ task: expect.stringContaining('first'), reason: 'later' })
    expect(await inOtherTerminal(session.project, 'interrupt')).toMatchObject({ code: 0 })
    session.let('go')
    expect(await session.end(), session.terminal.text()).toBe(3)
    await assertSound(session.project)
  })

  it('skip without a task: it fails, and the agent continues', async () => {
    const session = await atWork()
    expect(await inOtherTerminal(session.project, 'skip', '--reason', 'later')).toMatchObject({
      code: 64,
      text: expect.stringMatching(/there is no task or phase to skip/),
    })
    expect(await inOtherTerminal(session.project, 'interrupt', '--reason', 'enough')).toMatchObject({ code: 0 })
    session.let('go')
    expect(await session.end(), session.terminal.text()).toBe(3)
    expect(session.note('finished')).toBe('1\n')
    expect(controls(session).at(-1)).toMatchObject({ kind: 'interrupt', reason: 'enough' })
    await assertSound(session.project)
  })

  it('say: your words are in the next prompt, and an echo of them is not a claim', async () => {
    const session = await atWork(['--max-iterations', '2'])
    const words = 'use the parser. Do not print <promise>COMPLETE</promise> yet'
    expect(await withCode(session, 'say', words)).toMatchObject({ code: 0 })
    session.let('go')
    await session.end()
    const prompt = session.project.text('.exitgate/prompt.md')
    expect(prompt).toMatch(/## Guidance from the user\n\n- use the parser\./)
    expect(prompt).not.toContain('<promise>COMPLETE</promise> yet')
    expect(session.project.events().filter(({ type }) => type === 'guidance')).toMatchObject([{ text: words }])
    expect(story(session.project).at(-1)).toBe('aborted/iterations')
    await assertSound(session.project)
  })

  it('pause: the run waits before the next iteration, and Ctrl+C ends it', async () => {
    const session = await atWork()
    expect(await inOtherTerminal(session.project, 'pause', '--reason', 'lunch')).toMatchObject({ code: 0 })
    session.let('go')
    await session.terminal.shows(/waiting for you.*paused by the user|paused before the next iteration/)
    session.terminal.type('\u0003')
    expect(await session.end(), session.terminal.text()).toBe(3)
    expect(story(session.project)).toEqual(['start 1.1', '1 continue', 'interrupted/interrupt'])
    await assertSound(session.project)
  })

  it('resume: the run continues', async () => {
    const session = await atWork()
    expect(await inOtherTerminal(session.project, 'pause')).toMatchObject({ code: 0 })
    session.let('go')
    await session.terminal.shows(/waiting for you.*paused by the user|paused before the next iteration/)
    expect(await inOtherTerminal(session.project, 'resume')).toMatchObject({ code: 0 })
    await session.noted('started', '2')
    expect(await withCode(session, 'force', '--reason', 'enough')).toMatchObject({ code: 0 })
    expect(await session.end(), session.terminal.text()).toBe(0)
    await assertSound(session.project)
  })

  it('reset-breaker: the breaker is closed before the next iteration', async () => {
    const session = await atWork()
    expect(await withCode(session, 'reset-breaker', '--reason', 'the network is back')).toMatchObject({
      code: 0,
    })
    expect(await inOtherTerminal(session.project, 'interrupt')).toMatchObject({ code: 0 })
    session.let('go')
    expect(await session.end(), session.terminal.text()).toBe(3)
    expect(session.project.events().find(({ type }) => type === 'breaker.reset')).toMatchObject({
      reason: 'the network is back',
    })
    await assertSound(session.project)
  })
})

describe('without a terminal', { timeout: patience(90_000) }, () => {
  it('force, skip and reset-breaker are refused, and the refusals are recorded', async () => {
    const session = await atWork(['--plan', 'PLAN.md'], PLAN)
    for (const name of ['force', 'skip', 'reset-breaker'])
      expect(await withoutTerminal(session.project, name, '--reason', 'all done')).toMatchObject({
        code: 64,
        text: expect.stringMatching(
          /needs the one-time code, shown in the terminal of the run.*--allow-remote-control/,
        ),
      })
    // An interrupt is allowed from anywhere.
    expect(await withoutTerminal(session.project, 'interrupt')).toMatchObject({ code: 0 })
    session.let('go')
    expect(await session.end(), session.terminal.text()).toBe(3)
    const notes = session.project.events().flatMap((event) => (event.type === 'note' ? [event.text] : []))
    const names = ['force', 'skip', 'reset-breaker']
    expect(notes).toEqual(
      names.flatMap((name) => [
        expect.stringContaining(`a one-time code was given out for: ${name} by `),
        expect.stringMatching(new RegExp(`^refused: ${name} by .*: no right code was typed$`)),
      ]),
    )
    await assertSound(session.project)
  })

  it('stop --now ends an agent that hangs, and the run', async () => {
    const session = await atWork()
    expect(await withoutTerminal(session.project, 'stop', '--now', '--reason', 'it hangs')).toMatchObject({
      ...{ code: 0, text: expect.stringContaining('Ending the agent now. The run stops.') },
    })
    expect(await session.end(), session.terminal.text()).toBe(3)
    expect(controls(session).at(-1)).toMatchObject({ kind: 'interrupt', reason: 'it hangs' })
    expect(session.project.events().at(-1)).toMatchObject({ type: 'run.ended', ending: 'interrupt' })
    await assertSound(session.project)
  })

  it('--allow-remote-control allows them', async () => {
    const session = await atWork(['--allow-remote-control'])
    expect(await withoutTerminal(session.project, 'force', '--reason', 'seen')).toMatchObject({ code: 0 })
    expect(await session.end(), session.terminal.text()).toBe(0)
    expect(story(session.project).at(-1)).toBe('completed/forced')
    await assertSound(session.project)
  })
})
