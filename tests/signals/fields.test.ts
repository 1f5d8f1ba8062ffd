import { describe, expect, it } from 'vitest'
import { fieldOf, readFields } from '../../src/core/signals/fields.ts'
import { classifyLines, clean } from '../../src/core/signals/lines.ts'
import { isNone, isPlaceholder, parseScalar, wordOf } from '../../src/core/signals/values.ts'

describe('a field line', () => {
  it.each([
    ['KEY: value', 'KEY', 'value'],
    ['KEY:value', 'KEY', 'value'],
    ['KEY : value', 'KEY', 'value'],
    ['KEY:', 'KEY', ''],
    ['  KEY: value  ', 'KEY', 'value'],
    ['\tKEY: value', 'KEY', 'value'],
    ['**KEY:** value', 'KEY', 'value'],
    ['**KEY**: value', 'KEY', 'value'],
    ['**KEY: value**', 'KEY', 'value'],
    ['**KEY: value** (remark)', 'KEY', 'value (remark)'],
    ['*KEY*: value', 'KEY', 'value'],
    ['__KEY__: value', 'KEY', 'value'],
    ['_KEY: value_', 'KEY', 'value'],
    ['`KEY`: `value`', 'KEY', 'value'],
    ['`KEY: value`', 'KEY', 'value'],
    ['- KEY: value', 'KEY', 'value'],
    ['* **KEY**: value', 'KEY', 'value'],
    ['• KEY: value', 'KEY', 'value'],
    ['1. KEY: value', 'KEY', 'value'],
    ['### KEY: value', 'KEY', 'value'],
    ['✅ KEY: value', 'KEY', 'value'],
    ['KEY：value', 'KEY', 'value'],
    ['KEY: "value"', 'KEY', 'value'],
    ["KEY: 'value'", 'KEY', 'value'],
    ['KEY: `a` and `b`', 'KEY', '`a` and `b`'],
    ['KEY: a: b: c', 'KEY', 'a: b: c'],
    ['A\\_KEY: value', 'A_KEY', 'value'],
    ['lower_key: value', 'lower_key', 'value'],
    ['5H_LIMIT: OK', '5H_LIMIT', 'OK'],
    ['**KEY:** a **bold** word', 'KEY', 'a **bold** word'],
    ['**KEY: value', 'KEY', 'value'],
    ['**KEY: value **', 'KEY', 'value'],
    ['KEY: " value "', 'KEY', 'value'],
    ['KEY: ""', 'KEY', '""'],
  ])('%j', (line, key, value) => {
    expect(fieldOf(line)).toMatchObject({ key, value })
  })

  it.each([
    [''],
    ['no field'],
    ['two words: value'],
    ['https://127.0.0.1/x'],
    ['C:\\temp'],
    ['+KEY: value'],
    ['-KEY: value'],
    ['> KEY: value'],
    ['"KEY: value"'],
    ['(KEY: value)'],
    ['KEY = value'],
    [`${'K'.repeat(65)}: value`],
  ])('not %j', (line) => {
    expect(fieldOf(line)).toBeUndefined()
  })
})

describe('nested fields', () => {
  it.each<[string, string, Record<string, string>]>([
    ['sections', 'A: 1\nB:\n  C: 2\n  D: 3\nE: 4', { A: '1', 'B.C': '2', 'B.D': '3', E: '4' }],
    ['deep sections', 'a:\n  b:\n    c: 1\n  d: 2', { 'A.B.C': '1', 'A.D': '2' }],
    ['blank lines do not end a section', 'A:\n  B: 1\n\n  C: 2', { 'A.B': '1', 'A.C': '2' }],
    ['a list', 'A:\n  - one\n  - two\nB: 1', { A: 'one; two', B: '1' }],
    ['a list at the same depth as its key', 'A:\n- one\n- two\nB: 1', { A: 'one; two', B: '1' }],
    ['items that look like fields', 'A:\n  - db: down\nB: 1', { A: 'db: down', B: '1' }],
    ['text below its key', 'A:\n  finish the parser\nB: 1', { A: 'finish the parser', B: '1' }],
    ['an empty value', 'A:\nB: 1', { A: '', B: '1' }],
    ['an empty value at the end', 'B: 1\nA:', { A: '', B: '1' }],
    ['a block written as a list', '- A:\n  - B: 1\n- C: 2', { 'A.B': '1', C: '2' }],
    ['lines that are not fields', 'A: 1\nsome words\nB: 2', { A: '1', B: '2' }],
    ['tabs', 'A:\n\tB: 1\nC: 2', { 'A.B': '1', C: '2' }],
    ['text at the same depth as its key', 'A:\nsome words\nB: 1', { A: '', B: '1' }],
    ['text with spaces around it', 'A:\n  - one  \n      \n  two  \nB: 1', { A: 'one; two', B: '1' }],
    ['a list that is less deep than the key', '  A:\n- one\n  B: 1', { A: '', B: '1' }],
    ['items next to an item without a value', '- A:\n- some words\n- B: 1', { A: '', B: '1' }],
    ['an item with a field after other fields', 'A:\n  B: 1\n  - C: 2', { 'A.B': '1', 'A.C': '2' }],
    ['two sections that end together', 'A:\n  B:\nC: 1', { 'A.B': '', C: '1' }],
    ['more than four levels', 'A:\n B:\n  C:\n   D:\n    E:\n     F: 1', { 'A.B.C.D.E': '', 'A.B.C.D.F': '1' }],
    [
      'a long list',
      `A:\n- ${'x'.repeat(1_500)}\n- ${'y'.repeat(1_500)}`,
      { A: `${'x'.repeat(1_500)}; ${'y'.repeat(498)}` },
    ],
    ['a long item', `A:\n- ${'x'.repeat(2_500)}`, { A: 'x'.repeat(2_000) }],
  ])('%s', (_name, text, fields) => {
    const lines = text.split('\n').map((line) => ({ text: line }))
    expect(Object.fromEntries(readFields(lines).map(({ key, value }) => [key, value]))).toEqual(fields)
  })
})

