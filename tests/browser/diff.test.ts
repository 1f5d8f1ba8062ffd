import type { Page } from 'playwright-core'
import { beforeEach, describe, expect, it } from 'vitest'
import { lineDiff } from '../../packages/exitgate/src/tree/line-diff.ts'
import type { FileDiff } from '../../src/core/file-diff.ts'
import { safeTextWith } from '../../src/reports/page/safe-text.ts'
import { shownDiff } from '../../src/reports/page/shown-diff.ts'
import type { Report } from '../../src/reports/page/types.ts'
import { serve } from '../integrations/watch-server.ts'
import { NAME, watchedWork } from '../integrations/watched-work.ts'
import { decided } from '../journal/samples.ts'
import { reportOf, STORY } from '../reports/page-runs.ts'
import { patience } from '../timing.ts'
import { axeFindings, LOOKS, missing, openAddress, openReport, picture } from './chromium.ts'
import { HOSTILE } from './hostile-text.ts'

const PATIENCE = { timeout: patience(60_000), interval: 100 }
beforeEach(({ skip }) => skip(missing !== undefined, missing))

const OLD = `import { readFile } from 'node:fs/promises'

/** Reads a list. */
export async function parseList(path: string): Promise<string[]> {
  const text = await readFile(path, 'utf8')
  // One item for each line.
  return text.split('\\n')
}
`
const NEW = `import { readFile } from 'node:fs/promises'

/** Reads a list, without blank lines. */
export async function parseList(path: string, most = 100): Promise<readonly string[]> {
  const text = await readFile(path, 'utf8')
  /* One item for each line,
     without comments. */
  const lines = text.split('\\n').filter((line) => line.trim() !== '')
  return lines.slice(0, most)
}
`

function modified(path: string, before: string, after: string, more: Partial<FileDiff> = {}): FileDiff {
  const hunks = lineDiff(before, after)
  const count = (sign: RegExp): number => hunks.match(sign)?.length ?? 0
  return { path, status: 'modified', added: count(/^\+/gm), removed: count(/^-/gm), hunks, ...more }
}

const PYTHON = 'def add(a, b):\n    """Adds."""\n    return a + b\n'
const FILES: readonly FileDiff[] = [
  modified('src/parse.ts', OLD, NEW),
  modified('tools/add.py', '', PYTHON, { status: 'added' }),
  modified('old/notes.md', '# Notes\n\nGone.\n', '', { status: 'deleted' }),
  modified('src/new-name.ts', 'const a = 1\nconst b = 2\n', 'const a = 1\nconst b = 3\n', {
    status: 'renamed',
    from: 'src/old-name.ts',
  }),
  { path: 'src/moved.ts', from: 'lib/moved.ts', status: 'renamed', added: 0, removed: 0 },
  {
    path: 'run.sh',
    status: 'modified',
    mode: ['100644', '100755'],
    added: 0,
    removed: 0,
    why: 'only the mode changed',
  },
  { path: 'logo.png', status: 'modified', added: 0, removed: 0, why: 'binary, or larger than 2 MB' },
  modified('min.js', 'a\n', `${'var x=1;'.repeat(20_000)}END\n`),
  {
    path: 'end.txt',
    status: 'modified',
    added: 1,
    removed: 1,
    hunks: '@@ -1,2 +1,2 @@\n a\n-b\n+b\n\\ No newline at end of file\n',
  },
]

const story = reportOf({ iterations: STORY })

function reportWith(files: readonly FileDiff[], room = Number.POSITIVE_INFINITY): Report {
  const total = shownDiff(
    files,
    { left: room },
    safeTextWith((text) => text),
    '`git diff abc` shows what git tracks.',
  )
  return { ...story, work: { total, iterations: [], commits: [] } }
}

/** The rows of one file, as text. */
const rowsOf = (page: Page, path: string, selector = '.row'): Promise<string[]> =>
  page.locator('details.file', { hasText: path }).locator(selector).allTextContents()
const isPressed = (page: Page, name: string): Promise<string | null> =>
  page.locator('.work').getByRole('button', { name }).getAttribute('aria-pressed')

