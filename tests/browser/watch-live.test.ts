import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { beforeEach, describe, expect, it } from 'vitest'
import type { EventInput } from '../../src/core/journal/events.ts'
import { CLAIM, NODE_TESTS, runProject, WORK, waitFor } from '../e2e/run-project.ts'
import { serve, stateFolder } from '../integrations/watch-server.ts'
import { NAME, watchedWork } from '../integrations/watched-work.ts'
import { DONE, decided, started } from '../journal/samples.ts'
import { patience } from '../timing.ts'
import { axeFindings, missing, openAddress, picture } from './chromium.ts'

beforeEach(({ skip }) => skip(missing !== undefined, missing))

const PATIENCE = { timeout: patience(60_000), interval: 100 }
const texts = (page: Page, selector: string): Promise<string[]> => page.locator(selector).allTextContents()
const log = async (page: Page): Promise<string> => (await page.locator('.log').textContent()) ?? ''
const PHONE = { colorScheme: 'dark', viewport: { width: 375, height: 812 } } as const

/** Prints a line, waits to be released, removes a test, and claims to be done. */
const agentOf = (p: ReturnType<typeof runProject>): readonly string[] =>
  p.agent(`echo 'I read the tests <b>first</b>.'
${waitFor('go')}${WORK}kept=$(grep -v 'the second half' halves.test.js)
echo "$kept" > halves.test.js
${CLAIM}`)

describe('a real run from start to end', () => {
  it('shows output as it comes, pauses, takes an accepted finding, resumes and is verified', {
    timeout: patience(180_000),
  }, async () => {
    const p = runProject(NODE_TESTS)
    const { done } = await p.start(['run', '--allow-remote-control', '--prompt', 'PROMPT.md', '--', ...agentOf(p)])
    await expect
      .poll(() => existsSync(p.state) && existsSync(join(p.journalDir(), 'control.json')), PATIENCE)
      .toBe(true)
    const watch = await serve(p.journalDir())
    const { page, trouble } = await openAddress(watch.url)
    const phone = await openAddress(watch.url, PHONE)

    // The journal has nothing yet, so this comes from the run itself.
    for (const each of [page, phone.page]) {
      await expect.poll(() => log(each), PATIENCE).toContain('I read the tests <b>first</b>.')
      await expect
        .poll(() => texts(each, '.phase'), PATIENCE)
        .toEqual([expect.stringMatching(/^Iteration 1.*agent working/)])
      expect(await axeFindings(each)).toEqual([])
      expect(await each.evaluate('document.documentElement.scrollWidth - innerWidth')).toBeLessThanOrEqual(0)
    }
    expect(await page.locator('.log b').count()).toBe(0)
    await picture(page, 'live-agent')
    await picture(phone.page, 'live-agent-phone')

    await page.keyboard.press('p')
    for (const each of [page, phone.page]) await expect.poll(() => texts(each, '.doing'), PATIENCE).toEqual(['pausing'])
    expect(await phone.page.getByRole('button', { name: 'Cancel pause' }).isVisible()).toBe(true)
    writeFileSync(join(p.root, 'go'), '')
    await expect.poll(() => log(page), PATIENCE).toContain('npm test, run 1: all tests, in a clean copy')
    for (const each of [page, phone.page]) await expect.poll(() => texts(each, '.doing'), PATIENCE).toEqual(['paused'])
    expect(await log(page)).toContain('Claim rejected: ')
    // The list comes from the journal, the lines above from the run itself.
    await expect.poll(() => texts(page, '.recent b'), PATIENCE).toEqual(['1 · claim rejected'])

    await page.getByRole('button', { name: /^Accept / }).click()
    await page.getByRole('textbox', { name: 'Reason' }).fill('one half is enough')
    await page.keyboard.press('Enter')
    await expect
      .poll(() => texts(page, '.said'), PATIENCE)
      .toEqual([expect.stringMatching(/^Accept \w+: Accepted\. It counts from the next time the checks run\.$/)])
    await phone.page.getByRole('button', { name: 'Resume' }).click()
    expect((await done).code).toBe(0)
    for (const each of [page, phone.page])
      await expect.poll(() => texts(each, '.doing'), PATIENCE).toEqual(['verified'])
    expect((await texts(page, '.top .reason'))[0]).toMatch(/^Verified: .*accepted by you: 1 test change/)
    await expect.poll(() => page.getByRole('button', { name: /^Accept / }).count(), PATIENCE).toBe(0)
    expect(await page.getByRole('group', { name: 'Controls' }).isVisible()).toBe(false)
    // What was printed stays, after the run and its socket are gone.
    expect(await log(page)).toContain('I read the tests <b>first</b>.')
    await page.keyboard.press('3')
    await expect.poll(() => texts(page, '#panel-changes .file code')).toContain('first.txt')
    await picture(page, 'live-ended')
    expect([...trouble, ...phone.trouble]).toEqual([])
    const later = await openAddress(watch.url)
    await expect
      .poll(() => texts(later.page, '.details h2'), PATIENCE)
      .toEqual([expect.stringMatching(/^Iteration \d$/)])
    await later.page.keyboard.press('1')
    expect((await texts(later.page, '.empty'))[0]).toMatch(/^This run is not running.*All done\./s)
  })
})

