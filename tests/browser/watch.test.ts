import { existsSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openJournal } from '../../src/journal/log.ts'
import { CLAIM, runProject, waitFor } from '../e2e/run-project.ts'
import { listen, serve, serveOnLowPort, stateFolder } from '../integrations/watch-server.ts'
import { decided, observation, started, verdict } from '../journal/samples.ts'
import { journalOf, STORY } from '../reports/page-runs.ts'
import { axeFindings, LOOKS, missing, openAddress, picture } from './chromium.ts'

beforeEach(({ skip }) => skip(missing !== undefined, missing))

const servers: { close(): unknown }[] = []
afterEach(() => {
  for (const server of servers.splice(0)) server.close()
})

const texts = (page: Page, selector: string): Promise<string[]> => page.locator(selector).allTextContents()
const ready = (page: Page): Promise<void> => page.locator('html[data-ready=yes]').waitFor()

describe('the live page', () => {
  it('follows a growing journal, keeps the selected iteration, and removes the token from the URL', async () => {
    const { write, root } = stateFolder()
    const events = journalOf({ iterations: STORY })
    const second = events.findIndex((event) => event.type === 'iteration.decided' && event.iteration === 2) + 1
    const dir = write('parser-0123456789ab', events.slice(0, second))
    write('lexer-0123456789ac', [started({ run: 'r9' }), decided(1)])
    const watch = await serve(dir, { all: true })
    const { page, trouble } = await openAddress(watch.url)
    await ready(page)
    expect(page.url()).toBe(`http://127.0.0.1:${watch.port}/`)
    expect(await page.locator('.runs [role=option]').count()).toBe(2)
    await page
      .locator('.runs')
      .getByRole('option', { name: /^parser/ })
      .click()
    await expect.poll(() => texts(page, '.details h2')).toEqual(['Iteration 2'])
    await picture(page, 'watch-going-on')
    const journal = openJournal(join(root, 'parser-0123456789ab'))
    journal.append(events.slice(second), 10_000_000)
    journal.close()
    await expect.poll(() => texts(page, '.place h1 .doing')).toEqual(['verified'])
    await expect.poll(() => texts(page, '.details h2')).toEqual(['Iteration 4'])
    await page.locator('.timeline [role=option]').first().click()
    await expect.poll(() => texts(page, '.details h2')).toEqual(['Iteration 1'])
    expect(await page.title()).toBe('verified · parser · exitgate watch')
    await picture(page, 'watch-ended')
    await page.reload()
    await ready(page)
    expect(await page.locator('.runs [role=option]').count()).toBe(2)
    expect(trouble).toEqual([])
  })

  it('reconnects after the server restarts on the same port, and after the connection is lost', async () => {
    const { write, root } = stateFolder()
    const dir = write('parser-0123456789ab', [started(), decided(1)])
    const first = await serveOnLowPort(dir)
    const { page } = await openAddress(first.url)
    await ready(page)
    await expect.poll(() => texts(page, '.link')).toEqual(['live'])
    await first.close()
    await expect.poll(() => texts(page, '.link')).toEqual(['connection lost, trying again'])
    write('parser-0123456789ab', [decided(2)], 2000)
    await serve(join(root, 'parser-0123456789ab'), { port: first.port, token: first.token })
    await expect.poll(() => texts(page, '.link')).toEqual(['live'])
    await expect.poll(() => texts(page, '.details h2')).toEqual(['Iteration 2'])
    expect(await page.locator('.timeline [role=option]').count()).toBe(2)
  })

  it('explains what to do if the token is wrong', async () => {
    const { write } = stateFolder()
    const watch = await serve(write('parser-0123456789ab', [started(), decided(1)]))
    const { page } = await openAddress(watch.url.replace(watch.token, 'x'.repeat(43)))
    await page.locator('html[data-ready=refused]').waitFor()
    expect(await page.getByRole('alert').textContent()).toMatch(/Open the address that exitgate watch printed/)
    await page.goto(watch.url)
    await ready(page)
    expect(await page.getByRole('alert').isHidden()).toBe(true)
  })

  it('shows hostile text as text, protected by its content security policy', async () => {
    const hostile = `</script><script>window.broken = 1</script><img src=x onerror="window.broken = 2">\u202e\u001b[31mred`
    const { write } = stateFolder()
    const said = { ...observation, signals: { ...observation.signals, text: hostile }, task: hostile }
    const rejected = {
      ...verdict({ action: 'continue', warnings: [hostile] }, 'yes'),
      reason: hostile,
      missing: [hostile],
    }
    const { after } = journalOf({ iterations: STORY }).find((event) => event.type === 'iteration.decided') ?? {}
    if (after === undefined) throw new Error('the story has no decision')
    const one = { type: 'iteration.decided' as const, iteration: 1, observation: said, verdict: rejected, after }
    const watch = await serve(write('parser-0123456789ab', [started({ task: hostile, run: hostile }), one]))
    const { page, trouble } = await openAddress(watch.url)
    await ready(page)
    await expect.poll(() => texts(page, '.details h2')).toEqual(['Iteration 1'])
    expect((await texts(page, '.top .reason'))[0]).toContain('<img src=x onerror=')
    expect((await texts(page, '.top .reason'))[0]).not.toMatch(/[\u202e\u001b]/)
    expect(await page.locator('img, iframe, script:not(body > script)').count()).toBe(0)
    expect(await page.evaluate('"broken" in window')).toBe(false)
    expect(trouble).toEqual([])
    await picture(page, 'watch-hostile')
    const tried = await page.evaluate(`(async () => {
      const script = document.createElement('script')
      script.textContent = 'window.broken = 3'
      document.body.append(script)
      const away = await fetch('http://localhost:1/').then(() => 'sent', () => 'refused')
      return { away, broken: 'broken' in window }
    })()`)
    expect(tried).toEqual({ away: 'refused', broken: false })
    expect(trouble.filter((each) => each.includes('Content Security Policy')).length).toBeGreaterThanOrEqual(2)
  })

  it('cannot be read, controlled or framed from another origin, even with the token', async () => {
    const { write } = stateFolder()
    const watch = await serve(write('parser-0123456789ab', [started(), decided(1)]))
    const other = createServer((_request, response) => response.end('<!doctype html><title>other</title>'))
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve))
    servers.push(other)
    const { page } = await openAddress(`http://127.0.0.1:${(other.address() as AddressInfo).port}/`)
    const tried = await page.evaluate(`(async () => {
      const to = 'http://127.0.0.1:${watch.port}'
      const headers = { authorization: 'Bearer ${watch.token}' }
      const body = JSON.stringify({ journal: 'parser-0123456789ab', kind: 'force', reason: 'mine' })
      const tell = (sent) => sent.then(async (answer) => answer.type + await answer.text(), () => 'refused')
      const frame = document.createElement('iframe')
      const framed = new Promise((resolve) => {
        frame.onload = () => resolve(frame.contentDocument === null ? 'closed' : 'open')
      })
      frame.src = to
      document.body.append(frame)
      return {
        plain: await tell(fetch(to + '/iteration?journal=parser-0123456789ab&run=r1&n=1')),
        withCookies: await tell(fetch(to + '/', { credentials: 'include' })),
        blindly: await tell(fetch(to + '/', { mode: 'no-cors' })),
        withToken: await tell(fetch(to + '/events', { headers })),
        press: await tell(fetch(to + '/control', { method: 'POST', headers, body })),
        pressBlindly: await tell(fetch(to + '/control', { method: 'POST', mode: 'no-cors', body })),
        framed: await framed,
      }
    })()`)
    expect(tried).toEqual({
      plain: 'refused',
      withCookies: 'refused',
      blindly: 'refused',
      withToken: 'refused',
      press: 'refused',
      pressBlindly: 'refused',
      framed: 'closed',
    })
  })
})

