import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core'
import { afterAll } from 'vitest'
import { browserProgram } from '../../scripts/install-browser.mjs'
import { htmlReport } from '../../src/reports/page/html.ts'
import type { Report } from '../../src/reports/page/types.ts'

export const { missing } = browserProgram()

const folder = mkdtempSync(join(tmpdir(), 'exitgate-browser-'))
let browser: Browser | undefined
let pages = 0

afterAll(async () => {
  await browser?.close()
  rmSync(folder, { recursive: true, force: true })
})

/** A page in the real browser, and everything that went wrong in it. */
export interface Opened {
  readonly page: Page
  /** Errors of scripts, messages of the console, and requests that left the file. */
  readonly trouble: readonly string[]
}

/** The report, written to a file and opened from there. `edit` may change the file, as somebody might. */
export async function openReport(
  report: Report,
  options: BrowserContextOptions & { readonly edit?: (html: string) => string } = {},
): Promise<Opened> {
  const { edit = (html: string) => html, ...context } = options
  const file = join(folder, `report-${++pages}.html`)
  writeFileSync(file, edit(htmlReport(report)))
  browser ??= await launch()
  const page = await (await browser.newContext({ viewport: { width: 1280, height: 900 }, ...context })).newPage()
  const trouble: string[] = []
  page.on('pageerror', (error) => trouble.push(`error: ${error.message}`))
  page.on('console', (message) => trouble.push(`console: ${message.text()}`))
  page.on('dialog', (dialog) => {
    trouble.push(`dialog: ${dialog.message()}`)
    void dialog.dismiss()
  })
  page.on('request', (request) => {
    if (request.url() !== pathToFileURL(file).href) trouble.push(`request: ${request.url()}`)
  })
  await page.goto(pathToFileURL(file).href)
  await page.locator('html[data-ready]').waitFor()
  return { page, trouble }
}

/** Another page by its address. What it asks for is its own business. */
export async function openAddress(url: string, context: BrowserContextOptions = {}): Promise<Opened> {
  browser ??= await launch()
  const page = await (await browser.newContext({ viewport: { width: 1280, height: 900 }, ...context })).newPage()
  const trouble: string[] = []
  page.on('pageerror', (error) => trouble.push(`error: ${error.message}`))
  page.on('console', (message) => trouble.push(`console: ${message.text()}`))
  page.on('dialog', (dialog) => {
    trouble.push(`dialog: ${dialog.message()}`)
    void dialog.dismiss()
  })
  await page.goto(url)
  return { page, trouble }
}

/** As root, and where the network is closed: no sandbox, and no calls home. */
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
    timeout: 60_000,
  })
}

/** With EXITGATE_SCREENSHOTS=FOLDER the pages are kept as pictures for somebody to look at. */
export async function picture(page: Page, name: string, fullPage = true): Promise<void> {
  const kept = process.env.EXITGATE_SCREENSHOTS
  if (kept === undefined) return
  mkdirSync(kept, { recursive: true })
  await page.screenshot({ path: join(kept, `${name}.png`), fullPage })
}
