import { describe, expect, it } from 'vitest'
import { readWithPatterns } from '../../src/core/signals/user-patterns.ts'
import { CLAIMED, check, fence, type More, NO, type Row, SILENT, YES } from './heard.ts'
import { transcript } from './transcript.ts'

const SAYS_NO = { vetoes: ['the agent reports EXIT_STATUS: CONTINUE'] }
const NOT_YET = 'However, the docs are not written yet.'
const TAKEN_BACK = { claim: true, vetoes: [`the agent takes it back: ${NOT_YET}`] }

describe('text after a claim', () => {
  it.each<Row>([
    ['takes it back', `${YES}\n\n${NOT_YET}`, TAKEN_BACK],
    ['takes it back in a JSON wrapper too', `${YES}\n\n${NOT_YET}`, TAKEN_BACK, { fields: { session_id: 'one' } }],
    ['takes it back before a template', `${YES}\n\n${NOT_YET}\n\nEXIT_STATUS: {status}`, TAKEN_BACK],
    ['on two lines', `${YES}\n\nHowever, the docs\n  are not written yet.`, TAKEN_BACK],
    [
      'is shortened',
      `${YES}\n\nBut it is not ${'x'.repeat(30)} yet, ${'x'.repeat(200)}`,
      {
        vetoes: [`the agent takes it back: But it is not ${'x'.repeat(30)} yet, ${'x'.repeat(150)}`],
      },
    ],
    [
      'between words in code',
      `${YES}\n\nHowever, \`parser\` is not covered by \`suite\` yet.`,
      { vetoes: ['the agent takes it back: However, parser is not covered by suite yet.'] },
    ],
    ['without a claim', `${NO}\n\n${NOT_YET}`, SAYS_NO],
    ['before another claim', `${YES}\n\n${NOT_YET}\n\nNow they are.\n\n${YES}`, CLAIMED],
    ['in code', `${YES}\n\n${fence(NOT_YET)}`, CLAIMED],
    ['in a quote', `${YES}\n\n> ${NOT_YET}`, CLAIMED],
    ['in the prompt', `${YES}\n\nRead this.\n${NOT_YET}`, CLAIMED, { prompt: `Read this.\n${NOT_YET}` }],
    ['after a tool call, which has no place in the text', NOT_YET, CLAIMED, { toolSignals: [{ status: 'COMPLETE' }] }],
    ['in two paragraphs', `${YES}\n\nHowever, see below\n\nThe old export is not needed yet.`, CLAIMED],
    ['in two items', `${YES}\n\n- Note the list\n- The cache is not used yet`, CLAIMED],
    [
      'with work in a list',
      `${YES}\n\nRemaining work:\n\n- the docs\n- the tests`,
      {
        vetoes: ['the agent takes it back: Remaining work: the docs'],
      },
    ],
    [
      'with work on its line',
      `${YES}\n\nRemaining work: docs`,
      { vetoes: ['the agent takes it back: Remaining work: docs'] },
    ],
    ['with nothing in a list', `${YES}\n\nRemaining work:\n\n- none`, CLAIMED],
    ['with a title alone', `${YES}\n\nRemaining work:`, CLAIMED],
  ])('%s', check)
})

describe('a "no" in a block that is only shown', () => {
  const shown = `The format is:\n${fence(NO)}\nThe rest of the text.`
  it.each<Row>([
    ['counts', shown, SAYS_NO],
    ['counts in a JSON wrapper too', shown, SAYS_NO, { fields: { session_id: 'one' } }],
    ['counts after a claim', `${YES}\n\nSome text.\n\n${shown}`, { claim: true, ...SAYS_NO }],
    ['does not count before a claim', `${shown}\n\n${YES}`, CLAIMED],
    [
      'counts in a tool call after one that says yes',
      '',
      { vetoes: ['the agent reports STATUS: CONTINUE'] },
      { toolSignals: [{ status: 'COMPLETE' }, { status: 'CONTINUE', reason: '...' }] },
    ],
    [
      'does not count in a tool call before one that says yes',
      '',
      CLAIMED,
      { toolSignals: [{ status: 'CONTINUE', reason: '...' }, { status: 'COMPLETE' }] },
    ],
  ])('%s', check)
})

