import { chmodSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { lineDiff } from '../../packages/exitgate/src/tree/line-diff.ts'
import { type ReviewOptions, type ReviewRequest, readAnswer, reviewCheck } from '../../src/evidence/checks/review.ts'
import type { Baseline, CheckContext } from '../../src/evidence/types.ts'
import { openWorkspace } from '../../src/evidence/workspace.ts'
import { fakeWorkspace } from '../fakes/workspace.ts'
import { baselineOf } from './baseline-of.ts'
import { folder, repository, writeFiles } from './folders.ts'

const approve = { verdict: 'APPROVE', blocking_issues: [] }
const json = JSON.stringify(approve)

const answers: [name: string, stdout: string, found: string | object][] = [
  ['the document alone', json, approve],
  ['with blank lines around it', `\n ${json}\n\n`, approve],
  ['with everything in it', JSON.stringify({ ...approve, notes: 'fine', checks_passing: 3 }), { checks_passing: 3 }],
  ['in a fence', `\`\`\`json\n${json}\n\`\`\`\n`, approve],
  ['in a fence without a language', `\`\`\`\n${json}\n\`\`\``, approve],
  ['after other text', `Here is my review:\n${json}`, 'not a single JSON document'],
  ['before other text', `${json}\nThat is all.`, 'not a single JSON document'],
  ['in a fence after other text', `Sure!\n\`\`\`json\n${json}\n\`\`\``, 'not a single JSON document'],
  ['twice', `${json}\n${json}`, 'not a single JSON document'],
  ['two fences', `\`\`\`json\n${json}\n\`\`\`\n\`\`\`json\n${json}\n\`\`\``, 'not a single JSON document'],
  ['cut off', json.slice(0, -1), 'not a single JSON document'],
  ['nothing', ' \n', 'printed nothing'],
  ['a list', `[${json}]`, 'does not match the schema'],
  ['a string', '"APPROVE"', 'does not match the schema'],
  ['another verdict', JSON.stringify({ ...approve, verdict: 'approve' }), 'verdict'],
  ['no verdict', JSON.stringify({ blocking_issues: [] }), 'verdict'],
  ['no issues', JSON.stringify({ verdict: 'APPROVE' }), 'blocking_issues'],
  ['issues as a number', JSON.stringify({ ...approve, blocking_issues: 0 }), 'blocking_issues'],
  [
    'an issue without words',
    JSON.stringify({ ...approve, blocking_issues: [{ file: 'a' }] }),
    'blocking_issues.0.text',
  ],
  ['an empty issue', JSON.stringify({ ...approve, blocking_issues: [{ text: ' ' }] }), 'blocking_issues.0.text'],
  ['an unknown field', JSON.stringify({ ...approve, approved: true }), 'approved'],
  ['a negative count', JSON.stringify({ ...approve, checks_passing: -1 }), 'checks_passing'],
]

describe('the answer', () => {
  it.each(answers)('%s', (_name, stdout, found) => {
    const read = readAnswer(stdout)
    if (typeof found === 'string') expect(read).toContain(found)
    else expect(read).toMatchObject(found)
  })
})

describe('the difference', () => {
  it.each<[name: string, before: string, after: string, diff: string]>([
    ['nothing', 'a\n', 'a\n', ''],
    ['added', '', 'a\nb\n', '@@ -0,0 +1,2 @@\n+a\n+b\n'],
    ['deleted', 'a\nb\n', '', '@@ -1,2 +0,0 @@\n-a\n-b\n'],
    ['one line', 'a\nb\nc\n', 'a\nB\nc\n', '@@ -1,3 +1,3 @@\n a\n-b\n+B\n c\n'],
    [
      'two places',
      '1\n2\n3\n4\n5\n6\n7\n8\n9\n',
      '0\n1\n2\n3\n4\n5\n6\n7\n8\n',
      '@@ -1,3 +1,4 @@\n+0\n 1\n 2\n 3\n@@ -6,4 +7,3 @@\n 6\n 7\n 8\n-9\n',
    ],
    ['a missing last newline', 'a', 'a\n', ''],
    ['line ends', 'a\r\nb\r\n', 'a\nb\n', ''],
  ])('%s', (_name, before, after, diff) => {
    expect(lineDiff(before, after)).toBe(diff)
  })

  it('turns one text into the other, and is minimal', () => {
    const lines = fc.array(fc.constantFrom('a', 'b', 'c'), { maxLength: 12 })
    fc.assert(
      fc.property(lines, lines, (a, b) => {
        const body = lineDiff(`${a.join('\n')}\n`, `${b.join('\n')}\n`)
          .split('\n')
          .filter((line) => /^[ +-]/.test(line))
        const changed = body.filter((line) => line[0] !== ' ').length
        const [from, to] = [a.length === 0 ? [''] : a, b.length === 0 ? [''] : b]
        expect(changed).toBe(from.length + to.length - 2 * common(from, to))
      }),
    )
  })

  it('of long texts keeps the lines that both have', () => {
    const rewritten = (mark: string) => Array.from({ length: 1_500 }, (_, n) => `${mark}${n}`)
    const kept = ['kept 1', 'kept 2', 'kept 3']
    const text = (mark: string) =>
      [...rewritten(mark), ...kept, ...rewritten(`${mark} `), 'same', ...rewritten(`${mark}  `)].join('\n')
    const diff = lineDiff(text('a'), text('b')).split('\n')
    expect(diff.filter((line) => line.startsWith(' '))).toEqual([...kept, 'same'].map((line) => ` ${line}`))
    expect(diff.filter((line) => line.startsWith('+'))).toHaveLength(4_500)
  })

  it('of long texts is bounded', () => {
    const text = (mark: string) => Array.from({ length: 3_000 }, (_, n) => `${mark}${n}\n`).join('')
    const diff = lineDiff(text('a'), text('b'))
    expect(diff.split('\n').filter((line) => line.startsWith('-'))).toHaveLength(3_000)
    expect(diff.split('\n').filter((line) => line.startsWith('+'))).toHaveLength(3_000)
  })
})

/** Length of the longest common subsequence, slow but simple. */
function common(a: readonly string[], b: readonly string[]): number {
  const best = a.map(() => b.map(() => 0))
  for (const [i, x] of a.entries()) {
    for (const [j, y] of b.entries()) {
      const diagonal = (best[i - 1]?.[j - 1] ?? 0) + 1
      best[i]![j] = x === y ? diagonal : Math.max(best[i - 1]?.[j] ?? 0, best[i]![j - 1] ?? 0)
    }
  }
  return best.at(-1)?.at(-1) ?? 0
}

const context = (dir: string, baseline: Baseline | undefined, more: Partial<CheckContext> = {}): CheckContext => ({
  workspace: openWorkspace(dir),
  claim: true,
  tree: 't1',
  taskTexts: ['do the work'],
  deadlineMs: 60_000,
  ...(baseline && { baseline }),
  ...more,
})
const node = (program: string): readonly string[] => [process.execPath, '-e', program]
const readAll = "let text = ''; process.stdin.on('data', (d) => (text += d)).on('end', () => {"
const says = (answer: object, then = '') =>
  node(`${readAll} console.log(${JSON.stringify(JSON.stringify(answer))});${then} })`)
const issue = { file: 'a.txt', line: 3, text: 'wrong' }
const reject = { verdict: 'REJECT', blocking_issues: [issue, { text: 'also wrong' }], checks_passing: 4 }

type Row = [name: string, command: ReviewOptions['command'], answer: string, detail: RegExp, counts?: object]
const rows: Row[] = [
  ['approves', says(approve), 'yes', /approved/, { blocking: 0, approved: 1 }],
  ['rejects', says(reject), 'no', /a\.txt:3: wrong; also wrong/, { blocking: 2, approved: 0, passing: 4 }],
  [
    'rejects without a reason',
    says({ verdict: 'REJECT', blocking_issues: [] }),
    'no',
    /listed no issues/,
    { blocking: 0, approved: 0 },
  ],
  [
    'approves with issues',
    says({ ...approve, blocking_issues: [issue] }),
    'no',
    /approved, but/,
    { blocking: 1, approved: 1 },
  ],
  ['writes to the other stream as well', says(approve, "console.error('warming up')"), 'yes', /approved/],
  ['does not read its input', node(`console.log(${JSON.stringify(json)})`), 'yes', /approved/],
  ['rejects and ends with a code', says(reject, 'process.exitCode = 1'), 'no', /rejected/],
  ['approves and exits with 1', says(approve, 'process.exitCode = 1'), 'unknown', /exited with 1/],
  ['crashes', node("throw new Error('boom')"), 'unknown', /exited with 1/],
  ['prints nothing', node(''), 'unknown', /printed nothing/],
  ['answers in prose', node("console.log('LGTM, APPROVE')"), 'unknown', /not a single JSON document/],
  ['answers on stderr', node(`console.error(${JSON.stringify(json)})`), 'unknown', /printed nothing/],
  ['does not exist', ['exitgate-no-such-reviewer'], 'unknown', /not found/],
  [
    'is a command line',
    `"${process.execPath}" -p "JSON.stringify({verdict:'APPROVE',blocking_issues:[]})"`,
    'yes',
    /approved/,
  ],
  [
    'tells secrets',
    says({ ...reject, blocking_issues: [{ text: `key sk-${'a1'.repeat(12)}` }] }),
    'no',
    /\[redacted\]/,
  ],
]

describe('a reviewer that', () => {
  const dir = folder({ 'a.txt': 'new\n' })
  const baseline = baselineOf({ 'a.txt': 'old\n' })

  it.each(rows)('%s', async (_name, command, answer, detail, counts) => {
    const [evidence] = await reviewCheck({ command }).collect(context(dir, baseline))
    expect(evidence).toMatchObject({ check: 'review', answer, detail: expect.stringMatching(detail), tree: 't1' })
    if (counts) expect(evidence!.counts).toEqual(counts)
  })

  it('hangs is ended at the deadline', async () => {
    const slow = reviewCheck({ command: node('setInterval(() => {}, 1000)') })
    const [evidence] = await slow.collect(context(dir, baseline, { deadlineMs: 300 }))
    expect(evidence).toMatchObject({ answer: 'unknown', detail: expect.stringContaining('in time') })
  })

  it('does not run before the agent claims to be done, except with always', async () => {
    const workspace = fakeWorkspace({ files: { 'a.txt': 'x\n' }, runs: () => ({ stdout: json }) })
    const asked = context(dir, baseline, { workspace, claim: false })
    const [silent] = await reviewCheck({ command: ['r'] }).collect(asked)
    expect([silent!.answer, workspace.ran.length]).toEqual(['unknown', 0])
    const [evidence] = await reviewCheck({ command: ['r'], always: true }).collect(asked)
    expect([evidence!.answer, workspace.ran.length]).toEqual(['yes', 1])
  })

  it('has nothing to review does not run', async () => {
    const same = baselineOf({ 'a.txt': 'new\n' })
    const [nothing] = await reviewCheck({ command: says(approve) }).collect(context(dir, same))
    expect(nothing).toMatchObject({ answer: 'unknown', detail: expect.stringContaining('nothing to review') })
    const [blind] = await reviewCheck({ command: says(approve) }).collect(context(dir, undefined))
    expect(blind).toMatchObject({ answer: 'unknown', detail: expect.stringContaining('neither a baseline nor') })
  })
})

/** The reviewer returns its input, so that the test can inspect it. */
async function seen(options: Omit<ReviewOptions, 'command'>, asked: CheckContext): Promise<ReviewRequest> {
  const back = `${readAll} console.log(JSON.stringify({verdict: 'APPROVE', blocking_issues: [], notes: text})) })`
  let request = ''
  const workspace = {
    ...asked.workspace,
    run: async (...args: Parameters<typeof asked.workspace.run>) => {
      const ran = await asked.workspace.run(...args)
      request = JSON.parse(ran.stdout ?? '').notes
      return ran
    },
  }
  const [evidence] = await reviewCheck({ command: node(back), ...options }).collect({ ...asked, workspace })
  expect(evidence!.answer).toBe('yes')
  return JSON.parse(request)
}

describe('the request', () => {
  it('contains task, criteria, changes and evidence, without secrets', async () => {
    const dir = folder({
      'a.txt': 'one\nTWO\n',
      'new.ts': `const key = 'sk-${'a1'.repeat(12)}'\n`,
      'same.txt': 'same\n',
    })
    const baseline = baselineOf({ 'a.txt': 'one\ntwo\n', 'gone.txt': 'gone\n', 'same.txt': 'same\n' })
    const tests = {
      check: 'tests',
      answer: 'yes',
      detail: '3 passed',
      counts: { passed: 3 },
      ms: 5,
      tree: 't1',
    } as const
    const request = await seen({ criteria: ['it works'], evidence: { tests } }, context(dir, baseline))
    expect(request).toEqual({
      version: 1,
      task: 'do the work',
      criteria: ['it works'],
      files: ['a.txt', 'gone.txt', 'new.ts'],
      diff:
        '--- a/a.txt\n+++ b/a.txt\n@@ -1,2 +1,2 @@\n one\n-two\n+TWO\n' +
        '--- a/gone.txt\n+++ /dev/null\n@@ -1,1 +0,0 @@\n-gone\n' +
        "--- /dev/null\n+++ b/new.ts\n@@ -0,0 +1,1 @@\n+const key = '[redacted]'\n",
      diffCut: 0,
      evidence: { tests: { answer: 'yes', detail: '3 passed', counts: { passed: 3 } } },
      answer: expect.stringContaining('verdict'),
    })
  })

  it('shows what git is set to hide', async () => {
    const dir = repository({ 'a.txt': 'old\n' })
    writeFiles(dir, { '.gitattributes': '*.txt -diff\n', 'a.txt': 'new\n' })
    const request = await seen({}, context(dir, baselineOf({ 'a.txt': 'old\n' })))
    expect(request.diff).toContain('-old\n+new\n')
  })

  it('comes from git when there is no baseline', async () => {
    const dir = repository({ 'a.txt': 'old\n', 'same.txt': 'same\n' })
    writeFiles(dir, { 'a.txt': 'new\n', 'b c.txt': 'fresh\n' })
    const request = await seen({}, context(dir, undefined))
    expect(request.files).toEqual(['a.txt', 'b c.txt'])
    expect(request.diff).toContain('-old\n+new\n')
    expect(request.diff).toContain('+++ b/b c.txt\n@@ -0,0 +1,1 @@\n+fresh\n')
  })

  it('is limited, says so, and leaves room for hand-written files', async () => {
    const long = 'x'.repeat(50).concat('\n').repeat(400)
    const dir = folder({ 'package-lock.json': long, 'src.ts': 'work\n', 'z.bin': '\0' })
    const baseline = baselineOf({})
    const request = await seen({ maxDiffCharacters: 3_000 }, context(dir, baseline))
    expect(request.diff).toContain('+work')
    expect(request.diff).toMatch(/characters of package-lock\.json left out/)
    expect(request.diff).toContain('+++ b/z.bin\n[not shown')
    expect(request.diffCut).toBeGreaterThan(15_000)
    expect(request.diff.length).toBeLessThan(3_400)
    expect(request.files).toEqual(['package-lock.json', 'src.ts', 'z.bin'])
  })

  it('passes the given variables to the reviewer', async () => {
    const dir = folder({ 'a.txt': 'new\n' })
    const program = `${readAll} console.log(JSON.stringify({verdict: process.env.REVIEW_KEY === 'k' ? 'APPROVE' : 'REJECT', blocking_issues: []})) })`
    const asked = context(dir, baselineOf({}))
    const [with_] = await reviewCheck({ command: node(program), env: { REVIEW_KEY: 'k' } }).collect(asked)
    const [without] = await reviewCheck({ command: node(program) }).collect(asked)
    expect([with_!.answer, without!.answer]).toEqual(['yes', 'no'])
  })
})

describe('a ready-made reviewer', () => {
  const met = { text: 'adds', answer: 'met' }
  const open = { text: 'refuses words', answer: 'not met', file: 'calc.js', line: 2, why: 'no check' }
  const unclear = { text: 'is fast', answer: 'unclear' }
  const saying = (...requirements: object[]) => JSON.stringify({ requirements })
  /** What each of them prints around its answer, as recorded from the real ones. */
  const prints: Readonly<Record<string, (text: string) => string>> = {
    claude: (result) =>
      JSON.stringify({
        type: 'result',
        is_error: false,
        result,
        total_cost_usd: 0.02,
        usage: { input_tokens: 10, output_tokens: 5, cache_read_input_tokens: 100 },
      }),
    codex: (text) =>
      [
        { type: 'thread.started', thread_id: 't' },
        { type: 'item.completed', item: { id: 'i0', type: 'reasoning', text: 'hm' } },
        { type: 'item.completed', item: { id: 'i1', type: 'agent_message', text } },
        { type: 'turn.completed', usage: { input_tokens: 30, cached_input_tokens: 0, output_tokens: 5 } },
      ]
        .map((event) => JSON.stringify(event))
        .join('\n'),
    gemini: (response) =>
      `Loaded cached credentials.\n${JSON.stringify({ response, stats: { models: { m: { tokens: { total: 40 } } } } })}`,
  }

  /** Programs on PATH that print the answers and keep what they read. */
  async function reviewed(setting: string, answers: Readonly<Record<string, string>>) {
    const dir = repository({ 'calc.js': 'export const add = (a, b) => a + b\n' })
    const bin = folder()
    for (const [name, text] of Object.entries(answers)) {
      writeFiles(bin, { [`${name}.out`]: text })
      const script = `#!/bin/sh\ncat > '${bin}/${name}.in'; pwd > '${bin}/${name}.cwd'; echo "$@" > '${bin}/${name}.args'; cat '${bin}/${name}.out'\n`
      writeFiles(bin, { [name]: script })
      chmodSync(join(bin, name), 0o755)
    }
    writeFiles(dir, { 'calc.js': 'export const add = (a, b) => Number(a) + Number(b)\n' })
    const env = { PATH: `${bin}:${process.env.PATH}`, HOME: bin }
    const workspace = openWorkspace(dir, { env })
    const check = reviewCheck({ command: setting, task: 'Write add.' })
    const context = { workspace, claim: true, tree: 't', taskTexts: [], deadlineMs: 60_000 }
    const [evidence] = await check.collect(context)
    return { evidence, bin, dir }
  }

  it.each([
    ['claude', [met, met], 'yes', 'The review approved: 2 of 2 requirements met.', { tokens: 115, usd: 0.02 }],
    ['codex', [met, open], 'no', '1 of 2 requirements not met: calc.js:2: refuses words (no check).', { tokens: 35 }],
    ['gemini', [met, unclear], 'unknown', '1 of 2 requirements unclear: is fast.', { tokens: 40 }],
  ])('%s', async (name, requirements, answer, detail, spent) => {
    const { evidence, bin, dir } = await reviewed(name, { [name]: prints[name]!(saying(...requirements)) })
    expect(evidence).toMatchObject({ answer, detail, spent })
    const prompt = readFileSync(join(bin, `${name}.in`), 'utf8')
    expect(prompt).toContain('Write add.')
    expect(prompt).toContain('+export const add = (a, b) => Number(a) + Number(b)')
    // Files of the project could give it orders.
    expect(readFileSync(join(bin, `${name}.cwd`), 'utf8').trim()).not.toContain(dir)
  })

  it.each([
    ['approve', [met], [met], 'yes', /^The review approved/],
    ['reject', [open], [open], 'no', /^claude: 1 of 1 .* codex: 1 of 1/],
    ['disagree', [met], [open], 'unknown', /^The reviewers disagree\. claude: The review approved.* codex: 1 of 1/],
  ])('two that %s', async (_, one, other, answer, detail) => {
    const texts = { claude: prints.claude!(saying(...one)), codex: prints.codex!(saying(...other)) }
    const { evidence } = await reviewed('claude, codex', texts)
    expect(evidence).toMatchObject({ answer, detail: expect.stringMatching(detail), spent: { tokens: 150, usd: 0.02 } })
  })

  it.each([
    ['words instead of JSON', prints.claude!('Looks good to me!'), /does not have the form/],
    ['no requirement', prints.claude!(saying()), /does not have the form/],
    ['another verdict', prints.claude!(saying({ text: 'adds', answer: 'yes' })), /does not have the form/],
    ['an error', 'Invalid API key', /claude exited with 0 and printed "Invalid API key"/],
  ])('that answers with %s gives no answer', async (_, text, detail) => {
    const { evidence } = await reviewed('claude', { claude: text })
    expect(evidence).toMatchObject({ answer: 'unknown', detail: expect.stringMatching(detail) })
  })
})
