import { mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { critical, inCritical, whenIdle } from '../../src/loop/critical.ts'
import { compile } from '../evidence/compiled.ts'
import { patience } from '../timing.ts'
import { fixture, inTerminal, noTerminal, type Talk, talkTo } from './talk.ts'

const root = realpathSync(mkdtempSync(join(tmpdir(), 'exitgate-interrupts-')))
beforeAll(() => {
  compile(root, 'src/loop/interrupts.ts')
})
afterAll(() => rmSync(root, { recursive: true, force: true }))

let nth = 0
/** A program that handles interrupts. With `echoMs` 0 every interrupt is a new one; an empty text means the loop's default. */
function program(mode: 'graceful' | 'immediate', echoMs = '0') {
  const file = join(root, `said ${++nth}`)
  const argv = [process.execPath, fixture('interrupted.mjs'), root, file, mode, echoMs]
  return { argv, written: () => readFileSync(file, 'utf8') }
}

async function ready(talk: Talk): Promise<Talk> {
  await talk.hears(/^ready/)
  return talk
}

const FINISHES = 'first false Interrupt received: stopping after the agent finishes this iteration. Press Ctrl+C again'
const NOW = 'first true Interrupt received: stopping the agent and the run. Press Ctrl+C again to stop at once.'
const LATER = 'Interrupt received: will exit after the critical section completes. Press Ctrl+C again to stop at once.'

describe('the first interrupt', () => {
  const rows: [NodeJS.Signals, 'graceful' | 'immediate', string][] = [
    ['SIGINT', 'graceful', FINISHES],
    ['SIGTERM', 'graceful', FINISHES],
    ['SIGHUP', 'graceful', FINISHES],
    ['SIGINT', 'immediate', NOW],
    ['SIGTERM', 'immediate', NOW],
    ['SIGHUP', 'immediate', NOW],
  ]
  it.each(rows)('%s, %s: announces what happens next, and ends nothing by itself', async (name, mode, message) => {
    const talk = await ready(talkTo(program(mode).argv))
    talk.child.kill(name)
    expect(await talk.hears(/^first/)).toContain(message)
    talk.say('quit\n')
    expect(await talk.ended).toBe(3)
    expect(talk.said().match(/^(first|second)/gm)).toEqual(['first'])
  })

  it('in a critical section announces that the section completes first', async () => {
    const talk = await ready(talkTo(program('graceful').argv))
    talk.say('begin\n')
    await talk.hears(/^did begin/)
    talk.child.kill('SIGINT')
    expect(await talk.hears(/^first/)).toBe(`first false ${LATER}`)
  })
})

describe('the second interrupt', () => {
  const rows: [NodeJS.Signals, NodeJS.Signals][] = [
    ['SIGINT', 'SIGINT'],
    ['SIGINT', 'SIGTERM'],
    ['SIGTERM', 'SIGINT'],
    ['SIGHUP', 'SIGTERM'],
  ]
  it.each(rows)('ends everything: %s, then %s', async (first, second) => {
    const talk = await ready(talkTo(program('graceful').argv))
    talk.child.kill(first)
    await talk.hears(/^first/)
    talk.child.kill(second)
    expect(await talk.ended).toBe(130)
    expect(talk.said().match(/^(first|second)/gm)).toEqual(['first', 'second'])
  })

  it('waits for the end of a critical section, even if nested, and even if it comes again', async () => {
    const talk = await ready(talkTo(program('graceful').argv))
    talk.say('begin\n')
    await talk.hears(/^did begin/)
    talk.child.kill('SIGINT')
    await talk.hears(/^first/)
    for (const name of ['SIGINT', 'SIGTERM', 'SIGINT'] as const) talk.child.kill(name)
    talk.say('say\n')
    await talk.hears(/^did say/)
    // The inner one ends; the outer one continues.
    talk.say('end\n')
    await talk.hears(/^did end/)
    talk.say('say\n')
    await talk.hears(/^did say/)
    expect(talk.said()).not.toMatch(/^second/m)
    talk.say('end\n')
    expect(await talk.ended).toBe(130)
    expect(talk.said().match(/^second.*/gm)).toEqual(['second, in a critical section: false'])
  })

  it('waits for a section that begins when another one ends', async () => {
    const talk = await ready(talkTo(program('graceful').argv))
    talk.say('row\n')
    await talk.hears(/^did row/)
    talk.child.kill('SIGINT')
    await talk.hears(/^first/)
    talk.child.kill('SIGINT')
    talk.say('end\n')
    expect(await talk.ended).toBe(130)
    expect(talk.said().match(/^second.*/gm)).toEqual(['second, in a critical section: false'])
  })

  it('is not a repeated SIGHUP from a closing terminal', async () => {
    const talk = await ready(talkTo(program('graceful').argv))
    talk.child.kill('SIGHUP')
    await talk.hears(/^first/)
    talk.child.kill('SIGHUP')
    talk.say('say\n')
    await talk.hears(/^did say/)
    expect(talk.said()).not.toMatch(/^second/m)
  })

  it('is not the duplicate that npx sends; the next one counts', async () => {
    const talk = await ready(talkTo(program('graceful', '3600000').argv))
    talk.child.kill('SIGINT')
    await talk.hears(/^first/)
    talk.child.kill('SIGINT')
    talk.child.kill('SIGTERM')
    talk.say('say\n')
    await talk.hears(/^did say/)
    expect(talk.said().match(/^(first|second)/gm)).toEqual(['first'])
    talk.child.kill('SIGINT')
    expect(await talk.ended).toBe(130)
  })
})

describe('watching', () => {
  it('can be stopped: then an interrupt ends the program as usual', async () => {
    const talk = await ready(talkTo(program('graceful').argv))
    talk.say('stop\n')
    await talk.hears(/^did stop/)
    talk.child.kill('SIGINT')
    expect(await talk.ended).toBe('SIGINT')
  })

  it('survives a closed output', async () => {
    const { argv, written } = program('graceful')
    const talk = await ready(talkTo(argv))
    talk.child.stdout.destroy()
    talk.child.stderr.destroy()
    talk.child.kill('SIGHUP')
    await expect.poll(written, { timeout: patience(20_000) }).toContain(FINISHES)
    talk.say('say\nsay\nquit\n')
    expect(await talk.ended).toBe(3)
  })
})

describe('in a real terminal', () => {
  it('Ctrl+C is the first interrupt, and Ctrl+C again is the second', async ({ skip }) => {
    skip(noTerminal !== undefined, noTerminal)
    const talk = await ready(inTerminal(program('graceful').argv))
    talk.say('\x03')
    expect(await talk.hears(/first/)).toContain(FINISHES)
    talk.say('\x03')
    expect(await talk.ended).toBe(130)
  })

  it('closing it is an interrupt, and writing to it afterwards does not crash', async ({ skip }) => {
    skip(noTerminal !== undefined, noTerminal)
    const { argv, written } = program('graceful')
    const talk = await ready(inTerminal(argv))
    talk.child.stdin.end()
    await expect.poll(written, { timeout: patience(20_000) }).toContain(FINISHES)
    // Its input ended with the terminal, so a second interrupt ends it.
    const pid = Number(/pid (\d+)/.exec(written())?.[1])
    process.kill(pid, 'SIGTERM')
    expect(await talk.ended).toBe(130)
  })

  it('suspending and continuing the program is not an interrupt', async ({ skip }) => {
    skip(noTerminal !== undefined, noTerminal)
    const script = '"$@"; echo suspended; fg'
    const talk = await ready(inTerminal(['sh', '-mc', script, 'sh', ...program('graceful').argv]))
    talk.say('\x1a')
    await talk.hears(/suspended/)
    talk.say('say\n')
    await talk.hears(/did say/)
    expect(talk.said()).not.toMatch(/first/)
    talk.say('quit\n')
    expect(await talk.ended).toBe(3)
  })
})

describe('critical sections', () => {
  it('can be nested, and whenIdle resolves when all have ended', async () => {
    const order: string[] = []
    let endInner = () => {}
    let endOuter = () => {}
    const outer = critical(async () => {
      await critical(() => new Promise<void>((resolve) => (endInner = resolve)))
      order.push('inner ended')
      await new Promise<void>((resolve) => (endOuter = resolve))
      order.push('outer ended')
    })
    const idle = whenIdle().then(() => order.push('idle'))
    endInner()
    await new Promise((resolve) => setImmediate(resolve))
    expect(inCritical()).toBe(true)
    endOuter()
    await Promise.all([outer, idle])
    expect(order).toEqual(['inner ended', 'outer ended', 'idle'])
    expect(inCritical()).toBe(false)
  })

  it('end if their work throws, and return its result', async () => {
    await expect(critical(() => Promise.reject(new Error('no space')))).rejects.toThrow('no space')
    await expect(
      critical(() => {
        throw new Error('at once')
      }),
    ).rejects.toThrow('at once')
    expect(await critical(() => 7)).toBe(7)
    await whenIdle()
    expect(inCritical()).toBe(false)
  })
})
