// `npm run screenshots`: records the demo, and takes screenshots of its report in a real browser.
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { chromium } from 'playwright-core'
import { browserProgram } from './browser-program.mjs'
import { writeRecording } from './make-recording.mjs'

const root = join(import.meta.dirname, '..')
const images = join(root, 'docs', 'images')
const { path, missing } = browserProgram()
if (path === undefined) {
  console.error(`screenshots need a browser: ${missing}`)
  process.exit(1)
}
mkdirSync(images, { recursive: true })
writeRecording(join(root, 'dist/cli/cli.cjs'), join(images, 'demo.svg'))
const folder = realpathSync(mkdtempSync(join(tmpdir(), 'exitgate-screenshots-')))
try {
  const env = { PATH: process.env.PATH, HOME: folder, TMPDIR: folder }
  execFileSync(process.execPath, [join(root, 'dist/cli/cli.cjs'), 'demo', '--keep'], { env, stdio: 'ignore' })
  const [demo = ''] = readdirSync(folder).filter((name) => name.startsWith('exitgate-demo-'))
  const page = pathToFileURL(join(folder, demo, 'report.html')).href
  const browser = await chromium.launch({
    executablePath: path,
    args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking', '--disable-component-update'],
  })
  try {
    for (const colorScheme of ['light', 'dark']) {
      const tab = await browser.newPage({ viewport: { width: 1200, height: 1100 }, colorScheme })
      await tab.goto(page)
      await tab.locator('html[data-ready]').waitFor()
      await tab.screenshot({ path: join(images, `report-${colorScheme}.png`) })
      await tab.close()
    }
  } finally {
    await browser.close()
  }
} finally {
  rmSync(folder, { recursive: true, force: true })
}
console.log(`written: ${readdirSync(images).join(', ')} in docs/images`)
