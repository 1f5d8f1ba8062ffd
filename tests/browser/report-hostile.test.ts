import { beforeEach, describe, expect, it } from 'vitest'
import { journalOf, STORY, shown, withLast } from '../reports/page-runs.ts'
import { missing, openReport, picture } from './chromium.ts'
import { HOSTILE } from './hostile-text.ts'

beforeEach(({ skip }) => skip(missing !== undefined, missing))

/** The same text in every place that shows untrusted text. */
const everywhere = (text: string) =>
  shown(
    withLast(journalOf({ iterations: STORY }), (seen) => ({
      ...seen,
      task: text,
      failed: { reason: text },
      forced: { by: text, reason: text, scope: 'run' },
      signals: {
        ...seen.signals,
        text,
        source: text,
        vetoes: [text],
        problems: [text],
        denials: [text],
        said: { [text]: text },
      },
      evidence: {
        tampering: {
          check: 'tampering',
          answer: 'no',
          detail: text,
          ms: 1,
          tree: '',
          changes: [{ file: text, line: 3, kind: text, blocks: true, detail: text, before: text, after: text }],
        },
      },
    })),
    text,
  )

describe("the agent's text", () => {
  it.each(HOSTILE)('%s is shown as text and has no effect', async (_name, text, seen) => {
    const { page, trouble } = await openReport(everywhere(text))
    const texts = await page.locator('pre.text').allTextContents()
    expect(texts.length).toBeGreaterThanOrEqual(3)
    expect(texts.filter((each) => !each.includes(seen))).toEqual([])
    expect(await page.locator('.reason, .trouble').allTextContents()).toContainEqual(
      expect.stringContaining(seen.trim()),
    )
    expect(await page.evaluate('window.owned')).toBeUndefined()
    expect(await page.locator('img, iframe, object, embed, a[href]').count()).toBe(0)
    expect(await page.locator('style').count()).toBe(1)
    expect(trouble).toEqual([])
  })

  it('a line of one megabyte fits the window and shows its end', async () => {
    const long = `${'x'.repeat(1024 * 1024)}THE-END`
    const { page, trouble } = await openReport(everywhere(long), { viewport: { width: 400, height: 800 } })
    expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBeLessThanOrEqual(0)
    expect(await page.locator('.details pre.text').last().textContent()).toContain('THE-END')
    expect(trouble).toEqual([])
    await picture(page, 'long-line')
  })
})

describe('the content security policy', () => {
  const injected: readonly (readonly [string, string])[] = [
    ['a script', '<script>window.owned = 1</script>'],
    ['an inline handler', '<img src="data:," onerror="window.owned = 1">'],
    ['an external script', '<script src="data:text/javascript,window.owned = 1"></script>'],
    ['a frame', '<iframe srcdoc="<script>parent.owned = 1</script>"></iframe>'],
    ['a base element', '<base href="http://127.0.0.1:9/">'],
  ]
  it.each(injected)('blocks %s injected into the file', async (_name, html) => {
    const edit = (page: string) => page.replace('<div id="page">', `${html}<div id="page">`)
    const { page } = await openReport(shown(journalOf({ iterations: STORY })), { edit })
    expect(await page.locator('h1').textContent()).toBe('Verified')
    expect(await page.evaluate('window.owned')).toBeUndefined()
    expect(await page.evaluate('document.baseURI')).toMatch(/^file:/)
  })

  it('blocks requests, sockets and eval', async () => {
    const { page } = await openReport(shown(journalOf({ iterations: STORY })))
    const refused = (code: string) =>
      page.evaluate(`new Promise((done) => {
        addEventListener('securitypolicyviolation', (event) => done(event.effectiveDirective), { once: true })
        try { ${code} } catch (error) { done(error.name) }
      })`)
    expect(await refused("fetch('http://127.0.0.1:9/').catch(() => {})")).toBe('connect-src')
    expect(await refused("new Image().src = 'http://127.0.0.1:9/x.png'")).toBe('img-src')
    expect(
      await refused(
        "const f = document.createElement('form'); f.action = 'http://127.0.0.1:9/'; document.body.append(f); f.submit()",
      ),
    ).toBe('form-action')
    expect(await refused("document.body.setAttribute('onclick', 'window.owned = 1'); document.body.click()")).toMatch(
      /^script-src/,
    )
  })
})