describe('the diff in a report', () => {
  it('has line numbers, colors by language, and marks the words that changed', async () => {
    const { page, trouble } = await openReport(reportWith(FILES))
    expect(await page.locator('.work .stat').textContent()).toBe('9 files changed, +12 \u221210')
    const file = page.locator('details.file', { hasText: 'src/parse.ts' })
    const colored = (kind: string) => file.locator(`.t-${kind}`).allTextContents()
    expect(await colored('keyword')).toEqual(expect.arrayContaining(['import', 'export', 'async', 'const', 'return']))
    expect(await colored('string')).toEqual(expect.arrayContaining(["'node:fs/promises'", "'utf8'"]))
    // A comment of two lines is one comment.
    expect(await colored('comment')).toEqual(
      expect.arrayContaining([' One item for each line', '     without comments. */']),
    )
    expect(await file.locator('.plus .word').allTextContents()).toEqual(
      expect.arrayContaining([', without blank lines']),
    )
    expect(await file.locator('.minus .word').allTextContents()).toEqual(['/', '.'])
    const numbers = await file
      .locator('.row.plus .number')
      .evaluateAll((all) => all.map((each) => (each as { dataset?: { n?: string } }).dataset?.n ?? ''))
    expect(numbers.slice(0, 4)).toEqual(['', '3', '', '4'])
    expect(await rowsOf(page, 'src/parse.ts', '.row.minus')).toEqual([
      '-/** Reads a list. */',
      '-export async function parseList(path: string): Promise<string[]> {',
      '-  // One item for each line.',
      "-  return text.split('\\n')",
    ])
    expect(await page.locator('details.file', { hasText: 'add.py' }).locator('.t-keyword').allTextContents()).toEqual([
      'def',
      'return',
    ])
    expect(trouble).toEqual([])
    await picture(page, 'diff-unified')
  })

  it('is side by side on request, and stays so after a reload', async () => {
    const { page } = await openReport(reportWith(FILES))
    expect([await isPressed(page, 'Unified'), await isPressed(page, 'Side by side')]).toEqual(['true', 'false'])
    await page.getByRole('button', { name: 'Side by side' }).click()
    const sides = (path: string) =>
      page
        .locator('details.file', { hasText: path })
        .locator('.row.pair')
        .evaluateAll((rows) =>
          rows.map((row) =>
            [...(row as unknown as { children: Iterable<{ textContent: string }> }).children].map(
              ({ textContent }) => textContent,
            ),
          ),
        )
    expect((await sides('src/new-name.ts')).slice(0, 2)).toEqual([
      [' const a = 1', ' const a = 1'],
      ['-const b = 2', '+const b = 3'],
    ])
    expect(await sides('end.txt')).toEqual([
      [' a', ' a'],
      ['-b', '+b'],
      ['', 'No newline at end of file'],
    ])
    await picture(page, 'diff-split')
    // A long line is read by scrolling both sides together.
    const long = page.locator('details.file', { hasText: 'min.js' })
    await long.locator('.slider').focus()
    await page.evaluate('document.activeElement.scrollLeft = 300')
    await expect
      .poll(() =>
        page.evaluate('document.activeElement.parentElement.querySelector(".sheet").style.getPropertyValue("--shift")'),
      )
      .toBe('-300px')
    await page.reload()
    await page.locator('html[data-ready]').waitFor()
    expect([await isPressed(page, 'Unified'), await isPressed(page, 'Side by side')]).toEqual(['false', 'true'])
    expect(await page.locator('.work .row.pair').count()).toBeGreaterThan(10)
    // Two sides do not fit a phone.
    await page.setViewportSize({ width: 400, height: 800 })
    await expect.poll(() => page.locator('.work .row.pair').count()).toBe(0)
  })

  it('says what happened to files without lines, and shows long lines and missing newlines', async () => {
    const { page } = await openReport(reportWith(FILES))
    const titles = await page.locator('.file-title').allTextContents()
    expect(titles.map((title) => title.replaceAll('\u2192', '>'))).toEqual([
      'src/parse.ts+6 \u22124',
      'tools/add.pyadded+3 \u22120',
      'old/notes.mddeleted+0 \u22123',
      'src/old-name.ts > src/new-name.tsrenamed+1 \u22121',
      'lib/moved.ts > src/moved.tsrenamed',
      'run.shmode 100644 > 100755only the mode changed',
      'logo.pngbinary, or larger than 2 MB',
      'min.js+1 \u22121',
      'end.txt+1 \u22121',
    ])
    expect(await rowsOf(page, 'end.txt')).toEqual(['@@ -1,2 +1,2 @@', ' a', '-b', '+b', 'No newline at end of file'])
    const long = (await rowsOf(page, 'min.js', '.row.plus'))[0] ?? ''
    expect(long).toMatch(/^\+(?:var x=1;){250}158,003 more characters$/)
    await page.getByRole('button', { name: '158,003 more characters' }).click()
    expect(await page.getByRole('dialog').locator('pre').textContent()).toMatch(/x=1;END$/)
    await page.keyboard.press('Escape')
    await expect.poll(() => page.getByRole('dialog').count()).toBe(0)
  })

  it('works with the keyboard: files one by one, the layout, the list of files', async () => {
    const { page } = await openReport(reportWith(FILES))
    const focused = (): Promise<unknown> => page.evaluate('document.activeElement.textContent.slice(0, 30)')
    await page.locator('details.file summary').first().focus()
    await page.keyboard.press('n')
    expect(await focused()).toMatch(/^tools\/add\.py/)
    await page.keyboard.press('p')
    expect(await focused()).toMatch(/^src\/parse\.ts/)
    await page.keyboard.press('Enter')
    expect(await page.evaluate('document.querySelector("details.file").open')).toBe(false)
    await page.keyboard.press('u')
    expect(await isPressed(page, 'Side by side')).toBe('true')
    await page.getByLabel('Filter the files by name').fill('MIN')
    expect(await page.locator('.file-list li').allTextContents()).toEqual(['Mmin.js+1 \u22121'])
    await page.keyboard.press('Tab')
    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    expect(await focused()).toMatch(/^min\.js/)
    // A letter in a field is text.
    await page.getByLabel('Filter the files by name').press('n')
    expect(await page.getByLabel('Filter the files by name').inputValue()).toBe('nMIN')
  })

  it('names the command for what is too large', async () => {
    const { page } = await openReport(reportWith(FILES, 2_000))
    expect(await page.locator('.work .rest').textContent()).toBe(
      '1 file is too large to show here. git diff abc shows what git tracks.',
    )
  })

  it('is printed with its lines, as far as that is useful', async () => {
    const long = modified('long.txt', '', Array.from({ length: 3500 }, (_, n) => `line ${n}\n`).join(''))
    const { page } = await openReport(reportWith([FILES[0]!, long]))
    await page.getByRole('button', { name: 'Expand all' }).click()
    await page.emulateMedia({ media: 'print' })
    await expect.poll(() => page.locator('.work .row').count()).toBe(3000)
    expect(await page.locator('.lines-frame p').textContent()).toBe('516 more lines of this file are not printed.')
    expect(await page.evaluate('getComputedStyle(document.querySelector(".work .row")).position')).toBe('static')
    await page.emulateMedia({ media: 'screen' })
    await expect.poll(() => page.locator('.work .row').count()).toBeLessThan(200)
  })

  it('is printed with the lines of a file that is opened while the page is printed', async () => {
    const long = modified('long.txt', '', Array.from({ length: 500 }, (_, n) => `line ${n}\n`).join(''))
    const { page } = await openReport(reportWith([FILES[0]!, long]))
    await page.emulateMedia({ media: 'print' })
    await page.locator('.printed h2').waitFor()
    await page.evaluate('document.querySelectorAll("details.file").forEach((file) => { file.open = true })')
    await expect.poll(() => page.locator('.work .row').count()).toBe(516)
  })
})

