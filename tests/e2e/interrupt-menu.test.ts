import { beforeEach, describe, expect, it } from 'vitest'
import { patience } from '../timing.ts'
import { assertSound, inShell, noTerminal, pressUntil, type Session, story, withoutShell } from './interrupt-run.ts'
import { CLAIM, WORK } from './run-project.ts'
import { CTRL_C } from './terminal.ts'

beforeEach(({ skip }) => skip(noTerminal !== undefined, noTerminal))

/** Makes no progress in iteration 1, which opens the breaker, and finishes everything in the next. */
const LATE_AGENT = `if [ $EXITGATE_ITERATION = 1 ]; then echo Still at it.; exit; fi
cat > "$HOME/prompt"
${WORK}${CLAIM}`
const AWAY = JSON.stringify({ breaker: { noProgress: 1, halfOpenAt: 1 }, run: { questionMinutes: 0.01 } })
const files = {
  'exitgate.config.json': JSON.stringify({ breaker: { noProgress: 1, halfOpenAt: 1 } }),
  'PLAN.md': '# Plan\n\n- [ ] the first task\n- [ ] the second task\n',
}

async function opened(args: readonly string[] = [], how = inShell): Promise<Session> {
  const plan = args.includes('--plan') ? [] : ['--no-plan']
  const session = await how({ agent: LATE_AGENT, files, args: [...plan, ...args] })
  await session.terminal.shows(/breaker open after iteration 1.*\n(?:.*\n)*.*Ctrl\+C aborts/)
  return session
}

/** The menu ignores keys pressed too early, so press until it reacts. */
const press = (session: Session, key: string): Promise<void> =>
  pressUntil(
    session.terminal,
    session.end().then(() => {}),
    key,
  )

const chosen = ({ project }: Session) =>
  project.events().filter(({ type }) => ['control', 'breaker.reset', 'guidance', 'task.skipped'].includes(type))

const BY = { by: 'you at the terminal', reason: 'chosen at the terminal when the breaker opened' }

describe('the menu of an open breaker', { timeout: patience(90_000) }, () => {
  it('reset: the breaker is closed, and the run continues', async () => {
    const session = await opened()
    await press(session, 'r')
    expect(story(session.project)).toEqual([
      'start 1.1',
      '1 breaker-open',
      'stuck/breaker',
      'start 2.1',
      '2 gate',
      'completed/verified',
    ])
    expect(chosen(session)).toMatchObject([
      { type: 'control', kind: 'breaker: reset', ...BY },
      { type: 'breaker.reset', ...BY },
    ])
    await assertSound(session.project)
  })

  it('continue: one more iteration, with every counter unchanged', async () => {
    const session = await opened()
    await press(session, 'c')
    expect(story(session.project).at(-1)).toBe('completed/verified')
    expect(chosen(session)).toMatchObject([
      { type: 'control', kind: 'breaker: continue', ...BY },
      { type: 'breaker.reset', to: 'half-open', ...BY },
    ])
    await assertSound(session.project)
  })

  it('skip: the task is skipped', async () => {
    const session = await opened(['--plan', 'PLAN.md', '--max-iterations', '2'])
    await press(session, 's')
    expect(chosen(session)).toMatchObject([
      { type: 'control', kind: 'breaker: skip', ...BY },
      { type: 'task.skipped', task: expect.stringContaining('first'), ...BY },
      { type: 'breaker.reset', ...BY },
    ])
    expect(story(session.project)).toContain('start 2.1')
    await assertSound(session.project)
  })

  it('modify: your text is added to the next prompt', async () => {
    const session = await opened()
    await pressUntil(session.terminal, session.terminal.shows(/guidance: /), 'm')
    // Ctrl+U deletes extra keys from the repeated presses.
    session.terminal.type('\u0015read the log\r')
    expect(await session.end(), session.terminal.text()).toBe(0)
    expect(chosen(session)).toMatchObject([
      { type: 'control', kind: 'breaker: modify', ...BY },
      { type: 'guidance', text: 'read the log', by: BY.by },
      { type: 'breaker.reset', ...BY },
    ])
    expect(session.note('prompt')).toMatch(/read the log/)
    await assertSound(session.project)
  })

  it('abort: the run ends as stuck', async () => {
    const session = await opened()
    const ended = session.end()
    await pressUntil(session.terminal, ended, 'a')
    expect(await ended, session.terminal.text()).toBe(1)
    expect(story(session.project)).toEqual(['start 1.1', '1 breaker-open', 'stuck/breaker'])
    expect(chosen(session)).toMatchObject([{ kind: 'breaker: abort', ...BY }])
    await assertSound(session.project)
  })

  it('Ctrl+C: the run ends as stuck after one press', async () => {
    const session = await opened()
    session.terminal.type(CTRL_C)
    expect(await session.end(), session.terminal.text()).toBe(1)
    expect(story(session.project).at(-1)).toBe('stuck/breaker')
    expect(chosen(session)).toMatchObject([{ kind: 'breaker: abort', by: BY.by, reason: 'Ctrl+C in the menu' }])
    await assertSound(session.project)
  })

  it('no answer: the run ends as stuck', async () => {
    const session = await inShell({
      agent: LATE_AGENT,
      args: ['--no-plan'],
      files: { ...files, 'exitgate.config.json': AWAY },
    })
    expect(await session.end(), session.terminal.text()).toBe(1)
    expect(story(session.project)).toEqual(['start 1.1', '1 breaker-open', 'stuck/breaker'])
    expect(chosen(session)).toMatchObject([
      { kind: 'breaker: abort', by: 'exitgate', reason: 'no answer within 1 second' },
    ])
    await assertSound(session.project)
  })

  it('a closed terminal: the run ends as stuck', async () => {
    const session = await opened([], withoutShell)
    await session.terminal.close()
    expect(await session.terminal.ended).toBe(1)
    expect(story(session.project).at(-1)).toBe('stuck/breaker')
    expect(chosen(session)).toMatchObject([{ kind: 'breaker: abort' }])
    await assertSound(session.project)
  })
})
