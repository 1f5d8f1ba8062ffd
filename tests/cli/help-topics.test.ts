import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { nearTopic, pageNamed, readDocs, searchDocs } from '../../src/cli/docs.ts'
import { markdownText } from '../../src/cli/markdown.ts'
import { root } from '../source-tree.ts'
import { project } from './run-cli.ts'

const PAGES = {
  'hooks.md':
    '# Stop hooks\n\nAn agent has to pass.\n\n## Install\n\n```sh run\n# not a heading\nexitgate hook install claude\n```\n',
  'slow-tests.md':
    '# Slow tests\n\n## Timeouts\n\nGive a slow suite more time.\n\n## Flaky tests\n\nA flaky test is named.\n',
}

function docs() {
  const folder = mkdtempSync(join(tmpdir(), 'exitgate-docs-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  for (const [name, text] of Object.entries(PAGES)) writeFileSync(join(folder, name), text)
  return readDocs(folder)
}

describe('the docs in the terminal', () => {
  it('are split at headings, but not at comments in code', () => {
    expect(docs().flatMap(({ sections }) => sections.map(({ headings }) => headings.join(' > ')))).toEqual([
      'Stop hooks',
      'Stop hooks > Install',
      'Slow tests',
      'Slow tests > Timeouts',
      'Slow tests > Flaky tests',
    ])
  })

  const named: [topic: string, page: string | undefined][] = [
    ['hooks', 'hooks'],
    ['Hook', 'hooks'],
    ['stop hooks', 'hooks'],
    ['slow tests', 'slow-tests'],
    ['Slow-Test', 'slow-tests'],
    ['tests', undefined],
  ]
  it.each(named)('"%s" is the page %s', (topic, page) => {
    expect(pageNamed(docs(), topic)?.name).toBe(page)
  })

  const searched: [topic: string, sections: readonly string[]][] = [
    ['install', ['Install']],
    ['installing', ['Install']],
    ['flaky', ['Flaky tests']],
    ['how do I install a hook', ['Install']],
    ['timeout', ['Timeouts']],
    ['slow suite', ['Timeouts']],
    ['zebra', []],
    ['how', []],
  ]
  it.each(searched)('"%s" finds %j', (topic, sections) => {
    expect(searchDocs(docs(), topic).map(({ headings }) => headings.at(-1))).toEqual(sections)
  })

  it.each([
    ['hoks', 'hooks'],
    ['instal', 'install'],
    ['xylophone', undefined],
  ])('"%s" is near %s', (topic, near) => {
    expect(nearTopic(docs(), topic)).toBe(near)
  })
})

describe('exitgate help TOPIC', () => {
  it('shows a page by its name', async () => {
    const { code, stdout } = await project().run(['help', 'hooks'])
    expect(code).toBe(0)
    expect(stdout).toMatch(/^docs\/hooks\.md\n\n\S/)
    expect(stdout).not.toMatch(/```|^#|\u001b/m)
  })

  it('shows the best matching sections with their headings and pages', async () => {
    const { code, stdout } = await project().run(['help', 'circuit', 'breaker'])
    expect(code).toBe(0)
    expect(stdout).toMatch(/^[\w-]+: \S.*\n\n\S[\s\S]*\nShow the whole page with exitgate help [\w-]+\.\n$/)
  })

  it('lists the topics for a word that is not in the docs', async () => {
    const { code, stdout, stderr } = await project().run(['help', 'hokks'])
    expect([code, stdout]).toEqual([64, ''])
    expect(stderr).toMatch(/^error: The docs have nothing about "hokks"\. Did you mean hooks\?\n\n {2}Topics: /)
    for (const file of readdirSync(join(root, 'docs')).filter((name) => name.endsWith('.md')))
      expect(stderr).toMatch(new RegExp(`[ ,]${file.slice(0, -3)}(?:,|\\n|$)`))
  })

  it('stays within 80 columns, except for code', () => {
    for (const { text } of readDocs())
      for (const line of markdownText(text, { color: false }).split('\n'))
        if (!line.startsWith('    ') && / /.test(line.trim())) expect(line.length, line).toBeLessThanOrEqual(80)
  })
})

describe('Markdown as text', () => {
  const rows: [name: string, markdown: string, text: string][] = [
    ['a heading', '# One `two`\n\nText.', 'One `two`\n\nText.\n'],
    ['a paragraph', `${'word '.repeat(20)}end`, `${'word '.repeat(16).trimEnd()}\n${'word '.repeat(4)}end\n`],
    [
      'links and bold',
      'See [the docs](x.md) and **all** of [this](https://a.b).',
      'See the docs and all of this (https://a.b).\n',
    ],
    ['a list', `- one\n- ${'word '.repeat(17)}`, `- one\n- ${'word '.repeat(15).trimEnd()}\n  word word\n`],
    ['code', '```sh run\nexitgate run\n```\nAfter.', '    exitgate run\nAfter.\n'],
    ['indented code', '    a\n    b\n', '    a\n    b\n'],
    ['a table', '| a | b |\n|---|---|\n| `one` | two \\| three |', 'a      b\n`one`  two | three\n'],
    [
      'a wide table',
      `| name | first | second |\n|---|---|---|\n| ${'x'.repeat(50)} | one | two |`,
      `${'x'.repeat(50)}\n    first: one\n    second: two\n`,
    ],
    ['comments', 'a\n<!-- keys -->\nb', 'a\n\nb\n'],
  ]
  it.each(rows)('%s', (_name, markdown, text) => {
    expect(markdownText(markdown, { color: false })).toBe(text)
  })

  it('colors headings and code in a terminal', () => {
    expect(markdownText('# A\n\n```\nb\n```', { color: true })).toBe(
      '\u001b[1mA\u001b[22m\n\n\u001b[36m    b\u001b[39m\n',
    )
  })
})
