import { beforeEach, expect, it } from 'vitest'
import { longRun, shown } from '../reports/page-runs.ts'
import { missing, openReport, picture } from './chromium.ts'

beforeEach(({ skip }) => skip(missing !== undefined, missing))

const MOST_ELEMENTS = 2000

it('10,000 iterations stay few elements, and each of them can be reached', async () => {
  const { page, trouble } = await openReport(shown(longRun(10_000)))
  const elements = () => page.evaluate('document.querySelectorAll("*").length')
  const title = () => page.locator('.details h2').textContent()
  expect(await elements()).toBeLessThan(MOST_ELEMENTS)
  expect(await title()).toBe('Iteration 10000')
  await page.getByLabel('Go to').fill('5003')
  await page.getByLabel('Go to').press('Enter')
  await expect.poll(title).toBe('Iteration 5003')
  expect(await page.locator('.details pre.text').first().textContent()).toContain('Step 5002:')
  await page.keyboard.press('Home')
  await expect.poll(title).toBe('Iteration 1')
  await page.evaluate('document.querySelector("[role=listbox]").scrollTop = 200000')
  await expect
    .poll(() => page.locator('[role=option]').allTextContents())
    .toContainEqual(expect.stringMatching(/^Iteration 45\d\d/))
  await page.getByRole('button', { name: 'Refused claims' }).click()
  expect(await page.getByRole('button', { name: 'Refused claims' }).textContent()).toBe('Refused claims 3,334')
  expect(await page.locator('[role=option]').first().getAttribute('aria-setsize')).toBe('3334')
  expect(await elements()).toBeLessThan(MOST_ELEMENTS)
  expect(trouble).toEqual([])
  await picture(page, 'long')
})