describe('a real run in the live page', () => {
  it('shows its progress, and can be interrupted with the keyboard alone', async () => {
    const p = runProject()
    const go = join(p.root, 'go')
    const agent = p.agent(`${waitFor('go')}echo done $(date +%s) > first.txt; ${CLAIM}`)
    const { done } = await p.start(['run', '--prompt', 'PROMPT.md', '--', ...agent])
    await expect.poll(() => existsSync(join(p.state))).toBe(true)
    await expect.poll(() => existsSync(join(p.journalDir(), 'control.json'))).toBe(true)
    const watch = await serve(p.journalDir())
    const { page, trouble } = await openAddress(watch.url)
    await ready(page)
    await expect.poll(() => texts(page, '.place h1 .doing')).toEqual(['running'])
    const button = page.getByRole('button', { name: 'Stop' })
    const focused = (): Promise<unknown> => page.evaluate('document.activeElement.textContent')
    await button.waitFor()
    for (let tabs = 0; tabs < 20 && (await focused()) !== 'Stop'; tabs++) await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    await page.getByRole('dialog').waitFor()
    await picture(page, 'watch-question', false)
    await page.keyboard.type('seen enough')
    await page.keyboard.press('Enter')
    await expect.poll(() => texts(page, '.said')).toEqual(['Stop: Stopping after the current iteration.'])
    await picture(page, 'watch-interrupted')
    writeFileSync(go, '')
    expect((await done).code).toBe(3)
    await expect.poll(() => texts(page, '.place h1 .doing')).toEqual(['interrupted'])
    expect(p.events()).toContainEqual(
      expect.objectContaining({ type: 'control', kind: 'interrupt', reason: 'seen enough' }),
    )
    expect(trouble).toEqual([])
    const heard = await listen(watch.port, watch.token)
    expect((await heard.until(({ all }) => all)).rows[0]).toMatchObject({ status: 'ended', answers: false })
    heard.close()
  })
})

