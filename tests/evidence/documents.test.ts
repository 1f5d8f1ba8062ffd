import fc from 'fast-check'
import { fromMarkdown } from 'mdast-util-from-markdown'
import { describe, expect, it } from 'vitest'
import { type DocumentsOptions, documentsCheck } from '../../src/evidence/checks/documents.ts'
import { markdownBlocks } from '../../src/evidence/checks/markdown-blocks.ts'
import { type Diagram, diagramsIn, isC4, judgeMermaid, MERMAID } from '../../src/evidence/documents/diagrams.ts'
import { isApi, lackingInAdr, mayBeAdr } from '../../src/evidence/documents/find.ts'
import { OPENAPI } from '../../src/evidence/documents/openapi.ts'
import { installed, runJudge } from '../../src/evidence/documents/run-judge.ts'
import type { Baseline, CheckContext, Workspace } from '../../src/evidence/types.ts'
import { openWorkspace } from '../../src/evidence/workspace.ts'
import { fakeWorkspace } from '../fakes/workspace.ts'
import { baselineOf } from './baseline-of.ts'
import { folder } from './folders.ts'
import { expectGolden, goldenText } from './golden-files.ts'

const noMermaid = installed(MERMAID) === undefined
const noOpenApi = installed(OPENAPI) === undefined
const mermaidMissing = 'mermaid is not installed'
const openApiMissing = '@redocly/openapi-core is not installed'
const DEADLINE = 120_000

const context = (workspace: Workspace, baseline?: Baseline): CheckContext => ({
  workspace,
  claim: true,
  tree: 't1',
  taskTexts: [],
  deadlineMs: DEADLINE,
  ...(baseline && { baseline }),
})
const ask = async (files: Readonly<Record<string, string>>, options?: DocumentsOptions, baseline?: Baseline) =>
  (await documentsCheck(options).collect(context(openWorkspace(folder(files)), baseline)))[0]!

const mermaid = (text: string) => `\`\`\`mermaid\n${text}\n\`\`\`\n`
const prose = 'This is a document that has more to say than its headings do.\n'
const adr = '# 1. Use files\n## Status\nAccepted\n## Context\nThere is data.\n## Decision\nWe use files.\n'
const c4 = mermaid('C4Context\n  Person(a, "A")\n  System(b, "B")\n  Rel(a, b, "uses")')
const whole = {
  'README.md': `# It\n${prose}${c4}`,
  'docs/guide.md': `# Guide\n${prose}${mermaid('flowchart LR\n  a --> b')}`,
  'docs/adr/0001-files.md': adr,
}
const api = "openapi: 3.1.0\ninfo:\n  title: A\n  version: '1'\npaths: {}\n"

