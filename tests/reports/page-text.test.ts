import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { htmlReport } from '../../src/reports/page/html.ts'
import { markdownReport, shortReport } from '../../src/reports/page/markdown.ts'
import { HOSTILE } from '../browser/hostile-text.ts'
import { journalOf, longRun, reportOf, STORY, shown, withLast, workWith } from './page-runs.ts'

const story = reportOf({ iterations: STORY })
const saying = (text: string) =>
  shown(
    withLast(journalOf({ iterations: STORY }), (seen) => ({
      ...seen,
      failed: { reason: text },
      evidence: {
        tampering: {
          check: 'tampering',
          answer: 'no',
          detail: text,
          ms: 0,
          tree: '',
          changes: [{ file: text, kind: 'x', blocks: true, detail: text, before: text, after: text }],
        },
      },
      signals: { ...seen.signals, text },
    })),
    text,
  )

describe('the page', () => {
  const scripts = (html: string) => [...html.matchAll(/<script([^>]*)>([\s\S]*?)<\/script>/g)]

  it('allows only its own script and style sheet', () => {
    const html = htmlReport(story)
    const code = scripts(html).filter(([, attributes]) => attributes === '')
    const sheets = [...html.matchAll(/<style>([\s\S]*?)<\/style>/g)]
    const hash = (text: string | undefined) =>
      `sha256-${createHash('sha256')
        .update(text ?? '')
        .digest('base64')}`
    expect(code.length).toBe(1)
    expect(sheets.length).toBe(1)
    const policy = /Content-Security-Policy" content="([^"]*)"/.exec(html)?.[1]
    expect(policy).toBe(
      `default-src 'none'; script-src '${hash(code[0]?.[2])}'; style-src '${hash(sheets[0]?.[1])}'; img-src data:; base-uri 'none'; form-action 'none'`,
    )
  })

  it('has no inline handlers, inline styles or URLs in its markup', () => {
    const markup = htmlReport(story).replace(/<(script|style)[^>]*>[\s\S]*?<\/\1>/g, '')
    expect(markup).not.toMatch(/\son\w+=|\sstyle=|https?:|src=|href=/i)
  })

  it.each(HOSTILE)('keeps %s inside its data', (_name, text) => {
    const files = [{ path: text, status: 'added', added: 1, removed: 0, hunks: `@@ -0,0 +1,1 @@\n+${text}\n` } as const]
    const work = { ...workWith(1), total: { files, added: 1, removed: 0 }, take: { text, command: text } }
    const html = htmlReport({ ...saying(text), work })
    expect(scripts(html).length).toBe(scripts(htmlReport({ ...story, work: workWith(1) })).length)
    for (const [, attributes, inside] of scripts(html))
      if (attributes !== '') {
        expect(inside).not.toMatch(/[<>&\u2028\u2029]/)
        expect(() => JSON.parse(inside ?? '')).not.toThrow()
      }
  })
})

describe('Markdown', () => {
  it('says the task, and what the agent said last, at the top', () => {
    const end = { ...story.end!, words: [['agent asks', 'Cents, or `exact`?'] as const] }
    const [, , task, , , , words] = markdownReport({ ...story, task: 'Round the discount', end }).split('\n')
    expect([task, words]).toEqual(['**Task:** Round the discount', 'The agent asks: Cents, or &#96;exact&#96;?'])
  })

  it('starts with the result and folds the rest', () => {
    const text = markdownReport(story)
    expect(text.split('\n').slice(0, 5)).toEqual([
      '## ✅ exitgate: verified',
      '',
      'Verified: the agent reported COMPLETE, 12 of 12 tests pass, 4 of 4 plan items done, 1 file changed, 2 tests fail without the change.',
      '',
      '4 iterations in 13m 20s · 1 of 2 claims rejected · $0.98 · 73k tokens · preset default · run r-7f3a',
    ])
    expect(text).toContain(
      "| 2 | says it's done | ❌ fail | 1m 22s, $0.32, 23k tokens | Claim rejected: 3 of 12 tests fail. Also: plan not finished. |",
    )
    expect(text.split('<details>').length).toBe(text.split('</details>').length)
  })

  it('lists what is missing and what to do next in full', () => {
    const missing = ['tests: 9 of 12 tests passed, 3 failed.', 'checklist: 2 items are open']
    const text = markdownReport({
      ...story,
      end: { ...story.end!, missing },
      next: ['exitgate explain', 'exitgate run'],
    })
    for (const item of [...missing, 'exitgate explain', 'exitgate run']) expect(text).toContain(`- ${item}\n`)
  })

  const marks: readonly (readonly [string, string])[] = [
    ['<img src=x>', '&#60;img src=x&#62;'],
    ['[x](http://e.example)', '&#91;x&#93;(http&#58;//e.example)'],
    ['a | b', 'a &#124; b'],
    ['@everyone', '@\u2060everyone'],
    ['fixes #12', 'fixes #\u206012'],
    ['**done**', '&#42;&#42;done&#42;&#42;'],
    ['</details>', '&#60;/details&#62;'],
  ]
  it.each(marks)('escapes %s', (text, written) => {
    const lines = markdownReport(saying(text))
      .split('\n')
      .filter((line) => !/^ {2}[-+`]/.test(line))
      .join('\n')
    expect(lines).toContain(written)
    expect(lines.replaceAll(/^<\/details>$/gm, '')).not.toContain(text)
  })

  it('a code fence in the text does not end the fence around it', () => {
    const text = markdownReport(saying('```\n# heading'))
    expect(text).toContain('  ````diff\n  - ```\n  - # heading')
  })

  it('shows a diff in a fence of its own, and the beginning of a long one', () => {
    const files = [
      { path: 'a_b.md', status: 'added', added: 1, removed: 0, hunks: '@@ -0,0 +1,1 @@\n+```\n' },
      {
        path: 'long.js',
        status: 'modified',
        added: 900,
        removed: 0,
        hunks: `@@ -0,0 +1,900 @@\n${'+line\n'.repeat(900)}`,
      },
    ] as const
    const text = markdownReport({ ...story, work: { ...workWith(1), total: { files, added: 901, removed: 0 } } })
    expect(text).toContain('<summary>Changes (2 files, +901 -0)</summary>')
    expect(text).toContain('**a&#95;b.md** added, +1 -0\n\n````diff\n@@ -0,0 +1,1 @@\n+```\n````\n')
    expect(text).toContain('+line\n```\n\nThe rest of this file is left out.\n')
    expect(text).toContain('Take the work: Commits 3 files to main.\n\n```sh\ngit add -- ')
    expect(text).toContain('Throw it away: Undoes the run. `git stash pop` brings it back.\n')
  })

  it('stays short enough for a GitHub comment, with all details closed', () => {
    const text = markdownReport(shown(longRun(300)))
    expect(text.length).toBeLessThan(65_536)
    const huge = {
      ...story,
      iterations: story.iterations.map((each) => ({
        ...each,
        evidence: Array.from({ length: 60 }, () => ({
          check: 'c',
          answer: 'no' as const,
          detail: 'd'.repeat(1500),
          ms: 0,
        })),
      })),
    }
    const cut = markdownReport(huge)
    expect(cut.length).toBeLessThan(65_536)
    expect(cut).toMatch(/\n\n\d+ more left out here\. `exitgate report` shows everything\.\n/)
    expect(cut).toContain('| iteration | claim |')
    expect(cut.split('<details>').length).toBe(cut.split('</details>').length)
  })
})

describe('the short report', () => {
  it('has one line per iteration', () => {
    expect(shortReport(story, { color: false }).split('\n')).toEqual([
      'Summary: verified after 4 iterations in 13m 20s, 1 of 2 claims rejected',
      '   1. Not done: the agent has not reported that it is done. 3 of 12 tests fail. Also: plan not finished.',
      '   2. Claim rejected: 3 of 12 tests fail. Also: plan not finished.',
      '   3. Not done: the agent ended with code 1.',
      '   4. Verified: the agent reported COMPLETE, 12 of 12 tests pass, 4 of 4 plan items done, 1 file changed, 2 tests fail without the change.',
      '',
    ])
  })
})