describe('the timeline of a run that continues', () => {
  it('keeps its filter, focus and scroll position', async () => {
    const { write } = stateFolder()
    const rejected = (n: number): EventInput => decided(n, undefined, n % 3 === 0 ? 'yes' : 'no')
    const some = (from: number, to: number): readonly EventInput[] =>
      Array.from({ length: to - from + 1 }, (_, at) => rejected(from + at))
    const dir = write(NAME, [started(), ...some(1, 90)])
    const watch = await serve(dir)
    const { page, trouble } = await openAddress(watch.url)
    await expect.poll(() => texts(page, '.details h2')).toEqual(['Iteration 90'])
    const state = (): Promise<unknown> =>
      page.evaluate(`({
        top: document.querySelector('.list').scrollTop,
        focus: document.activeElement.querySelector('.number')?.textContent,
        filter: document.querySelector('.timeline [aria-pressed=true]').textContent,
        first: document.querySelector('.list').dataset.mine,
      })`)
    await page.evaluate(`document.querySelector('.list').dataset.mine = 'same'`)
    await page.getByRole('button', { name: /^Rejected claims/ }).click()
    await page.locator('.timeline [role=option]').last().focus()
    await page.keyboard.press('Home')
    for (let n = 0; n < 2; n++) await page.keyboard.press('ArrowDown')
    await page.evaluate(`document.querySelector('.list').scrollTop = 100`)
    const before = { top: 100, focus: 'Iteration 9', first: 'same' }
    expect(await state()).toEqual({ ...before, filter: 'Rejected claims 30' })
    await expect.poll(() => texts(page, '.details h2')).toEqual(['Iteration 9'])
    write(NAME, some(91, 93), 2000)
    await expect.poll(state).toEqual({ ...before, filter: 'Rejected claims 31' })
    expect(await texts(page, '.details h2')).toEqual(['Iteration 9'])
    // The newest one is followed, also when more come.
    await page.keyboard.press('End')
    await expect.poll(() => texts(page, '.details h2')).toEqual(['Iteration 93'])
    write(NAME, some(94, 96), 3000)
    await expect.poll(() => texts(page, '.details h2')).toEqual(['Iteration 96'])
    expect(await state()).toMatchObject({ focus: 'Iteration 96', filter: 'Rejected claims 32', first: 'same' })
    expect(trouble).toEqual([])
  })
})

