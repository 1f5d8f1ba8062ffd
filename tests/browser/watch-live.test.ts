import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { beforeEach, describe, expect, it } from 'vitest'
import { CLAIM, NODE_TESTS, runProject } from '../e2e/run-project.ts'
import { serve, stateFolder } from '../integrations/watch-server.ts'
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
  p.agent(
    [
      `import { existsSync, readFileSync, writeFileSync } from 'node:fs'`,
      `console.log('I read the tests <b>first</b>.')`,
      `while (!existsSync(${JSON.stringify(join(p.root, 'go'))})) await new Promise((done) => setTimeout(done, 50))`,
      `for (const name of ['first.txt', 'second.txt']) writeFileSync(name, 'done')`,
      `const kept = readFileSync('halves.test.js', 'utf8').split('\\n').filter((line) => !line.includes('the second half'))`,
      `writeFileSync('halves.test.js', kept.join('\\n'))`,
      CLAIM,
    ].join('\n'),
  )

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
    await expect.poll(() => log(page), PATIENCE).toContain('npm test, run 1 of 2')
    for (const each of [page, phone.page]) await expect.poll(() => texts(each, '.doing'), PATIENCE).toEqual(['paused'])
    expect(await log(page)).toContain('Claim rejected: ')
    expect(await texts(page, '.recent b')).toEqual(['1 · claim rejected'])

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
    expect((await texts(page, '.top .reason'))[0]).toMatch(/^Verified: .*you accepted 1 test change/)
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
    expect(await texts(page, '.runs [role=option] .name bdi')).toEqual(['parser'])
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
