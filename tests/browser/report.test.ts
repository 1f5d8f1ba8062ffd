import { beforeEach, describe, expect, it } from 'vitest'
import { longRun, reportOf, STORY, shown, workWith } from '../reports/page-runs.ts'
import { axeFindings, LOOKS, missing, openReport, picture } from './chromium.ts'

const story = reportOf({ iterations: STORY })

beforeEach(({ skip }) => skip(missing !== undefined, missing))

describe('the report in a browser', () => {
  it('opens from disk without errors, console messages or requests', async () => {
    const { page, trouble } = await openReport(story)
    expect(await page.locator('h1').textContent()).toBe('Verified')
    expect(await page.locator('[role=option]').count()).toBe(4)
    expect(await page.locator('.details h2').textContent()).toBe('Iteration 4')
    await expect.poll(() => page.locator('canvas').count()).toBeGreaterThanOrEqual(5)
    expect(trouble).toEqual([])
    await picture(page, 'story')
  })

  it('works with the keyboard alone', async () => {
    const { page } = await openReport(story)
    const focused = () => page.evaluate('document.activeElement.textContent.slice(0, 80)')
    const title = () => page.locator('.details h2').textContent()
    for (let tabs = 0; tabs < 12 && !String(await focused()).startsWith('Iteration 4'); tabs++)
      await page.keyboard.press('Tab')
    expect(await focused()).toMatch(/^Iteration 4 claim: says it.s done {2}proof: pass verified/)
    await page.keyboard.press('ArrowUp')
    expect(await focused()).toMatch(/^Iteration 3 claim: not claimed/)
    await expect.poll(title).toBe('Iteration 3')
    await page.keyboard.press('Home')
    await expect.poll(title).toBe('Iteration 1')
    await page.keyboard.press('PageDown')
    await expect.poll(title).toBe('Iteration 4')
    await page.keyboard.press('ArrowUp')
    await page.keyboard.press('ArrowUp')
    await page.keyboard.press('Enter')
    expect(await focused()).toBe('Iteration 2')
    // Tab moves into the details, and Escape moves back to the row.
    await page.keyboard.press('Escape')
    expect(await focused()).toMatch(/^Iteration 2 claim: says it.s done {2}proof: fail claim rejected/)
    expect(await page.locator('[role=option][tabindex="0"]').count()).toBe(1)
  })

  it('works with the mouse: rows, filters, the trace', async () => {
    const { page } = await openReport(story)
    const title = () => page.locator('.details h2').textContent()
    await page.locator('[role=option]').nth(1).click()
    await expect.poll(title).toBe('Iteration 2')
    expect(await page.locator('.details').textContent()).toContain('9 of 12 tests passed, 3 failed.')
    await page.getByRole('button', { name: 'Rejected claims' }).click()
    expect(await page.locator('[role=option]').count()).toBe(1)
    await page.getByRole('button', { name: 'All' }).click()
    expect(await page.locator('[role=option]').count()).toBe(4)
    expect(await page.locator('.trace > li').first().textContent()).toBe('did not applyinterruptednot interrupted')
    const rule = page.locator('.trace > li', { hasText: 'gate' }).first()
    await rule.locator('summary').first().click()
    await rule.locator('summary', { hasText: 'proof' }).click()
    await expect.poll(() => rule.textContent()).toContain('tests')
  })

  it('opens the iteration in its URL', async () => {
    const { page } = await openReport(story)
    await page.goto(`${page.url()}#iteration-2`)
    await page.reload()
    await expect.poll(() => page.locator('.details h2').textContent()).toBe('Iteration 2')
  })

  it.each(['light', 'dark'] as const)("follows the system's %s theme, and a button switches it", async (scheme) => {
    const { page } = await openReport(story, { colorScheme: scheme })
    const ground = () => page.evaluate('getComputedStyle(document.body).backgroundColor')
    const [light, dark] = ['rgb(250, 249, 246)', 'rgb(20, 23, 27)']
    expect(await ground()).toBe(scheme === 'dark' ? dark : light)
    await picture(page, `scheme-${scheme}`)
    await page.getByRole('button', { name: 'Theme' }).click()
    expect(await ground()).toBe(light)
    await page.getByRole('button', { name: 'Theme' }).click()
    expect(await ground()).toBe(dark)
  })

  it.each([360, 768, 1920])('fits a window of %i pixels', async (width) => {
    const { page } = await openReport(story, { viewport: { width, height: 740 } })
    await picture(page, `width-${width}`)
    expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBeLessThanOrEqual(0)
    expect(await page.locator('[role=option]').first().isVisible()).toBe(true)
  })

  it('prints every iteration in black on white, without controls', async () => {
    const { page } = await openReport(story, { colorScheme: 'dark' })
    await page.emulateMedia({ media: 'print' })
    await expect.poll(() => page.locator('.printed tbody tr').count()).toBe(4)
    expect(await page.locator('[role=listbox]').isVisible()).toBe(false)
    expect(await page.evaluate('getComputedStyle(document.body).backgroundColor')).toBe('rgb(255, 255, 255)')
    expect(await page.evaluate('getComputedStyle(document.body).color')).toBe('rgb(28, 32, 38)')
    await picture(page, 'print')
  })

  it('shows the numbers of its charts as tables too', async () => {
    const { page } = await openReport(story)
    const tests = page.locator('figure', { hasText: 'Tests' }).first()
    await tests.locator('summary').click()
    const rows = await tests.locator('tbody tr').allTextContents()
    expect(rows).toEqual(['193', '293', '3--', '4120'])
  })
})

