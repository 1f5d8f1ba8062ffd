import { readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import type { AxeResults } from 'axe-core'
import { beforeEach, expect, it } from 'vitest'
import { serve, stateFolder } from '../integrations/watch-server.ts'
import { decided, started } from '../journal/samples.ts'
import { journalOf, STORY } from '../reports/page-runs.ts'
import { missing, openAddress, picture } from './chromium.ts'

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** A busy machine may take its time. */
const SOON = { timeout: 30_000 }

beforeEach(({ skip }) => skip(missing !== undefined, missing))

const LOOKS = [
  ['light', 1280],
  ['dark', 1280],
  ['light', 360],
  ['dark', 360],
] as const
it.each(LOOKS)('the live page hinders nobody in %s at %i pixels', async (colorScheme, width) => {
  const { write } = stateFolder()
  const events = journalOf({ iterations: STORY }).filter(({ type }) => type !== 'run.ended')
  const third = events.findIndex((event) => event.type === 'iteration.decided' && event.iteration === 3) + 1
  const dir = write('parser-0123456789ab', events.slice(0, third))
  for (let n = 0; n < 9; n++) write(`lexer-${n}-0123456789ab`, [started(), decided(1)])
  // As if its loop were alive: then the buttons are there.
  const place = { path: join(dir, 'socket'), folder: dir, run: 'r', pid: process.pid }
  writeFileSync(join(dir, 'control.json'), JSON.stringify(place))
  const watch = await serve(dir, { all: true })
  const { page } = await openAddress(watch.url, { colorScheme, viewport: { width, height: 900 } })
  await page.getByRole('option', { name: /^parser/ }).click()
  await expect.poll(() => page.locator('.details h2').allTextContents(), SOON).toEqual(['Iteration 3'])
  await picture(page, `watch-${colorScheme}-${width}`)
  const findings = async (): Promise<readonly string[]> => {
    await page.evaluate(AXE)
    const { violations }: AxeResults = await page.evaluate('axe.run(document, { resultTypes: ["violations"] })')
    return violations
      .filter(({ impact }) => impact === 'serious' || impact === 'critical')
      .flatMap(({ id, nodes }) => nodes.map(({ target }) => `${id}: ${target.join(' ')}`))
  }
  expect(await findings()).toEqual([])
  expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBeLessThanOrEqual(0)
  await page.getByRole('button', { name: 'Force' }).click()
  await page.getByRole('dialog').waitFor()
  expect(await findings()).toEqual([])
  await page.keyboard.press('Enter')
  expect(await page.getByRole('dialog').isVisible(), 'it needs a reason').toBe(true)
  await page.keyboard.press('Escape')
  await expect.poll(() => page.getByRole('dialog').isVisible(), SOON).toBe(false)
})
