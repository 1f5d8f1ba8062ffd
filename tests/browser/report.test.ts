import { beforeEach, describe, expect, it } from 'vitest'
import { reportOf, STORY } from '../reports/page-runs.ts'
import { missing, openReport, picture } from './chromium.ts'

const story = reportOf({ iterations: STORY })

beforeEach(({ skip }) => skip(missing !== undefined, missing))

describe('the report in a browser', () => {
  it('opens from the disk without an error, a message or a request', async () => {
    const { page, trouble } = await openReport(story)
    await expect.poll(() => page.locator('h1').textContent()).toBe('Completed: verified')
    expect(await page.locator('[role=option]').count()).toBe(4)
    expect(await page.locator('.details h2').textContent()).toBe('Iteration 4')
    expect(await page.locator('canvas').count()).toBeGreaterThanOrEqual(5)
    expect(trouble).toEqual([])
    await picture(page, 'story')
  })
})
