import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { openLive } from '../../src/cli/live/open.ts'
import { showsUnicode, sizeOf } from '../../src/cli/live/terminal.ts'
import type { LoopEvent } from '../../src/core/loop-event.ts'
import { completedRun, endOf, refusedRun, START, tellRun } from '../reports/live-scenes.ts'
import { KeyboardDouble, TerminalDouble } from './terminal-double.ts'

beforeEach(() => {
  vi.useFakeTimers({ now: START })
})
afterEach(() => {
  vi.useRealTimers()
})

const EARLIER = 'earlier 1\nearlier 2\nearlier 3\n'

function world(terminal: TerminalDouble | undefined, env: Readonly<Record<string, string>> = { LANG: 'C.UTF-8' }) {
  const wrote = { stdout: '', stderr: '' }
  const pipe = (name: 'stdout' | 'stderr') => ({ write: (text: string) => (wrote[name] += text) })
  const io = {
    stdout: terminal ?? pipe('stdout'),
    stderr: pipe('stderr'),
    env,
    cwd: '/',
    home: '/',
    platform: 'linux',
    now: () => Date.now(),
  }
  return { io, wrote }
}

const SIGNALS = ['SIGWINCH', 'SIGTSTP', 'SIGCONT', 'exit', 'uncaughtExceptionMonitor'] as const
const listenerCounts = (): number[] => SIGNALS.map((name) => process.listenerCount(name))
const exitCode = (): number => 0
const completed = tellRun(completedRun)
const ending: LoopEvent = { type: 'ended', end: endOf(completed), at: completed.at }