describe('a value', () => {
  it.each([
    ['{COMPLETE|CONTINUE}', true],
    ['{brief explanation}', true],
    ['{{ status }}', true],
    ['$\u007bSTATUS}', true],
    ['<count>', true],
    ['<brief description or "none">', true],
    ['[true|false]', true],
    ['true/false', true],
    ['true | false', true],
    ['true or false', true],
    ['pass/fail/skip/unknown', true],
    ['IN_PROGRESS | COMPLETE | BLOCKED', true],
    ['IMPLEMENTATION | TESTING | DOCUMENTATION', true],
    ['...', true],
    ['…', true],
    ['___', true],
    ['____', true],
    [' <count> ', true],
    ['{}', false],
    ['<>', false],
    ['COMPLETE | or the rest', false],
    ['pass/retry', false],
    ['true', false],
    ['COMPLETE', false],
    ['docs/tests', false],
    ['client | server', false],
    ['API/CLI', false],
    ['src/foo.ts', false],
    ['this or that', false],
    ['<b> is drawn', false],
    ['[docs, tests]', false],
    ['none', false],
    ['', false],
    ['6/10', false],
    ['-', false],
  ])('%j is a placeholder: %s', (value, yes) => {
    expect(isPlaceholder(value)).toBe(yes)
  })

  it.each([
    ['none', true],
    ['None.', true],
    ['NONE!', true],
    ['n/a', true],
    ['N/A', true],
    ['nothing', true],
    ['-', true],
    ['0', true],
    ['', true],
    ['"none"', true],
    ['[]', true],
    ['""', true],
    ["''", true],
    ['none - everything is in place', true],
    ['None (nothing remaining)', true],
    ['none, except the docs', false],
    ['none for now, but the docs remain', false],
    ['docs', false],
    ['0 tests pass', false],
    ['nothing works', false],
    ['not much', false],
    ['none?', false],
  ])('%j means nothing: %s', (value, yes) => {
    expect(isNone(value)).toBe(yes)
  })

  it.each<[string, string, boolean]>([
    ['COMPLETE', 'COMPLETE', false],
    ['complete.', 'COMPLETE', false],
    ['  complete  ', 'COMPLETE', false],
    ['**complete**', 'COMPLETE', false],
    ['In progress', 'IN_PROGRESS', false],
    ['in-progress', 'IN_PROGRESS', false],
    ['true ✅', 'TRUE', false],
    ['true # all green', 'TRUE', false],
    ['true // all green', 'TRUE', false],
    ['true (12 of 12)', 'TRUE', false],
    ['true — shipped', 'TRUE', false],
    ['true (once CI is green)', 'TRUE', true],
    ['true # or false', 'TRUE', true],
    ['COMPLETE - means that all is done', 'COMPLETE', true],
    ['COMPLETE, but the docs are missing', 'COMPLETE', true],
    ["COMPLETE (I haven't run it)", 'COMPLETE', true],
    ['', '', false],
  ])('the word of %j is %s, doubtful %s', (value, word, doubtful) => {
    expect(wordOf(value)).toEqual({ word, doubtful })
  })

  it('has a doubtful word, however long the remark is', () => {
    expect(wordOf(`COMPLETE (${'as planned '.repeat(50)}but the docs are missing)`).doubtful).toBe(true)
  })

  it.each([
    ['true', true],
    ['TRUE', true],
    ['False', false],
    ['"true"', true],
    ['12', 12],
    ['-3', -3],
    ['12.5', 12.5],
    ['0', 0],
    ['007', '007'],
    ['1.10', '1.10'],
    ['1e3', '1e3'],
    ['"12"', '12'],
    ['6/10', '6/10'],
    ['60%', '60%'],
    ['Infinity', 'Infinity'],
    ['NaN', 'NaN'],
    ['12345678901234567890', '12345678901234567890'],
    ['', ''],
    ['yes', 'yes'],
  ])('%j is parsed as %j', (value, scalar) => {
    const actual = parseScalar(value)
    // Infinity looks like a number, but can't be written to a journal.
    expect(actual).toBe(scalar)
  })
})