describe('the work of a run', () => {
  const worked = { ...story, work: workWith(50) }

  it('shows what was proven and rejected, the diff, the commits and the commands', async () => {
    const { page, trouble } = await openReport(worked)
    expect(await page.locator('.command').allTextContents()).toEqual([
      'git add -- src/parse.ts src/new.ts logo.png && git commit',
      'git stash push',
    ])
    const stat = page.locator('.work .stat')
    expect(await stat.textContent()).toBe('3 files changed, +53 \u22120')
    expect(await page.locator('.work .plus').count()).toBe(53)
    expect(await page.locator('.work').textContent()).toContain('logo.png')
    expect(await page.locator('.commits').textContent()).toMatch(/^cccccccccccc Parse lists/)
    // A rejected claim leads to its iteration, which has its own diff.
    await page.getByRole('button', { name: 'Iteration 2' }).click()
    await expect.poll(() => page.locator('.details h2').textContent()).toBe('Iteration 2')
    expect(await page.locator('.details .plus').allTextContents()).toEqual(
      [1, 2, 3].map((n) => `+src/new.ts line ${n}`),
    )
    expect(trouble).toEqual([])
    await picture(page, 'work')
  })

  it('draws a long diff only where you look', async () => {
    const { page } = await openReport({ ...story, work: workWith(100_000) })
    expect(await page.locator('.work .plus').count()).toBe(3)
    await page.locator('.file summary').first().click()
    await expect.poll(() => page.locator('.work .plus', { hasText: 'parse.ts line 1' }).count()).toBeGreaterThan(0)
    expect(await page.locator('.work .plus').count()).toBeLessThan(200)
    await page.evaluate('document.querySelector(".lines").scrollIntoView({ block: "end" })')
    await expect.poll(() => page.locator('.work .plus', { hasText: 'parse.ts line 100000' }).count()).toBe(1)
    // Lines that you have left are gone.
    expect(await page.locator('.work .plus').count()).toBeLessThan(200)
  })

  it.each(LOOKS)('has no serious accessibility problem: %s, %i pixels', async (colorScheme, width) => {
    const { page } = await openReport(worked, { colorScheme, viewport: { width, height: 800 } })
    expect(await axeFindings(page)).toEqual([])
    expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBeLessThanOrEqual(0)
  })
})

describe('an unfinished run', () => {
  it.each([
    [0, 'Not finished'],
    [1, 'Not finished'],
  ])('with %i iterations is shown as unfinished', async (iterations, title) => {
    const { page, trouble } = await openReport(reportOf({ iterations: STORY.slice(0, iterations) }))
    expect(await page.locator('h1').textContent()).toBe(title)
    expect(trouble).toEqual([])
  })
})

it('shows the label of the run, as text', async () => {
  const label = { label: 'bad', by: 'Ann', reason: '<img src=x onerror=alert(1)>' }
  const { page } = await openReport({ ...reportOf({ iterations: STORY }), label })
  expect(await page.locator('p.label').innerText()).toBe(
    'This run is labelled bad by Ann: <img src=x onerror=alert(1)>',
  )
  expect(await page.locator('p.label img').count()).toBe(0)
  const without = await openReport(reportOf({ iterations: STORY }))
  expect(await without.page.locator('p.label').count()).toBe(0)
})

it.each(LOOKS)('the report is accessible in %s at %i pixels', async (colorScheme, width) => {
  const forced = { by: 'Ada', reason: 'seen by a person', scope: 'run' as const }
  const report = {
    ...reportOf({ iterations: [...STORY.slice(0, 3), { forced }] }),
    label: { label: 'bad', by: 'Ada', reason: 'the export is empty' },
  }
  const { page } = await openReport(report, { colorScheme, viewport: { width, height: 900 } })
  // A details element renders its content when it is opened, and that content has details too.
  for (let depth = 0; depth < 4; depth++)
    await page.evaluate('for (const each of document.querySelectorAll("details")) each.open = true')
  await expect.poll(() => page.locator('details:not([open])').count()).toBe(0)
  expect(await axeFindings(page)).toEqual([])
  await page.locator('[role=option]').nth(1).click()
  expect(await axeFindings(page)).toEqual([])
})

const MOST_ELEMENTS = 2000

it('10,000 iterations need few elements, and you can reach each of them', async () => {
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
  await page.getByRole('button', { name: 'Rejected claims' }).click()
  expect(await page.getByRole('button', { name: 'Rejected claims' }).textContent()).toBe('Rejected claims 3,334')
  expect(await page.locator('[role=option]').first().getAttribute('aria-setsize')).toBe('3334')
  expect(await elements()).toBeLessThan(MOST_ELEMENTS)
  expect(trouble).toEqual([])
  await picture(page, 'long')
})