describe('a large diff', () => {
  const lines = (word: string) =>
    Array.from({ length: 6_000 }, (_, n) => `const ${word}${n} = compute(${n})\n`).join('')
  const hunks = lineDiff(lines('before'), lines('after'))
  const files = Array.from({ length: 200 }, (_, n): FileDiff => {
    const large = { added: 6_000, removed: 6_000, hunks }
    const small = { added: 1, removed: 1, hunks: '@@ -1,1 +1,1 @@\n-a\n+b\n' }
    return { path: `src/file-${n}.js`, status: 'modified', ...(n < 12 ? large : small) }
  })

  it('has only the lines near the window in the page, unified and side by side', async () => {
    const { page, trouble } = await openReport(reportWith(files))
    const drawn = () => page.locator('.work .row').count()
    expect(await page.locator('details.file').count()).toBeLessThan(200)
    // Opened blocks push others out of the window, which are emptied in the next frame.
    await page.getByRole('button', { name: 'Expand all' }).click()
    await expect.poll(drawn).toBeGreaterThan(40)
    await expect.poll(drawn).toBeLessThan(300)
    await page.evaluate('scrollBy(0, 100000)')
    await expect.poll(() => page.locator('.work .row', { hasText: 'before5000 ' }).count()).toBe(1)
    await expect.poll(drawn).toBeLessThan(300)
    await page.evaluate('document.querySelectorAll(".layouts button")[1].click()')
    await expect.poll(() => page.locator('.work .row.pair').count()).toBeGreaterThan(40)
    await expect.poll(drawn).toBeLessThan(300)
    // Every file can be reached from the list.
    await page.locator('.file-index summary').click()
    await page.getByLabel('Filter the files by name').fill('file-199')
    await page.locator('.file-list button').click()
    await expect.poll(() => page.locator('details.file').count()).toBe(200)
    expect(await page.evaluate('document.activeElement.textContent')).toMatch(/^src\/file-199\.js/)
    expect(trouble).toEqual([])
  })
})

