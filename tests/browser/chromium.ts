import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { AxeResults } from 'axe-core'
import { type Browser, chromium, type Page } from 'playwright-core'
import { afterAll, afterEach } from 'vitest'
import { browserProgram } from '../../scripts/browser-program.mjs'
import { htmlReport } from '../../src/reports/page/html.ts'
import type { Report } from '../../src/reports/page/types.ts'
import { patience } from '../timing.ts'

export const { missing } = browserProgram()

const folder = mkdtempSync(join(tmpdir(), 'exitgate-browser-'))
let browser: Browser | undefined
/** One page for all reports, because a new one has to compile and render everything from the start. */
let reportPage: Page | undefined
let pages = 0

// A page left open would keep rendering during the next test.
afterEach(async () => {
  for (const context of browser?.contexts() ?? []) if (context !== reportPage?.context()) await context.close()
  if (reportPage === undefined || reportPage.url() === 'about:blank') return
  for (const name of ['pageerror', 'console', 'dialog', 'request']) reportPage.removeAllListeners(name)
  await reportPage.evaluate('localStorage.clear()')
  await reportPage.goto('about:blank')
}, patience(60_000))

afterAll(async () => {
  await browser?.close()
  rmSync(folder, { recursive: true, force: true })
}, patience(60_000))

interface Look {
  readonly colorScheme?: 'light' | 'dark'
  readonly viewport?: { readonly width: number; readonly height: number }
}

const VIEWPORT = { width: 1280, height: 900 }

/** A page in a real browser, and every problem it reported. */
export interface Opened {
  readonly page: Page
  /** Script errors, console messages, and requests for anything but the file. */
  readonly trouble: readonly string[]
}

/** Writes the report to a file and opens it. `edit` changes the HTML first, for example to inject a script. */
export async function openReport(
  report: Report,
  {
    edit = (html) => html,
    colorScheme = 'light',
    viewport = VIEWPORT,
  }: Look & { edit?: (html: string) => string } = {},
): Promise<Opened> {
  const file = join(folder, `report-${++pages}.html`)
  writeFileSync(file, edit(htmlReport(report)))
  reportPage ??= await newPage({})
  const page = reportPage
  await page.setViewportSize(viewport)
  await page.emulateMedia({ media: 'screen', colorScheme })
  const trouble = troubleOf(page)
  page.on('request', (request) => {
    if (request.url() !== pathToFileURL(file).href) trouble.push(`request: ${request.url()}`)
  })
  await page.goto(pathToFileURL(file).href)
  await page.locator('html[data-ready]').waitFor()
  return { page, trouble }
}

/** Opens a URL, as if for the first time. Its requests are not reported as problems. */
export async function openAddress(url: string, look: Look = {}): Promise<Opened> {
  const page = await newPage(look)
  const trouble = troubleOf(page)
  await page.goto(url)
  return { page, trouble }
}

async function newPage(look: Look): Promise<Page> {
  browser ??= await launch()
  const context = await browser.newContext({ viewport: VIEWPORT, ...look })
  context.setDefaultTimeout(patience(30_000))
  return context.newPage()
}

function troubleOf(page: Page): string[] {
  const trouble: string[] = []
  page.on('pageerror', (error) => trouble.push(`error: ${error.message}`))
  page.on('console', (message) => trouble.push(`console: ${message.text()}`))
  page.on('dialog', (dialog) => {
    trouble.push(`dialog: ${dialog.message()}`)
    void dialog.dismiss()
  })
  return trouble
}

/** Chromium can't use its sandbox as root. Background requests are off because there may be no network. */
function launch(): Promise<Browser> {
  return chromium.launch({
    executablePath: browserProgram().path ?? '',
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      '--disable-dev-shm-usage',
    ],
    timeout: patience(60_000),
  })
}

/** Saves a screenshot if EXITGATE_SCREENSHOTS=FOLDER is set. */
export async function picture(page: Page, name: string, fullPage = true): Promise<void> {
  const kept = process.env.EXITGATE_SCREENSHOTS
  if (kept === undefined) return
  mkdirSync(kept, { recursive: true })
  await page.screenshot({ path: join(kept, `${name}.png`), fullPage })
}

/** Serious accessibility problems, by rule and element. */
export async function axeFindings(page: Page): Promise<readonly string[]> {
  if (!(await page.evaluate('"axe" in window')))
    await page.evaluate(readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8'))
  const { violations }: AxeResults = await page.evaluate('axe.run(document, { resultTypes: ["violations"] })')
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .flatMap(({ id, nodes }) =>
      nodes.map(({ target, failureSummary }) => `${id}: ${target.join(' ')}: ${failureSummary}`),
    )
}

export const LOOKS = [
  ['light', 1280],
  ['dark', 1280],
  ['light', 360],
  ['dark', 360],
] as const
