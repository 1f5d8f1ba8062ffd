import { beforeEach, expect, it } from 'vitest'
import { reportOf, STORY } from '../reports/page-runs.ts'
import { missing, openReport } from './chromium.ts'

beforeEach(({ skip }) => skip(missing !== undefined, missing))

const bins = [
  { from: 0.6, to: 0.7, n: 10, said: 0.65, was: 0 },
  { from: 0.9, to: 1, n: 30, said: 1, was: 2 / 3 },
]

it('shows what labels say: a sentence, a picture that says it too, and the same as a table', async () => {
  const label = { label: 'bad', by: 'Ann', reason: '<img src=x onerror=alert(1)>' }
  const reliability = { good: 20, bad: 20, brier: 0.355625, error: 0.4125, bins }
  const { page } = await openReport({ ...reportOf({ iterations: STORY }), label, reliability })
  const section = page.locator('section.reliability')
  expect(await section.innerText()).toContain('This run is labelled bad by Ann: <img src=x onerror=alert(1)>')
  expect(await section.innerText()).toContain('40 labelled runs (20 good, 20 bad): Brier score 0.356')
  expect(await section.locator('img').count()).toBe(0)
  expect(await section.locator('svg').getAttribute('aria-label')).toBe(
    'Reliability diagram: said 65, was 0 in 10 runs; said 100, was 67 in 30 runs',
  )
  expect(await section.locator('circle').count()).toBe(2)
  expect(await section.locator('tbody tr').allInnerTexts()).toEqual(['60 to 70\t65\t0\t10', '90 to 100\t100\t67\t30'])
})

it('does not speak of labels where there are none', async () => {
  const { page } = await openReport(reportOf({ iterations: STORY }))
  expect(await page.locator('section.reliability').count()).toBe(0)
})