describe('a block in a fence, with text after it', () => {
  const within = (before: string, inside: string, after: string) => `${before}\n${fence(inside)}\n${after}`
  it.each<Row>([
    ['counts', within('The status.', YES, 'All is well.'), CLAIMED],
    [
      'next to other status fields',
      within('The status.', `VERDICT: fine\n\n${YES}\n\nPHASE: 2`, 'All is well.'),
      CLAIMED,
    ],
    ['next to other text', within('The status.', `${YES}\nand so on`, 'All is well.'), SILENT],
    ['as a protocol', within('The protocol.', YES, 'All is well.'), SILENT],
    ['as a protocol, with only a status field after it', within('The protocol.', YES, 'CONFIDENCE: 9'), CLAIMED],
    ['as a protocol, with only an own field after it', within('The protocol.', YES, 'TEST_RUNS: 2'), CLAIMED],
    ['as a protocol, with a note after it', within('The protocol.', YES, 'NOTE: all is well'), SILENT],
    ['from a file', within('The README contains:', YES, 'All is well.'), SILENT],
    ['after a sentence about a file', within('The README contains it.', YES, 'All is well.'), CLAIMED],
    ['after a sentence with a colon', within('My status:', YES, 'All is well.'), CLAIMED],
    ['in the middle of a sentence', within('The last line is', YES, 'and I print it later.'), SILENT],
    ['after a sentence, before small letters', within('I am done.', YES, 'all is well.'), CLAIMED],
    ['after a title, before capitals', within('Status', YES, 'All is well.'), CLAIMED],
    ['after a long sentence', within(`Protocol ${'x'.repeat(300)}.`, YES, 'All is well.'), CLAIMED],
    ['before an empty fence', within('The status.', YES, '```text\n```'), CLAIMED],
    ['never closed', `The status.\n\`\`\`\n${YES}\nand so on`, SILENT],
    ['after other code', `${fence('x = 1')}\n\n${YES}\n\nAll is well.`, CLAIMED],
  ])('%s', check)
})

describe('output of a command', () => {
  it.each<Row>([
    ['right before the block', fence(`$ make\n${YES}`), SILENT],
    ['with other lines', fence(`$ npm run build\n> build\nbuilt\n${YES}`), SILENT],
    ['text before the block', fence(`Status\n${YES}`), CLAIMED],
    ['a command in another fence', `${fence('$ make')}\n${fence(YES)}`, CLAIMED],
    ['a command outside of code', `$ make\n\nAll is well.\n\`${YES}\``, CLAIMED],
  ])('%s', check)
})

describe('the text around a block', () => {
  it.each<Row>([
    ['announces an example', `For instance:\n\n${YES}`, SILENT],
    ['announces nothing', `For instance, I renamed the parser.\n\n${YES}`, CLAIMED],
    ['announces it from afar', `For instance ${'x'.repeat(300)}:\n\n${YES}`, CLAIMED],
    ['is one sentence with it', `I print\n${YES}\nas the last line.`, SILENT],
    ['has a blank line before it', `I am done\n\n${YES}\nas the last line.`, CLAIMED],
    ['has a blank line after it', `I am done\n${YES}\n\nas the last line.`, CLAIMED],
    ['goes on with a condition', `I print\n\n${YES}\n\nwhen the suite is green.`, SILENT],
    ['is an item that it belongs to', `- Print this\n  ${YES}`, SILENT],
    ['is an item before a fence', `- Print this\n  ${fence(YES).replaceAll('\n', '\n  ')}`, CLAIMED],
    ['is a line that is less deep', `I am done.\n  ${YES}`, CLAIMED],
    ['is a plan', `Next steps:\n\n- test\n- ${YES}\nThat is the plan.`, SILENT],
    ['is a plan before it', `Next steps:\n\n- test\n\n${YES}`, CLAIMED],
    ['is a list from the first line on', `- Wrote the parser\n- ${YES}`, CLAIMED],
  ])('%s', check)
})

