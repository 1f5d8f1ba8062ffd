import { spawn } from 'node:child_process'
import { existsSync, writeFileSync } from 'node:fs'
import { createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import type { EventInput } from '../../src/core/journal/events.ts'
import type { Evidence } from '../../src/core/types.ts'
import { writePlace } from '../../src/loop/control/place.ts'
import { CLAIM, runProject, waitFor } from '../e2e/run-project.ts'
import { serve, serveOnLowPort, stateFolder } from '../integrations/watch-server.ts'
import { decided, observation, started } from '../journal/samples.ts'
import { patience } from '../timing.ts'
import { axeFindings, missing, openAddress, picture } from './chromium.ts'

beforeEach(({ skip }) => skip(missing !== undefined, missing))

const NAME = 'parser-0123456789ab'
const PATIENCE = { timeout: patience(30_000), interval: 100 }
const PHONE = { colorScheme: 'dark', viewport: { width: 375, height: 812 } } as const
const LOST = 'The connection to exitgate watch is lost.'

interface Controls {
  readonly can: readonly string[]
  /** Each with its title. */
  readonly cannot: Readonly<Record<string, string>>
  /** What a touch screen shows. */
  readonly said: string
}

const controls = (page: Page): Promise<Controls> =>
  page.evaluate(`(() => {
    const all = [...document.querySelectorAll('.controls button')].filter((each) => each.offsetParent !== null)
    return {
      can: all.filter((each) => !each.disabled).map((each) => each.textContent),
      cannot: Object.fromEntries(all.filter((each) => each.disabled).map((each) => [each.textContent, each.title])),
      said: document.querySelector('.cannot').innerText,
    }
  })()`)
const allOf = (why: string, ...labels: readonly string[]) => Object.fromEntries(labels.map((label) => [label, why]))

const TAMPERING: Evidence = {
  ...{ check: 'tampering', answer: 'no', detail: 'A test is skipped.', ms: 1, tree: 'a' },
  findings: [{ id: 'AAAAA', key: '00', kind: 'test-skipped', file: 'a.test.js', detail: 'Test "a" is now skipped.' }],
}
const WITH_FINDING = {
  ...decided(1),
  observation: { ...observation, evidence: { tampering: TAMPERING } },
} as EventInput

/** The socket of a run that answers this to everyone who follows it. The run itself is only in the journal. */
async function runThatSays(answer: object) {
  const { write } = stateFolder()
  const dir = write(NAME, [started({ title: 'write the grammar' }), WITH_FINDING])
  const sockets: Socket[] = []
  const server = createServer((socket) => {
    sockets.push(socket)
    socket.on('error', () => {}).once('data', () => socket.write(`${JSON.stringify(answer)}\n`))
  })
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  const path = join(dir, 'socket')
  await new Promise<void>((resolve) => server.listen(path, resolve))
  // Another process than this one, because the browser is a child of this one.
  const other = spawn('sleep', ['600'], { stdio: 'ignore' })
  onTestFinished(() => void other.kill())
  writePlace(dir, { path, folder: dir, run: 'r1', pid: other.pid ?? 0 })
  return dir
}

describe('a button that can not work is disabled, with the reason as title and in words', () => {
  it('for a run that is stopping, and when exitgate watch does not answer', async () => {
    const p = runProject()
    const agent = p.agent(`touch "$HOME/working"; ${waitFor('go')}echo done > first.txt; ${CLAIM}`)
    const { done } = await p.start(['run', '--prompt', 'PROMPT.md', '--', ...agent])
    await expect.poll(() => existsSync(join(p.root, 'working')), PATIENCE).toBe(true)
    const watch = await serveOnLowPort(p.journalDir())
    const { page, trouble } = await openAddress(watch.url)
    const phone = await openAddress(watch.url, PHONE)
    const free = { can: ['Pause', 'Say', 'Stop', 'Force'], cannot: {}, said: '' }
    await expect.poll(() => controls(page), PATIENCE).toEqual(free)
    await page.getByRole('button', { name: 'Stop' }).click()
    await page.keyboard.press('Enter')
    const stopping = {
      can: ['Say', 'Force'],
      cannot: allOf('The run is stopping.', 'Pause', 'Stop'),
      said: 'Pause, Stop: The run is stopping.',
    }
    for (const each of [page, phone.page]) {
      await expect.poll(() => controls(each), PATIENCE).toEqual(stopping)
      expect(await axeFindings(each)).toEqual([])
      expect(await each.evaluate('document.documentElement.scrollWidth - innerWidth')).toBeLessThanOrEqual(0)
    }
    await picture(page, 'buttons-stopping')
    await picture(phone.page, 'buttons-stopping-phone')
    await page.keyboard.press('p')
    expect(await page.locator('.said').textContent()).toBe('Pause: The run is stopping.')
    expect(trouble).toEqual([])
    await watch.close()
    const lost = { can: [], cannot: allOf(LOST, 'Pause', 'Say', 'Stop', 'Force'), said: LOST }
    await expect.poll(() => controls(page), PATIENCE).toEqual(lost)
    await serve(p.journalDir(), { port: watch.port, token: watch.token })
    await expect.poll(() => controls(page), PATIENCE).toEqual(stopping)
    writeFileSync(join(p.root, 'go'), '')
    expect((await done).code).toBe(3)
    await expect.poll(() => page.getByRole('group', { name: 'Controls' }).isVisible(), PATIENCE).toBe(false)
  })

  it('for a run whose process is gone', async () => {
    const { write } = stateFolder()
    const watch = await serve(write(NAME, [started({ title: 'write the grammar' }), decided(1)]))
    const { page } = await openAddress(watch.url)
    const why = 'No process of this run answers here.'
    await expect
      .poll(() => controls(page), PATIENCE)
      .toEqual({ can: [], cannot: allOf(why, 'Pause', 'Say', 'Stop', 'Force'), said: why })
    expect(await axeFindings(page)).toEqual([])
  })

  it('for a run that accepts from here only what helps no agent', async () => {
    const denied = 'process 7 has no ancestor older than the run'
    const dir = await runThatSays({ taken: true, text: 'following the run', status: { past: 0, denied } })
    const watch = await serve(dir)
    const { page } = await openAddress(watch.url)
    const why = `The run doesn't accept this from here: ${denied}.`
    await expect
      .poll(() => controls(page), PATIENCE)
      .toEqual({ can: ['Pause', 'Stop'], cannot: allOf(why, 'Say', 'Force'), said: `Say, Force: ${why}` })
    const accept = page.getByRole('button', { name: 'Accept AAAAA' })
    expect([await accept.isDisabled(), await accept.getAttribute('title')]).toEqual([true, why])
    expect(await page.locator('.findings').textContent()).toContain('exitgate accept AAAAA --reason "..."')
    await page.keyboard.press('a')
    expect(await page.locator('.said').textContent()).toBe(`Accept AAAAA: ${why}`)
    expect(await page.getByRole('dialog').isVisible()).toBe(false)
    await picture(page, 'buttons-denied')
  })

  it('for a run that refuses everything, which also says why there is no output', async () => {
    const watch = await serve(await runThatSays({ taken: false, text: 'refused: it came from inside a run' }))
    const { page } = await openAddress(watch.url)
    const why = "The run doesn't accept this from here: it came from inside a run."
    await expect
      .poll(() => controls(page), PATIENCE)
      .toEqual({ can: [], cannot: allOf(why, 'Pause', 'Say', 'Stop', 'Force'), said: why })
    expect(await page.locator('.empty').textContent()).toContain(
      "The run doesn't show its output here: it came from inside a run.",
    )
  })
})