describe('classifying lines', () => {
  it.each<[string, string, string[]]>([
    ['plain', 'a\nb', ['own', 'own']],
    ['a fence', '```\na\n```\nb', ['fenced', 'fenced', 'fenced', 'own']],
    ['a fence with a language', '```ts\na\n```', ['fenced', 'fenced', 'fenced']],
    ['a longer fence', '````\n```\na\n````\nb', ['fenced', 'fenced', 'fenced', 'fenced', 'own']],
    ['tildes inside backticks', '```\n~~~\na\n```\nb', ['fenced', 'fenced', 'fenced', 'fenced', 'own']],
    ['a fence in a list', '- ```\n  a\n  ```\nb', ['fenced', 'fenced', 'fenced', 'own']],
    ['an unclosed fence', 'a\n```\nb', ['own', 'fenced', 'fenced']],
    ['code on one line is not a fence', '```a```\nb', ['fenced', 'own']],
    ['a quote', '> a\nb', ['quoted', 'own']],
    ['a quote in a fence', '```\n> a\n```', ['fenced', 'quoted', 'fenced']],
    ['a diff', '```diff\n a\n```', ['hidden', 'hidden', 'hidden']],
    ['a comment', 'a\n<!--\nb\n-->\nc', ['own', 'hidden', 'hidden', 'hidden', 'own']],
    ['a comment that starts after text', 'a <!-- b\nc\n--> d\ne', ['hidden', 'hidden', 'hidden', 'own']],
    ['a comment mark in inline code', 'the `<!--` mark\nb\n-->', ['own', 'own', 'own']],
    ['a comment mark that is never closed', 'say <!-- once\nb', ['own', 'own']],
    ['a comment that is never closed', '<!-- a\nb', ['hidden', 'hidden']],
    ['a tag', '<example>\na\n</example>\nb', ['hidden', 'hidden', 'hidden', 'own']],
    ['a tag with attributes', '<template id="x">\na\n</template>\nb', ['hidden', 'hidden', 'hidden', 'own']],
    ['a tag on one line', '<sample>a</sample>\nb', ['hidden', 'own']],
    ['a tag of another kind', '<details>\na\n</details>', ['own', 'own', 'own']],
    ['a hunk', '@@ -1 +1 @@\n a\n+b\nc', ['hidden', 'hidden', 'hidden', 'own']],
    ['a hunk with its function', '@@ -1 +1 @@ f()\n+b\nc', ['hidden', 'hidden', 'own']],
    ['a diff without a fence', 'diff --git a/x b/x\n+b\nc', ['hidden', 'hidden', 'own']],
    ['text that starts like a hunk', '@@ here\n+b', ['own', 'own']],
    ['text that starts like a diff', 'different\n+b', ['own', 'own']],
    ['a language in a fence', '```\n```ts\na\n```\nb', ['fenced', 'fenced', 'fenced', 'fenced', 'own']],
    ['spaces after the end of a fence', '```\na\n```  \nb', ['fenced', 'fenced', 'fenced', 'own']],
    ['tildes with code after them', '~~~ `a`\nb\n~~~\nc', ['fenced', 'fenced', 'fenced', 'own']],
    ['a fence of tildes', '~~~\n```\na\n~~~\nb', ['fenced', 'fenced', 'fenced', 'fenced', 'own']],
    ['an indented quote', '  > a\nb', ['quoted', 'own']],
    ['an end of a comment before its start', '--> a <!-- b\nc', ['own', 'own']],
    ['an indented comment that is never closed', '  <!-- a\nb', ['hidden', 'hidden']],
    ['text after a tag that is never closed', '<file> is missing\nb', ['own', 'own']],
    [
      'text after a tag that is closed later',
      'a\n<file> b\nc\n</file>\nd',
      ['own', 'hidden', 'hidden', 'hidden', 'own'],
    ],
    ['an indented tag that is never closed', '  <example>  \na', ['hidden', 'hidden']],
  ])('%s', (_name, text, standings) => {
    expect(classifyLines(clean(text)).map(({ kind }) => kind)).toEqual(standings)
  })

  it('a line of spaces is blank', () => {
    expect(classifyLines('a\n  \n').map(({ blank }) => blank)).toEqual([false, true, true])
  })

  it.each([
    ['a\r\nb\rc', 'a\nb\nc'],
    ['\ufeffa\u200bb\u00a0c', 'ab c'],
    ['\x1b[1;32ma\x1b[0m', 'a'],
    ['\x1b]0;title\x07a', 'a'],
    ['\x1b]torn\nb', '\nb'],
    ['a\u2028b\u0000c', 'a\nbc'],
    ['Straße 漢字 🎉', 'Straße 漢字 🎉'],
  ])('cleans %j', (text, cleaned) => {
    expect(clean(text)).toBe(cleaned)
  })
})