it.each(LOOKS)('the live page is accessible in %s at %i pixels', async (colorScheme, width) => {
  const { write } = stateFolder()
  const events = journalOf({ iterations: STORY }).filter(({ type }) => type !== 'run.ended')
  const third = events.findIndex((event) => event.type === 'iteration.decided' && event.iteration === 3) + 1
  const dir = write('parser-0123456789ab', events.slice(0, third))
  for (let n = 0; n < 9; n++) write(`lexer-${n}-0123456789ab`, [started(), decided(1)])
  // The page shows the buttons only while the loop is alive, so pretend it is.
  const run = events.find((event) => event.type === 'run.started')?.run
  const place = { path: join(dir, 'socket'), folder: dir, run, pid: process.pid }
  writeFileSync(join(dir, 'control.json'), JSON.stringify(place))
  const watch = await serve(dir, { all: true })
  const { page } = await openAddress(watch.url, { colorScheme, viewport: { width, height: 900 } })
  await page
    .locator('.runs')
    .getByRole('option', { name: /^parser/ })
    .click()
  await page.getByRole('tab', { name: 'Iterations' }).click()
  await expect.poll(() => page.locator('.details h2').allTextContents()).toEqual(['Iteration 3'])
  await picture(page, `watch-${colorScheme}-${width}`)
  const unseen = `[...document.querySelectorAll('.bar > *, [role=tab]')].filter((each) => each.offsetHeight > 45
    || each.getBoundingClientRect().right > innerWidth).map((each) => each.textContent)`
  expect(await page.evaluate(unseen), 'wrapped, or outside of the window').toEqual([])
  expect(await axeFindings(page)).toEqual([])
  expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBeLessThanOrEqual(0)
  await page.getByRole('tab', { name: 'Live' }).click()
  expect(await axeFindings(page)).toEqual([])
  expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBeLessThanOrEqual(0)
  await page.getByRole('button', { name: 'Force' }).click()
  await page.getByRole('dialog').waitFor()
  expect(await axeFindings(page)).toEqual([])
  await page.keyboard.press('Enter')
  expect(await page.getByRole('dialog').isVisible(), 'it needs a reason').toBe(true)
  await page.keyboard.press('Escape')
  await expect.poll(() => page.getByRole('dialog').isVisible()).toBe(false)
})