describe('the screen', () => {
  it('keeps earlier output, and ends with the last frame and the banner', () => {
    const terminal = new TerminalDouble(80, 24)
    terminal.write(EARLIER)
    const before = listenerCounts()
    const live = openLive(world(terminal).io, { exitCode })
    for (const event of completed.events) {
      live.tell(event)
      vi.advanceTimersByTime(100)
    }
    expect(terminal.window).toMatch(/^exitgate · default/)
    expect(terminal.cursorShown).toBe(false)
    live.tell(ending)
    live.close()
    live.close()
    expect(terminal.text).toMatch(/^earlier 1\nearlier 2\nearlier 3\nexitgate · default/)
    expect(terminal.text.match(/exitgate · default/g)).toHaveLength(1)
    expect(terminal.text).toContain('── verified ─')
    expect(terminal.text).not.toContain('Ctrl+C')
    expect([terminal.cursorShown, terminal.wraps]).toEqual([true, true])
    expect(listenerCounts()).toEqual(before)
    expect(vi.getTimerCount()).toBe(0)
  })

  it('draws at most eight frames a second', () => {
    const terminal = new TerminalDouble(80, 24)
    const live = openLive(world(terminal).io, { exitCode })
    for (const event of tellRun(refusedRun).events) live.tell(event)
    const before = terminal.writes
    for (let n = 0; n < 1000; n++) {
      live.tell({ type: 'output', text: `line ${n}\n`, at: 0 })
      vi.advanceTimersByTime(1)
    }
    expect(terminal.writes - before).toBeLessThanOrEqual(9)
    expect(terminal.writes - before).toBeGreaterThan(4)
    live.close()
  })

  const sizes: [columns: number, rows: number][] = [
    [120, 40],
    [80, 30],
    [80, 20],
    [40, 10],
    [10, 3],
    [1, 1],
  ]
  it.each(sizes)('redraws at %i x %i and keeps everything above', (columns, rows) => {
    const terminal = new TerminalDouble(80, 24)
    terminal.write(EARLIER)
    const live = openLive(world(terminal).io, { exitCode })
    for (const event of completed.events) live.tell(event)
    vi.advanceTimersByTime(500)
    terminal.resize(columns, rows)
    process.emit('SIGWINCH')
    vi.advanceTimersByTime(500)
    expect(terminal.text).toMatch(/^earlier 1\nearlier 2\nearlier 3\n/)
    expect(terminal.text.match(/exitgate/g) ?? []).toHaveLength(columns < 8 ? 0 : 1)
    live.close()
    expect(terminal.text).toBe(EARLIER.trimEnd())
  })

  it('redraws over text typed into it', () => {
    const terminal = new TerminalDouble(80, 24)
    const live = openLive(world(terminal).io, { exitCode })
    for (const event of completed.events) live.tell(event)
    vi.advanceTimersByTime(500)
    terminal.write('typed by somebody\n\n\n')
    vi.advanceTimersByTime(2500)
    expect(terminal.window).toMatch(/^exitgate · default/)
    expect(terminal.text).not.toContain('typed')
    live.close()
  })

  it('prints warnings above the frame, where they stay', () => {
    const terminal = new TerminalDouble(80, 24)
    terminal.write(EARLIER)
    const live = openLive(world(terminal).io, { exitCode })
    live.tell(completed.events[0]!)
    vi.advanceTimersByTime(100)
    live.tell({ type: 'warning', text: 'the file was \u001b[2Jchanged', at: START })
    vi.advanceTimersByTime(100)
    expect(terminal.history.join('\n')).toMatch(/^earlier 1\nearlier 2\nearlier 3\n.*warning: the file was changed$/)
    live.close()
  })

  it.each(['exit', 'uncaughtExceptionMonitor'] as const)('shows the cursor again on %s', (name) => {
    const terminal = new TerminalDouble(80, 24)
    const known = process.listenerCount(name)
    const live = openLive(world(terminal).io, { exitCode })
    live.tell(completed.events[0]!)
    expect([terminal.cursorShown, terminal.wraps]).toEqual([false, false])
    // The real event would end the test run, so only the screen's listener is called.
    const own: unknown = process.rawListeners(name).slice(known)[0]
    if (typeof own === 'function') own(0)
    expect([terminal.cursorShown, terminal.wraps]).toEqual([true, true])
    live.close()
  })

  it('hides for other output, and then comes back', async () => {
    const terminal = new TerminalDouble(80, 24)
    const live = openLive(world(terminal).io, { exitCode })
    for (const event of completed.events) live.tell(event)
    vi.advanceTimersByTime(500)
    const answer = await live.aside(async () => {
      expect(terminal.window).toBe('')
      expect(terminal.cursorShown).toBe(true)
      live.tell({ type: 'output', text: 'meanwhile', at: 0 })
      vi.advanceTimersByTime(2000)
      expect(terminal.window).toBe('')
      return 7
    })
    vi.advanceTimersByTime(500)
    expect(answer).toBe(7)
    expect(terminal.window).toMatch(/^exitgate · default/)
    live.close()
  })

  it('leaves with q, keeps following the run, and comes back', async () => {
    const terminal = new TerminalDouble(80, 24)
    const keyboard = new KeyboardDouble()
    const live = openLive({ ...world(terminal).io, stdin: keyboard }, { exitCode })
    for (const event of completed.events) live.tell(event)
    let back = (): void => {}
    let returned: Promise<void> | undefined
    const away = new Promise<void>((resolve) => {
      back = resolve
    })
    const refuses = { taken: false, text: '' }
    const detach = (): void => {
      returned = live.detach(() => away)
    }
    live.listen?.({ control: () => refuses, detach, readDiff: () => '' })
    vi.advanceTimersByTime(500)
    keyboard.type('q')
    live.tell({ type: 'output', text: 'meanwhile\n', at: 0 })
    vi.advanceTimersByTime(2000)
    expect([terminal.window, keyboard.isRaw, live.showCode('ABC234', 'force')]).toEqual(['', false, false])
    back()
    await returned
    vi.advanceTimersByTime(500)
    expect(terminal.window).toMatch(/^exitgate · default[\s\S]*meanwhile/)
    expect(keyboard.isRaw).toBe(true)
    live.close()
  })

  it('is not used in a dumb terminal', () => {
    const terminal = new TerminalDouble(80, 24)
    const live = openLive(world(terminal, { TERM: 'dumb' }).io, { exitCode })
    live.tell({ type: 'baseline', done: false, at: START })
    expect(terminal.window).toMatch(
      /baseline: running the checks before the agent starts; tests that fail\n +run again$/,
    )
    expect(terminal.cursorShown).toBe(true)
    live.close()
  })
})