describe('the list of runs', () => {
  const END = { type: 'run.ended', reason: 'all done', iteration: 2 } as const

  it('can be searched and filtered by status and project, with the keyboard', async () => {
    const { write } = stateFolder()
    const dir = write('parser-0123456789ab', [started({ task: 'write the grammar' }), decided(1)])
    write('lexer-0123456789ac', [
      started(),
      decided(1, DONE, 'yes'),
      { ...END, outcome: 'completed', ending: 'verified' },
    ])
    write('lexer-0123456789ad', [started(), decided(1), { ...END, outcome: 'aborted', ending: 'iterations' }])
    const watch = await serve(dir, { all: true })
    const { page, trouble } = await openAddress(watch.url, { viewport: { width: 1280, height: 900 } })
    await page.locator('html[data-ready=yes]').waitFor()
    const listed = (): Promise<string[]> => texts(page, '.runs [role=option] .status')
    await expect
      .poll(async () => (await listed()).sort())
      .toEqual(['not running', 'stopped: iteration limit', 'verified'])
    await page.keyboard.press('/')
    await page.keyboard.type('grammar')
    expect(await texts(page, '.runs [role=option] .name bdi')).toEqual(['write the grammar'])
    await page.getByRole('searchbox').fill('')
    await page.getByRole('button', { name: /^Not verified 1$/ }).click()
    expect(await listed()).toEqual(['stopped: iteration limit'])
    await page.getByRole('button', { name: /^All 3$/ }).click()
    await page.getByRole('combobox', { name: 'Project' }).selectOption('lexer')
    expect((await listed()).sort()).toEqual(['stopped: iteration limit', 'verified'])
    await page.getByRole('searchbox').fill('nothing like this')
    expect(await texts(page, '.side-list > p')).toEqual(['No run matches.'])
    expect(await axeFindings(page)).toEqual([])
    await page.keyboard.press('Escape')
    await page.locator('h1').focus()
    await page.keyboard.press('?')
    await page.getByRole('dialog', { name: 'Keyboard' }).waitFor()
    expect(await axeFindings(page)).toEqual([])
    await page.getByRole('checkbox').uncheck()
    await page.keyboard.press('Escape')
    await page.keyboard.press('/')
    expect(await page.evaluate('document.activeElement.type')).not.toBe('search')
    expect(trouble).toEqual([])
  })

  it('has earlier runs too, with their iterations, changes and details', async () => {
    const { dir, write } = await watchedWork({ 'sum.js': '0\n' }, { 'sum.js': '1\n' }, { 'sum.js': '2\n' })
    write(NAME, [started({ run: 'r2', task: 'add numbers' }), decided(1)], 9_000_000)
    const watch = await serve(dir)
    const { page, trouble } = await openAddress(watch.url)
    const named = (run: string): Promise<string[]> => texts(page, `.tile:has-text("Run") bdi:text-is("${run}")`)
    await expect.poll(() => texts(page, '.runs [role=option] .status')).toEqual(['not running', 'not running'])
    expect(await named('r2')).toEqual(['r2'])
    await page.getByRole('searchbox').fill('r1')
    await page.locator('.runs [role=option]').click()
    await expect.poll(() => named('r1')).toEqual(['r1'])
    await expect.poll(() => texts(page, '.details h2')).toEqual(['Iteration 2'])
    expect(await page.locator('.timeline [role=option]').count()).toBe(2)
    await page.getByText('Show the diff').click()
    await expect.poll(() => texts(page, '.details .file code')).toEqual(['sum.js', '@@ -1,1 +1,1 @@', '-1', '+2'])
    await page.getByRole('tab', { name: 'Changes' }).click()
    await expect.poll(() => texts(page, '#panel-changes .file code')).toEqual(['sum.js', '@@ -1,1 +1,1 @@', '-0', '+2'])
    expect(await texts(page, '.changes > div > p')).toEqual([
      expect.stringMatching(/changes by later runs are included/),
    ])
    await page.getByRole('tab', { name: 'Details' }).click()
    await expect.poll(() => page.locator('#panel-details section').count()).toBeGreaterThan(0)
    expect(await page.getByRole('group', { name: 'Controls' }).isVisible()).toBe(false)
    expect(await axeFindings(page)).toEqual([])
    await picture(page, 'earlier-run')
    expect(trouble).toEqual([])
  })

  it('takes turns with the run on a phone', async () => {
    const { write } = stateFolder()
    const dir = write('parser-0123456789ab', [started(), decided(1)])
    write('lexer-0123456789ac', [started(), decided(1)])
    const watch = await serve(dir, { all: true })
    const { page } = await openAddress(watch.url, PHONE)
    await page
      .locator('.runs')
      .getByRole('option', { name: /^lexer/ })
      .click()
    await expect.poll(() => page.locator('h1').isVisible()).toBe(true)
    expect(await texts(page, 'h1 bdi')).toEqual(['lexer'])
    expect(await page.getByRole('searchbox').isVisible()).toBe(false)
    await picture(page, 'phone-run')
    await page.getByRole('button', { name: 'Runs' }).click()
    expect(await page.getByRole('searchbox').isVisible()).toBe(true)
    expect(await page.locator('h1').isVisible()).toBe(false)
    await picture(page, 'phone-list')
  })
})
