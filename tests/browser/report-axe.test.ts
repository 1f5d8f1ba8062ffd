import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { AxeResults } from 'axe-core'
import type { Page } from 'playwright-core'
import { beforeEach, expect, it } from 'vitest'
import { reportOf, STORY } from '../reports/page-runs.ts'
import { missing, openReport } from './chromium.ts'

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

beforeEach(({ skip }) => skip(missing !== undefined, missing))

/** What hinders people, by rule and place. */
async function findings(page: Page): Promise<readonly string[]> {
  await page.evaluate(AXE)
  const { violations }: AxeResults = await page.evaluate('axe.run(document, { resultTypes: ["violations"] })')
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .flatMap(({ id, nodes }) =>
      nodes.map(({ target, failureSummary }) => `${id}: ${target.join(' ')}: ${failureSummary}`),
    )
}

const LOOKS = [
  ['light', 1280],
  ['dark', 1280],
  ['light', 360],
  ['dark', 360],
] as const
it.each(LOOKS)('hinders nobody in %s at %i pixels', async (colorScheme, width) => {
  const forced = { by: 'Ada', reason: 'seen by a person', scope: 'run' as const }
  const bins = [{ from: 0.9, to: 1, n: 30, said: 1, was: 0.5 }]
  const report = {
    ...reportOf({ iterations: [...STORY.slice(0, 3), { forced }] }),
    label: { label: 'bad', by: 'Ada', reason: 'the export is empty' },
    reliability: { good: 15, bad: 15, brier: 0.5, error: 0.5, bins },
  }
  const { page } = await openReport(report, { colorScheme, viewport: { width, height: 900 } })
  // Folds make their inside when they are opened, folds among it.
  for (let depth = 0; depth < 4; depth++)
    await page.evaluate('for (const each of document.querySelectorAll("details")) each.open = true')
  await expect.poll(() => page.locator('details:not([open])').count()).toBe(0)
  expect(await findings(page)).toEqual([])
  await page.locator('[role=option]').nth(1).click()
  expect(await findings(page)).toEqual([])
})