describe('in a pipe', () => {
  it('prints a line for each event, and the banner', () => {
    const { io, wrote } = world(undefined)
    const live = openLive(io, { exitCode })
    for (const event of [...completed.events, ending]) live.tell(event)
    live.close()
    live.close()
    expect(wrote.stdout).not.toContain('\u001b')
    expect(wrote.stdout.match(/: running the checks$/gm)).toHaveLength(4)
    expect(wrote.stdout.match(/── verified ─/g)).toHaveLength(1)
    expect(vi.getTimerCount()).toBe(0)
  })

  const output = (text: string, tool?: { name: string }): LoopEvent => ({
    type: 'output',
    text,
    at: START,
    ...(tool && { tool }),
  })
  const agentEnded = completed.events.find(({ type }) => type === 'agent-ended')!
  const many = Array.from({ length: 130 }, (_, n) => `line ${n}\n`).join('')
  const words: readonly [string, events: readonly LoopEvent[], options: object, lines: readonly string[]][] = [
    ['in pieces', [output('I read '), output('it.\n\nNow'), output(' I write.')], {}, ['I read it.', 'Now I write.']],
    ['without tools', [output('a\n'), output('Bash ls\n', { name: 'Bash' }), output('b\n')], {}, ['a', 'b']],
    ['without control characters', [output('a\u001b[31mb\u0007\n')], {}, ['ab']],
    [
      'the first of many',
      [output(many)],
      {},
      [...Array.from({ length: 100 }, (_, n) => `line ${n}`), '(30 more lines)'],
    ],
    ['not with --quiet', [output('a\n')], { quiet: true }, []],
    ['not with --json', [output('a\n')], { json: true }, []],
  ]
  it.each(words)("prints the agent's words: %s", (_name, events, options, lines) => {
    const { io, wrote } = world(undefined)
    const live = openLive(io, { exitCode, ...options })
    for (const event of [...events, agentEnded]) live.tell(event)
    live.close()
    const printed = `${wrote.stdout}${wrote.stderr}`.split('\n').filter((line) => /^ {9}\| /.test(line))
    expect(printed).toEqual(lines.map((line) => `         | ${line}`))
  })

  it('says what is still needed once, and again only what is new', () => {
    const { io, wrote } = world(undefined)
    const live = openLive(io, { exitCode })
    const events = tellRun(refusedRun).events
    for (const event of events) live.tell(event)
    const needed = () => wrote.stdout.split('\n').filter((line) => line.includes('still needed: plan:')).length
    const before = needed()
    live.tell(events.findLast(({ type }) => type === 'decided')!)
    live.close()
    expect(before).toBeGreaterThan(0)
    expect(needed()).toBe(before)
  })

  it('prints a heartbeat for every minute without events', () => {
    const { io, wrote } = world(undefined)
    const live = openLive(io, { exitCode })
    for (const event of completed.events.slice(0, 5)) live.tell(event)
    const before = wrote.stdout
    vi.advanceTimersByTime(59_000)
    expect(wrote.stdout).toBe(before)
    vi.advanceTimersByTime(121_000)
    expect(wrote.stdout.slice(before.length).trim().split('\n')).toHaveLength(2)
    expect(wrote.stdout).toMatch(/iteration 1: agent working \d+m/)
    live.close()
  })

  it('prints what a baseline does that takes longer than two seconds', () => {
    const { io, wrote } = world(undefined)
    const live = openLive(io, { exitCode })
    const command = (run: number, why: string): LoopEvent => ({
      ...{ type: 'command', id: run, check: 'tests', command: 'npm test', run, why },
      at: Date.now(),
    })
    const counts = { passed: 3, failed: 1, skipped: 0 }
    live.tell({ type: 'baseline', done: false, at: START })
    live.tell(command(1, 'all tests, in a clean copy'))
    live.tell({ type: 'command-output', id: 1, text: 'ok 1\n', counts, at: START })
    vi.advanceTimersByTime(1900)
    const before = wrote.stdout
    expect(before.split('\n')).toHaveLength(2)
    vi.advanceTimersByTime(1100)
    live.tell({ type: 'command-ended', id: 1, code: 1, ms: 3000, at: Date.now() })
    live.tell(command(2, '1 failing test again'))
    live.tell({ type: 'command-ended', id: 2, code: 1, ms: 10, at: Date.now() })
    const tests = { check: 'tests', answer: 'yes', detail: '', ms: 3010, tree: 't' } as const
    live.tell({ type: 'baseline', done: true, evidence: { tests }, at: Date.now() })
    live.tell(command(3, 'another'))
    vi.advanceTimersByTime(30_000)
    const text = wrote.stdout.slice(before.length).replace(/^[\d:]{8} /gm, '')
    expect(text.trimEnd().split('\n')).toEqual([
      'running the checks for the baseline, 2s: npm test, run 1: all tests, in a clean copy, 3 passed, 1 failed',
      'running the checks for the baseline, 3s: npm test, run 2: 1 failing test again',
      'baseline: ✓ tests (2 test runs in 3.0s)',
    ])
    live.close()
  })

  it('prints what the checks of an iteration do after two seconds', () => {
    const { io, wrote } = world(undefined)
    const live = openLive(io, { exitCode })
    const command = (check: string, run: number, why: string): LoopEvent => ({
      ...{ type: 'command', id: run, check, command: 'npm test', run, why },
      at: Date.now(),
    })
    live.tell({ type: 'evidence', iteration: 1, at: START })
    live.tell(command('tests', 1, 'all tests'))
    vi.advanceTimersByTime(1900)
    const before = wrote.stdout
    expect(before.split('\n')).toHaveLength(2)
    vi.advanceTimersByTime(600)
    live.tell({ type: 'command-ended', id: 1, code: 0, ms: 2500, at: Date.now() })
    live.tell(command('proof', 2, 'new tests without the change'))
    const text = wrote.stdout.slice(before.length).replace(/^[\d:]{8} /gm, '')
    expect(text.trimEnd().split('\n')).toEqual([
      'running the checks, 2s: npm test, run 1: all tests',
      'running the checks, 2s: npm test, run 2: new tests without the change',
    ])
    live.close(true)
  })

  it('prints what the agent says, line by line, in whatever pieces it comes', () => {
    const { io, wrote } = world(undefined)
    const live = openLive(io, { exitCode })
    const says = (text: string) => live.tell({ type: 'output', text, at: START })
    says('Reading the te')
    live.tell({ type: 'usage', tokens: 5, at: START })
    says('sts.\n\nShould it \u001b[31mround?')
    live.tell({ type: 'warning', text: 'look', at: START })
    expect(wrote.stdout).toMatch(/^ {9}\| Reading the tests\.\n {9}\| Should it round\?\n.*warning: look\n$/)
    live.close()
  })

  it('prints only warnings and the end with --quiet', () => {
    const { io, wrote } = world(undefined)
    const live = openLive(io, { exitCode, quiet: true })
    for (const event of completed.events) live.tell(event)
    live.tell({ type: 'warning', text: 'look', at: START })
    live.tell(ending)
    live.close()
    expect(wrote.stdout.trim().split('\n')).toHaveLength(2)
    expect(wrote.stdout).toMatch(/warning: look\n.*Verified: the agent reported COMPLETE, .*\. \(4 iterations\)/)
  })

  it('prints one object per line with --json, and the banner on stderr', () => {
    const { io, wrote } = world(undefined)
    const live = openLive(io, { exitCode: () => 5, json: true })
    for (const event of [...completed.events, ending]) live.tell(event)
    live.close()
    const read = wrote.stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { type: string; exitCode?: number })
    expect(read.map(({ type }) => type)).toEqual(
      [...completed.events, ending].map(({ type }) => type).filter((type) => type !== 'output'),
    )
    expect(read.at(-1)).toMatchObject({ type: 'ended', exitCode: 5, outcome: 'completed' })
    expect(wrote.stderr).toContain('── verified')
    expect(live.menu).toBeUndefined()
  })
})