describe('fenced blocks', () => {
  interface Node {
    readonly type: string
    readonly value?: string
    readonly lang?: string | null
    readonly children?: readonly Node[]
    readonly position?: { readonly start: { readonly offset?: number; readonly line: number } }
  }
  /** Blank lines at the end of an unclosed block are counted differently, which does not matter. */
  const byMdast = (markdown: string): string[] => {
    const found: string[] = []
    const visit = (node: Node): void => {
      const at = node.position?.start
      const fence = /^(?:`{3}|~{3})/.test(markdown.slice(at?.offset ?? 0))
      if (node.type === 'code' && fence)
        found.push(`${(at?.line ?? 0) + 1} ${node.lang ?? ''} ${JSON.stringify(node.value?.replace(/\n+$/, ''))}`)
      node.children?.forEach(visit)
    }
    visit(fromMarkdown(markdown) as Node)
    return found
  }
  const byUs = (markdown: string): string[] =>
    markdownBlocks(markdown).flatMap((block) =>
      block.kind === 'code'
        ? [`${block.line} ${block.info.split(/\s/)[0]} ${JSON.stringify(block.lines.join('\n').replace(/\n+$/, ''))}`]
        : [],
    )
  const rows = [
    '```mermaid\na\n```',
    '~~~ mermaid x y\na\n\nb\n~~~',
    '````md\n```mermaid\na\n```\n````',
    '   ```mermaid\n     a\n   b\n c\n   ```',
    '- ```mermaid\n  a\n    b\n  ```\n',
    '1. x\n\n   ```mermaid\n   a\n   ```',
    '> ```mermaid\n> a\n>   b\n> ```',
    '```mermaid\nnever closed',
    '```\n```\n```js\n```',
    '- ```mermaid\nnot in it\n```\nb\n```',
    '    ```mermaid\n    a\n    ```',
    'text\n```mermaid\na\n```\ntext',
    '``` a`b\nc\n```',
  ]
  it.each(rows.map((row) => [row]))('%j', (markdown) => {
    expect(byUs(markdown)).toEqual(byMdast(markdown))
  })

  it('match those of a Markdown parser for any text', () => {
    const line = fc.constantFrom(
      '```mermaid',
      '```',
      '~~~',
      '````',
      'a',
      '  b',
      '',
      '- x',
      '  ```',
      '> ```',
      '> c',
      '1. ```',
    )
    fc.assert(
      fc.property(fc.array(line, { maxLength: 9 }), (lines) => {
        expect(byUs(lines.join('\n'))).toEqual(byMdast(lines.join('\n')))
      }),
      { numRuns: 500 },
    )
  })
})

describe('diagrams', () => {
  const puml = '@startuml\n!include https://example.com/C4_Context.puml\nPerson(a, "A")\n@enduml\n'
  const dsl = 'workspace {\n  model {\n    u = person "U"\n  }\n  views {\n    systemContext s {\n    }\n  }\n}\n'
  const rows: [
    name: string,
    file: string,
    text: string,
    found: readonly [kind: string, line: number, c4: boolean][],
  ][] = [
    ['a block', 'a.md', `x\n\n${c4}`, [['mermaid', 4, true]]],
    ['a file', 'a.mmd', 'flowchart LR\n  a --> b', [['mermaid', 1, false]]],
    ['C4 after front matter', 'a.mmd', '---\ntitle: x\n---\nC4Container\n  Container(a, "A")', [['mermaid', 1, true]]],
    ['C4 with nothing in it', 'a.mmd', 'C4Context\n  title x', [['mermaid', 1, false]]],
    ['C4 in words only', 'a.mmd', 'flowchart LR\n  C4Context --> b', [['mermaid', 1, false]]],
    ['PlantUML', 'a.puml', puml, [['plantuml', 1, true]]],
    ['PlantUML in Markdown', 'a.md', `\`\`\`plantuml\n${puml}\`\`\`\n`, [['plantuml', 2, true]]],
    ['PlantUML of another kind', 'a.puml', '@startuml\na -> b\n@enduml\n', [['plantuml', 1, false]]],
    ['PlantUML cut off', 'a.puml', puml.replace('@enduml', ''), [['plantuml', 1, false]]],
    ['Structurizr', 'workspace.dsl', dsl, [['structurizr', 1, true]]],
    ['Structurizr without views', 'workspace.dsl', 'workspace {\n model {\n }\n}\n', [['structurizr', 1, false]]],
    ['another DSL', 'job.dsl', 'job("x") {\n}\n', []],
    ['none', 'a.md', '# mermaid\n', []],
    ['a block in a comment', 'a.md', `<!--\n${c4}-->\n`, []],
  ]
  it.each(rows)('%s', (_name, file, text, found) => {
    const seen = diagramsIn(file, text).map((diagram: Diagram) => [diagram.kind, diagram.line, isC4(diagram)])
    expect(seen).toEqual(found)
  })
})

describe('decision records', () => {
  it.each([
    ['docs/adr/0001-use-files.md', true],
    ['adr/ADR-001.md', true],
    ['packages/a/docs/decisions/7-x.md', true],
    ['docs/architecture/decisions/0002-x.md', true],
    ['docs/adr/README.md', false],
    ['docs/adr/0000-template.md', false],
    ['docs/0001-use-files.md', false],
    ['docs/adr/0001-use-files.txt', false],
  ])('%s may be one: %s', (path, may) => {
    expect(mayBeAdr(path)).toBe(may)
  })

  const rows: [name: string, text: string, lacks: readonly string[]][] = [
    ['the usual form', adr, []],
    ['numbered headings', '## 1. Status\nok\n## 2. Context\nx\n## 3. Decision\ny\n', []],
    [
      'status in front matter',
      '---\nstatus: accepted\n---\n# A\n## Context and Problem Statement\nx\n## Decision Outcome\ny\n',
      [],
    ],
    ['status in a line', '# A\n* Status: accepted\n## Context\nx\n## Decision\ny\n', []],
    ['bold status', '# A\n**Status:** Accepted\n## Context\nx\n## Decision\ny\n', []],
    ['text in a sub-section', '## Status\nok\n## Context\n### One\nx\n## Decision\ny\n', []],
    ['headings only', '# A\n## Status\n## Context\n## Decision\n', ['a status', 'a context', 'a decision']],
    ['drivers are no decision', 'Status: ok\n## Context\nx\n## Decision Drivers\ny\n', ['a decision']],
    ['in a code block', `\`\`\`\n${adr}\`\`\`\n`, ['a status', 'a context', 'a decision']],
    ['empty', '', ['a status', 'a context', 'a decision']],
  ]
  it.each(rows)('%s', (_name, text, lacks) => {
    expect(lackingInAdr(text)).toEqual(lacks)
  })
})

it.each([
  ['a.yaml', api, true],
  ['a.yml', "swagger: '2.0'\n", true],
  ['a.json', '{"info": {}, "openapi": "3.0.0"}', true],
  ['a.json', '{"openapi": "3.0.0", ', true],
  ['package.json', '{"dependencies": {"openapi": "3.0.0"}}', false],
  ['a.yaml', 'tool:\n  openapi: 3.0.0\n', false],
  ['a.yaml', 'openapi: true\n', false],
])('%s with %j is an API: %s', (path, text, is) => {
  expect(isApi(path, text)).toBe(is)
})

describe('documents', () => {
  const rows: [
    name: string,
    files: Readonly<Record<string, string>>,
    options: DocumentsOptions,
    answer: string,
    says: RegExp,
  ][] = [
    [
      'nothing',
      { 'src/a.ts': '' },
      {},
      'unknown',
      /No documents found\. No Mermaid diagrams found\. No ADRs found\. No C4 diagrams found/,
    ],
    ['nothing, though required', { 'a.ts': '' }, { needs: { docs: 3 } }, 'no', /No documents found/],
    ['too few', { 'docs/a.md': prose }, { needs: { docs: 3, diagrams: false, adr: false, c4: false } }, 'no', /1 of 3/],
    ['waived', { 'docs/a.md': prose }, { needs: { diagrams: false, adr: false, c4: false } }, 'yes', /1 document,/],
    ['headings only', { 'docs/a.md': '# A\n## B\n' }, { needs: { docs: 1 } }, 'no', /No documents found/],
    ['an ADR is required', { 'docs/a.md': prose }, { needs: { adr: true } }, 'no', /No ADRs found/],
    [
      'an ADR that is none',
      { 'docs/adr/0001-a.md': prose },
      { needs: { adr: true } },
      'no',
      /0001-a\.md lacks a status/,
    ],
    ['an API is required', { 'docs/a.md': prose }, { needs: { apis: true } }, 'no', /No OpenAPI files found/],
    [
      'own globs',
      { 'notes/a.md': prose },
      { docs: ['notes/*'], needs: { docs: 1, diagrams: false, adr: false, c4: false } },
      'yes',
      /./,
    ],
    [
      'ignored by the user',
      { 'docs/a.md': prose },
      { ignore: ['docs/**'], needs: { docs: 1 } },
      'no',
      /No documents found/,
    ],
    ['third-party', { 'vendor/x/docs/a.md': prose }, { needs: { docs: 1 } }, 'no', /No documents found/],
  ]
  it.each(rows)('%s', async (_name, files, options, answer, says) => {
    const evidence = await ask(files, options)
    expect(evidence).toMatchObject({ check: 'documents', answer, detail: expect.stringMatching(says), tree: 't1' })
  })

  it('zero diagrams count as zero, and do not pass', async () => {
    const evidence = await ask({ 'docs/a.md': prose })
    expect(evidence).toMatchObject({
      answer: 'unknown',
      counts: { diagrams: 0, diagramsValid: 0, apis: 0, apisValid: 0 },
    })
  })

  it('shows what was written since the start', async () => {
    const files = { 'docs/a.md': prose, 'docs/b.md': prose, 'docs/c.md': `${prose}more\n` }
    const baseline = baselineOf({ 'docs/a.md': prose, 'docs/c.md': prose })
    expect((await ask(files, {}, baseline)).counts).toMatchObject({ docs: 3, docsChanged: 2 })
  })

  it('without the parsers, diagrams and APIs are unknown', async () => {
    // Packages without an entry point hide real ones in a parent folder.
    const closed = '{"name": "x", "exports": {}}'
    const packages = ['mermaid', '@redocly/openapi-core'].map((name) => [`node_modules/${name}/package.json`, closed])
    const from = `${folder(Object.fromEntries(packages))}/index.js`
    const evidence = await ask({ ...whole, 'api.yaml': api }, { from })
    expect(evidence.answer).toBe('unknown')
    expect(evidence.detail).toMatch(/mermaid is not installed.*@redocly\/openapi-core is not installed/)
    expect(evidence.counts).toMatchObject({ docs: 3, diagrams: 2, adr: 1, c4: 1, apis: 1 })
    expect(evidence.counts).not.toHaveProperty('diagramsValid')
    expect(evidence.counts).not.toHaveProperty('apisValid')
  })

  it.for<[name: string, ran: object, says: RegExp]>([
    ['runs out of time', { code: null, ended: 'deadline' }, /did not finish in time/],
    ['crashes', { code: 134, output: 'out of memory\n', stdout: '' }, /exited with 134: out of memory/],
    ['says nothing', { code: 0, stdout: '' }, /exited with 0/],
  ])('a parser that %s gives unknown', async ([, ran, says], { skip }) => {
    skip(noMermaid, mermaidMissing)
    const workspace = fakeWorkspace({ files: whole, runs: () => ran })
    const [evidence] = await documentsCheck().collect(context(workspace))
    expect(evidence).toMatchObject({ answer: 'unknown', detail: expect.stringMatching(says) })
  })

  it(
    'really parses',
    async ({ skip }) => {
      skip(noMermaid, mermaidMissing)
      const evidence = await ask(whole)
      expect(evidence.answer, evidence.detail).toBe('yes')
      expect(evidence.counts).toEqual({ docs: 3, diagrams: 2, diagramsValid: 2, adr: 1, c4: 1, apis: 0, apisValid: 0 })
    },
    DEADLINE,
  )

  it(
    'reports the line of an error, and does not count a broken C4 diagram',
    async ({ skip }) => {
      skip(noMermaid, mermaidMissing)
      const evidence = await ask({ ...whole, 'README.md': `${prose}\n${mermaid('C4Context\n  Person(a, "A"')}` })
      expect(evidence.answer).toBe('no')
      expect(evidence.detail).toMatch(/The diagram in README\.md:[45] is not valid: .*arse error/)
      expect(evidence.counts).toMatchObject({ diagrams: 2, diagramsValid: 1, c4: 0 })
    },
    DEADLINE,
  )

  /** One process for both rows: loading Mermaid takes longer than parsing. */
  const diagrams = diagramsIn('diagrams.md', goldenText('documents/diagrams.md'))
  const long = `flowchart LR\n${'  a --> b\n'.repeat(8_000)}  a -->\n`
  let judged: ReturnType<typeof runJudge> | undefined
  const judgements = async () => {
    const texts = [...diagrams.map(({ text }) => text), long]
    judged ??= runJudge(judgeMermaid, installed(MERMAID)!, texts, openWorkspace(folder()), { deadlineMs: DEADLINE })
    const all = await judged
    if (typeof all === 'string') throw new Error(all)
    return all
  }

  it(
    'parses all kinds of diagrams as Mermaid does',
    async ({ skip }) => {
      skip(noMermaid, mermaidMissing)
      const all = await judgements()
      const lines = diagrams.map(({ text, line }, at) => {
        const { answer, line: wrong } = all[at]!
        return `${line} ${text.trim().split('\n').at(0)} ${answer}${wrong === undefined ? '' : ` at ${line + wrong - 1}`}\n`
      })
      expectGolden('documents/diagrams.txt', lines.join(''))
    },
    DEADLINE,
  )

  it(
    'gives no result if Mermaid itself does not work',
    async ({ skip }) => {
      skip(noMermaid, mermaidMissing)
      // Another copy of the sanitiser than the one that Mermaid loads makes Mermaid reject valid diagrams.
      const addresses = [installed(MERMAID)![0]!, 'data:text/javascript,export default {}']
      const asked = { deadlineMs: DEADLINE }
      const judgements = await runJudge(
        judgeMermaid,
        addresses,
        ['flowchart LR\n  a --> b'],
        openWorkspace(folder()),
        asked,
      )
      expect(judgements).toMatch(/^it exited with 1/)
    },
    DEADLINE,
  )

  it(
    'parses a very long diagram',
    async ({ skip }) => {
      skip(noMermaid, mermaidMissing)
      expect((await judgements()).at(-1)).toMatchObject({ answer: 'no' })
    },
    DEADLINE,
  )

  const apis: [name: string, text: string, answer: string, says: RegExp][] = [
    ['3.0', api.replace('3.1.0', '3.0.3'), 'yes', /1 API \(1 valid\)/],
    ['3.1', api, 'yes', /1 valid/],
    ['3.2', api.replace('3.1.0', '3.2.0'), 'yes', /1 valid/],
    ['2.0', api.replace('openapi: 3.1.0', "swagger: '2.0'"), 'yes', /1 valid/],
    ['no info', 'openapi: 3.1.0\npaths: {}\n', 'no', /The API in api\.yaml:1 is not valid: .*`info`/],
    ['a broken path', `${api.replace('paths: {}', 'paths:\n  /a:\n    fetch: {}')}`, 'no', /api\.yaml:7 is not valid/],
    ['a reference to nothing', `${api.replace('paths: {}', "paths:\n  /a:\n    $ref: '#/nothing'")}`, 'no', /resolve/],
    [
      'a file that is not there',
      `${api.replace('paths: {}', "paths:\n  /a:\n    $ref: './gone.yaml'")}`,
      'no',
      /resolve/,
    ],
    ['a file that is', `${api.replace('paths: {}', "paths:\n  /a:\n    $ref: './there.yaml'")}`, 'yes', /1 valid/],
    [
      'a reference into the network',
      `${api.replace('paths: {}', "paths:\n  /a:\n    $ref: 'http://127.0.0.1:9/a.yaml'")}`,
      'unknown',
      /is not loaded/,
    ],
    [
      'a reference out of the workspace',
      `${api.replace('paths: {}', "paths:\n  /a:\n    $ref: '../../../../etc/hostname'")}`,
      'unknown',
      /is not loaded/,
    ],
    ['broken YAML', 'openapi: 3.1.0\ninfo: {title: a\n', 'no', /api\.yaml:\d is not valid/],
    ['an unknown version', 'openapi: 9.0.0\ninfo: {}\n', 'no', /version/],
  ]
  const there = "get:\n  responses:\n    '200':\n      description: ok\n"
  const only = { needs: { diagrams: false, adr: false, c4: false } }
  /** Several rows at once, each in a folder: loading the validator takes longer than the rows. At most five problems are listed. */
  const HALF = 7
  const halves = new Map<number, ReturnType<typeof ask>>()
  const half = (first: number) => {
    const files = apis.slice(first, first + HALF).flatMap(([, text], at) => [
      [`${first + at}/api.yaml`, text],
      [`${first + at}/there.yaml`, there],
    ])
    const asked = halves.get(first) ?? ask({ 'docs/a.md': prose, ...Object.fromEntries(files) }, only)
    halves.set(first, asked)
    return asked
  }
  it.for(apis)('an API: %s', { timeout: DEADLINE }, async (row, { skip }) => {
    skip(noOpenApi, openApiMissing)
    const [, text, answer, says] = row
    const at = apis.indexOf(row)
    // The first of each answer alone, the others with their half.
    if (apis.findIndex((each) => each[2] === answer) === at) {
      const evidence = await ask({ 'docs/a.md': prose, 'api.yaml': text, 'there.yaml': there }, only)
      expect(evidence, evidence.detail).toMatchObject({ answer, detail: expect.stringMatching(says) })
      return
    }
    const { detail } = await half(at < HALF ? 0 : HALF)
    const found = new RegExp(
      `The API in ${at}/(api\\.yaml:\\d+ (is not valid|was not checked): .*?)(?= The API in |$)`,
    ).exec(detail)
    expect(found === null ? 'yes' : found[2] === 'is not valid' ? 'no' : 'unknown', detail).toBe(answer)
    if (found !== null) expect(found[1]).toMatch(says)
  })
})