describe('several blocks', () => {
  const ralph = (...fields: string[]) => ['---RALPH_STATUS---', ...fields, '---END_RALPH_STATUS---'].join('\n')
  const many = (key: string, count: number) => Array.from({ length: count }, (_, index) => `${key}${index}: v`)
  it.each<Row>([
    ['both forms of one dialect', `RALPH_STATUS:\n  EXIT_SIGNAL: false\n\n${ralph('EXIT_SIGNAL: true')}`, CLAIMED],
    [
      'a header in a block that is cut off',
      '---RALPH_STATUS---\nRALPH_STATUS:\n  EXIT_SIGNAL: true\n\nI go on.',
      SILENT,
    ],
    [
      'the later value counts',
      `${ralph('FILES_MODIFIED: 1')}\n\nDOYAKEN_STATUS:\n  FILES_MODIFIED: 2`,
      { said: { FILES_MODIFIED: 2 } },
    ],
    ['a reason alone', 'EXIT_REASON: all is well', { blocks: [], said: {} }],
    [
      'a template that is blocked',
      'EXIT_STATUS: BLOCKED\nEXIT_REASON: {reason}',
      { blocker: undefined, blocks: ['exit-status'] },
    ],
    [
      'metrics in a block that is only shown',
      'For example:\n\n---PRP_PHASE_STATUS---\nPHASE: GREEN\nGREEN_PHASE_METRICS:\n  tests_total: 5\n---END_PRP_PHASE_STATUS---',
      { said: {} },
    ],
    [
      'metrics that the block sets itself',
      '---PRP_PHASE_STATUS---\nTESTS_TOTAL: 4\nGREEN_PHASE_METRICS:\n  tests_total: 5\n---END_PRP_PHASE_STATUS---',
      { said: { TESTS_TOTAL: 4, 'GREEN_PHASE_METRICS.TESTS_TOTAL': 5 } },
    ],
    [
      'other keys of a tool call',
      '',
      { said: { 'TOOL.STATUS': 'COMPLETE' } },
      { toolSignals: [{ status: 'COMPLETE', note: 'x', constructor: 'y' }] },
    ],
    ['a quote in a block', ralph('EXIT_SIGNAL: true', '> shipped'), SILENT],
    ['a comment in a block', ralph('EXIT_SIGNAL: true', '<!--', '-->'), SILENT],
    ['the last 200 of one dialect', `${YES}\n${`${NO}\n`.repeat(200)}`, { problems: [], ...SAYS_NO }],
    [
      'the last 50 tool calls',
      '',
      { problems: [] },
      { toolSignals: [{ status: 'COMPLETE' }, ...Array.from({ length: 50 }, () => ({ status: 'CONTINUE' }))] },
    ],
    [
      'a long "no"',
      `REMAINING_WORK: ${'x'.repeat(161)}`,
      { vetoes: [`the agent reports REMAINING_WORK: ${'x'.repeat(159)}…`] },
    ],
    [
      'a "no" that fits',
      `REMAINING_WORK: ${'x'.repeat(160)}`,
      { vetoes: [`the agent reports REMAINING_WORK: ${'x'.repeat(160)}`] },
    ],
  ])('%s', check)

  const heard = (message: string, more: More = {}) => readWithPatterns(transcript(message, more), more)
  it('have at most 50 different reasons and 300 fields', () => {
    const open = Array.from({ length: 60 }, (_, index) => `REMAINING_WORK: item ${index}`)
    expect(heard(ralph(...open)).vetoes).toHaveLength(50)
    const fields = ['---PRP_PHASE_STATUS---', ...many('B', 180), 'A0: w', 'C: w', '---END_PRP_PHASE_STATUS---']
    const { said } = heard(`${ralph(...many('A', 180))}\n${fields.join('\n')}`)
    expect(Object.keys(said)).toHaveLength(300)
    expect([said.A0, said.C]).toEqual(['w', undefined])
  })

  it('have at most 8 reports of metrics', () => {
    const names = [...'ABCDEFGHI'].map((letter) => `${letter}_PHASE_METRICS:\n  total_${letter}: 1\n`)
    expect(Object.keys(heard(names.join('\n')).said).filter((key) => key.startsWith('TOTAL'))).toHaveLength(8)
  })

  it.each<[string, More]>([
    ['fields around the message', { fields: { [`status${'x'.repeat(100)}`]: 'y'.repeat(3_000) } }],
    ['a tool call', { toolSignals: [{ status: 'y'.repeat(3_000) }] }],
  ])('%s: keys and values have a limited length', (_name, more) => {
    const [[key, value] = []] = Object.entries(heard('', more).said)
    expect(String(key).length).toBeLessThanOrEqual(64)
    expect(value).toHaveLength(2_000)
  })

  it('of the fields around the message, the first 100 count', () => {
    const fields = Object.fromEntries(many('k', 150).map((line) => line.split(': ')))
    expect(Object.keys(heard('', { fields }).said)).toHaveLength(100)
  })
})