describe('hostile files', () => {
  it.each(HOSTILE)('%s in a name and in code is shown as text and has no effect', async (_name, text, seen) => {
    const code = `@@ -1,2 +1,2 @@\n-${text}\n+// ${text}\n const x = \`${text}\`\n`
    const named = text.replaceAll('\n', ' ')
    const kinds = ['.html', '.js', '.md', '.php', '']
    const files = kinds.map(
      (ending): FileDiff => ({ path: `${named}${ending}`, status: 'modified', added: 1, removed: 1, hunks: code }),
    )
    const renamed: FileDiff = { path: named, from: named, status: 'renamed', added: 0, removed: 0, why: text }
    const { page, trouble } = await openReport(reportWith([...files, renamed]))
    for (const row of await page.locator('.work .row.plus').allTextContents()) expect(row).toContain(seen)
    expect(await page.locator('.work .row.plus').count()).toBe(kinds.length)
    for (const title of await page.locator('.work .file-title').allTextContents()) expect(title).toContain(seen)
    await page.getByRole('button', { name: 'Side by side' }).click()
    expect(await page.locator('.work .row.pair').count()).toBe(2 * kinds.length)
    expect(await page.evaluate('window.owned')).toBeUndefined()
    expect(await page.locator('img, iframe, object, embed, a[href]').count()).toBe(0)
    expect(await page.locator('style').count()).toBe(1)
    expect(trouble).toEqual([])
  })
})