describe('terminal detection', () => {
  const rows: [env: Record<string, string>, platform: string, unicode: boolean][] = [
    [{ LANG: 'en_US.UTF-8' }, 'linux', true],
    [{ LANG: 'en_US.utf8' }, 'linux', true],
    [{ LANG: 'en_US.ISO-8859-1' }, 'linux', false],
    [{ LANG: 'en_US.UTF-8', LC_ALL: 'C' }, 'linux', false],
    [{ LANG: 'C', LC_ALL: 'C.UTF-8' }, 'linux', true],
    [{ LANG: 'C', LC_CTYPE: 'C.UTF-8' }, 'linux', true],
    [{ LC_ALL: '', LANG: 'C.UTF-8' }, 'linux', true],
    [{}, 'linux', false],
    [{}, 'darwin', true],
    [{ WT_SESSION: 'x' }, 'win32', true],
  ]
  it.each(rows)('%j on %s: unicode %s', (env, platform, unicode) => {
    expect(showsUnicode({ env, platform })).toBe(unicode)
  })

  it('falls back to a default size', () => {
    expect(sizeOf({ write: () => true })).toEqual({ columns: 80, rows: 24 })
    expect(sizeOf({ write: () => true, columns: 0, rows: 0 })).toEqual({ columns: 80, rows: 24 })
    expect(sizeOf({ write: () => true, columns: 132, rows: 50 })).toEqual({ columns: 132, rows: 50 })
  })
})