describe('the live page', () => {
  it('shows what the run changed, all of it and by iteration, with hostile names and code as text', async () => {
    const evil = '<img src=x onerror="window.owned = 1">'
    const { dir, put } = await watchedWork(
      { 'src/parse.ts': OLD, 'old.txt': 'kept\nlines\n' },
      { 'src/parse.ts': NEW },
      {
        'old.txt': undefined,
        'new.txt': 'kept\nlines\n',
        'a <b>&.html': `${evil}\n`,
        '.env': 'TOKEN=abcdef0123456789\n',
      },
    )
    const watch = await serve(dir)
    const { page, trouble } = await openAddress(watch.url)
    await page.getByRole('tab', { name: /^Changes/ }).click()
    const titles = () => page.locator('.changes .file-title').allTextContents()
    await expect
      .poll(titles)
      .toEqual([
        '.envadded+1 \u22120',
        'a <b>&.htmladded+1 \u22120',
        'old.txt \u2192 new.txtrenamed',
        'src/parse.ts+6 \u22124',
      ])
    expect(await page.locator('.changes .row.plus').allTextContents()).toEqual(
      expect.arrayContaining(['+TOKEN=[redacted]', `+${evil}`]),
    )
    expect(await page.locator('.changes .t-keyword').allTextContents()).toContain('async')
    await page.getByRole('button', { name: 'Side by side' }).click()
    expect(await page.locator('.changes .row.pair').count()).toBeGreaterThan(10)
    await picture(page, 'watch-changes')
    await page.getByRole('tab', { name: /^Iterations/ }).click()
    await page.locator('.iteration-changes summary').first().click()
    await expect
      .poll(() => page.locator('.iteration-changes .file-title').allTextContents())
      .toEqual(['.envadded+1 \u22120', 'a <b>&.htmladded+1 \u22120', 'old.txt \u2192 new.txtrenamed'])
    await picture(page, 'watch-iteration-changes')
    expect(await page.evaluate('window.owned')).toBeUndefined()
    expect(await page.locator('img, iframe, a[href^="javascript"]').count()).toBe(0)
    expect(await axeFindings(page)).toEqual([])
    expect(trouble).toEqual([])
    put({ 'later.txt': 'x\n' })
    // The files are compared again after a while, which is longer if it took long.
    const titlesAgain = async () => {
      await page.reload()
      await page.getByRole('tab', { name: /^Changes/ }).click()
      await page.locator('.changes .file-title').first().waitFor()
      return titles()
    }
    await expect.poll(titlesAgain, { interval: 1000 }).toContainEqual('later.txtadded+1 \u22120')
    expect(await axeFindings(page)).toEqual([])
  })

  it('is loaded once while no file changes, again when one does, and later when the server is busy', async () => {
    const { dir, put, write } = await watchedWork({ 'a.txt': '0\n' }, { 'a.txt': '1\n' })
    const watch = await serve(dir)
    const { page, trouble } = await openAddress(watch.url)
    let asked = 0
    let release = (): void => {}
    const released = new Promise<void>((resolve) => {
      release = resolve
    })
    await page.route('**/diff?*', async (route) => {
      asked += 1
      if (asked === 1) return route.fulfill({ status: 429, json: { error: 'too many requests' } })
      await released
      await route.continue()
    })
    await page.getByRole('tab', { name: /^Changes/ }).click()
    const lines = () => page.locator('.changes .row.plus').allTextContents()
    await expect.poll(() => asked, PATIENCE).toBeGreaterThan(0)
    expect(await page.locator('.changes [role=status]').textContent()).toBe('Comparing the files ...')
    release()
    await expect.poll(lines, PATIENCE).toEqual(['+1'])
    for (let n = 2; n <= 12; n++) {
      write(NAME, [decided(n)])
      await expect.poll(() => page.getByRole('tab', { name: /^Iterations/ }).textContent(), PATIENCE).toContain(`${n}`)
    }
    expect(asked).toBe(2)
    put({ 'a.txt': '2\n' })
    write(NAME, [decided(13)])
    await expect.poll(lines, PATIENCE).toEqual(['+2'])
    expect(asked).toBe(3)
    // The browser reports the answer 429 itself.
    expect(trouble.filter((text) => !text.includes('429'))).toEqual([])
  })
})

it.each(LOOKS)('a diff is accessible in %s at %i pixels', async (colorScheme, width) => {
  const { page } = await openReport(reportWith(FILES), { colorScheme, viewport: { width, height: 900 } })
  expect(await axeFindings(page)).toEqual([])
  expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBeLessThanOrEqual(0)
  await page.locator('.work').scrollIntoViewIfNeeded()
  await picture(page, `diff-${colorScheme}-${width}`)
  await page.evaluate('document.querySelectorAll(".layouts button")[1].click()')
  expect(await axeFindings(page)).toEqual([])
  await picture(page, `diff-split-${colorScheme}-${width}`)
})
