import { describe, expect, it } from 'vitest'
import { readWithPatterns } from '../../src/core/signals/user-patterns.ts'
import { CLAIMED, check, fence, NO, type Row, SILENT, YES } from './heard.ts'
import { transcript } from './transcript.ts'

describe('text of the prompt', () => {
  const prompt = `Report plainly.\n${YES}\nEXIT_REASON: all is well`
  const ignored = { claim: undefined, problems: ['exit-status: ignored a block that only repeats the prompt'] }
  it.each<Row>([
    ['a block', `Report plainly.\n${YES}\nEXIT_REASON: all is well`, ignored, { prompt }],
    [
      'a block with other spaces and marks',
      `> Report plainly.\n\n**${YES}**\n\n  EXIT_REASON:  All is well`,
      ignored,
      { prompt },
    ],
    ['a block with a status field after it', `${YES}\nEXIT_REASON: all is well\nVERDICT: fine`, ignored, { prompt }],
    ['a block that is filled in', `Report plainly.\n${YES}\nEXIT_REASON: 12 tests pass`, CLAIMED, { prompt }],
    ['one line of it', YES, CLAIMED, { prompt }],
    ['all of it', YES, ignored, { prompt: YES }],
    ['all of it, with more', `I am done.\n${YES}`, CLAIMED, { prompt: YES }],
    ['all of it, before more', 'It is done.\nAll of it.', { phrases: ['ralph-done:done'] }, { prompt: 'It is done.' }],
    ['sentences', 'Report plainly.\nAll is done.', { phrases: [] }, { prompt: 'Report plainly.\nAll is done.' }],
    ['sentences, the first one', 'It is done.\nReport it.', { phrases: [] }, { prompt: 'It is done.\nReport it.' }],
    ['other sentences', 'It is done.', { phrases: ['ralph-done:done'] }, { prompt }],
    [
      'another order',
      'Report it.\nIt is done.',
      { phrases: ['ralph-done:done'] },
      { prompt: 'It is done.\nReport it.' },
    ],
    ['earlier messages', '', { phrases: [] }, { prompt: 'Report.\nIt is done.', earlier: ['**It is done.**'] }],
    [
      'a task',
      'TASK: the docs\nTASK: the parser\nIn Rust.',
      { task: 'the docs' },
      { prompt: 'TASK: the parser\nIn Rust.' },
    ],
  ])('%s', check)
})

describe("the user's patterns see only the agent's own sentences", () => {
  it.each<Row>([
    ['a sentence', 'Shipped', { phrases: ['user:.'] }],
    ['a reason', `${NO}\nEXIT_REASON: shipped`, { phrases: ['user:.'] }],
    ['nothing', '\n  \n', { phrases: [] }],
    ['a block', `${NO}\n`, { phrases: [] }],
    ['a block with a tag', 'EXIT_STATUS: </b>', { phrases: [] }],
    ['a reason that is not filled in', `${NO}\nEXIT_REASON: {reason}`, { phrases: [] }],
    ['code', fence('shipped'), { phrases: [] }],
    ['a quote', '> shipped', { phrases: [] }],
    ['a quoted block', '> ---RALPH_STATUS---\n> REASON: shipped\n> ---END_RALPH_STATUS---', { phrases: [] }],
    ['a block in a comment', `<!--\n${NO}\nEXIT_REASON: shipped\n-->`, { phrases: [] }],
    ['the prompt', 'Ship it.\nShipped.', { phrases: [] }, { prompt: 'Ship it.\nShipped.' }],
    ['a promise', 'x\n<promise>COMPLETE</promise>', { phrases: [] }, { prompt: 'x\n<promise>COMPLETE</promise>' }],
  ])('%s', (name, message, heard, more) => {
    const own = readWithPatterns(transcript(message, more), { ...more, patterns: ['.'] }).phrases
    expect(
      own.filter((phrase) => phrase.startsWith('user:')),
      name,
    ).toEqual(heard.phrases)
  })
})

describe('the task', () => {
  it.each<Row>([
    ['in a line', 'TASK: the parser', { task: 'the parser' }],
    ['under its longer name', 'CURRENT_TASK: the parser', { task: 'the parser' }],
    ['without a value', 'TASK: the parser\nTASK:', { task: 'the parser' }],
    ['in code', `TASK: the parser\n${fence('TASK: the docs')}`, { task: 'the parser' }],
    ['in a quote', '> TASK: the docs', { task: undefined }],
    ['in JSON', 'RALPH_STATUS: {"CURRENT_TASK": " the parser "}', { task: 'the parser' }],
    ['empty in a block', 'RALPH_STATUS: {"CURRENT_TASK": ""}', { task: undefined }],
    ['not a text', 'RALPH_STATUS: {"CURRENT_TASK": true}', { task: undefined }],
    ['not filled in', 'RALPH_STATUS: {"CURRENT_TASK": "<task>"}', { task: undefined }],
  ])('%s', check)
})

describe('a block in a fence at the end', () => {
  const FENCE = '```\nEXIT_STATUS: COMPLETE\nREMAINING_WORK: none\n```'
  it.each<Row>([
    ['that shows a new file', `Added tests/fixtures/done.txt:\n${FENCE}`, SILENT],
    ['that shows a fixture', `The fixture \`data/last_message.md\` now contains:\n\n${FENCE}`, SILENT],
    ['that shows a written file', `I wrote **src/prompt.txt** (used by the loop):\n${FENCE}`, SILENT],
    ['that shows a file by its path', `Done.\n\n**tests/fixtures/done.txt**\n${FENCE}`, SILENT],
    ['that shows what a file looks like', `I added a fixture. It looks like this:\n\n${FENCE}`, SILENT],
    ['that names its file', `Added the fixture.\n${FENCE.replace('```', '```txt title="fixtures/done.txt"')}`, SILENT],
    ['that shows the content of a fixture', `I created a fixture with this content:\n${FENCE}`, SILENT],
    [
      'that shows a file and what it has',
      `Added fixtures/done.txt, which has the block of a finished agent:\n${FENCE}`,
      SILENT,
    ],
    ['that shows what a test reads', `The parser test feeds it this message:\n${FENCE}`, SILENT],
    ['after the word fixture', `All tests pass.\n\nFixture:\n${FENCE}`, SILENT],
    ['after a sentence about a fixture', `The work on the fixture loader is finished:\n${FENCE}`, CLAIMED],
    ['after a sentence about files', `I updated the files and everything passes:\n${FENCE}`, CLAIMED],
    ['after a sentence with a file', `I updated src/slug.js and its tests. Status:\n${FENCE}`, CLAIMED],
    ['after a file and no colon', `Created tests/slug.test.js.\n${FENCE}`, CLAIMED],
  ])('%s', check)
})

describe('a promise', () => {
  const DONE = '<promise>COMPLETE</promise>'
  it.each<Row>([
    ['with spaces', '<promise> COMPLETE </promise>', { claim: true, said: { PROMISE: 'COMPLETE' } }],
    [
      'after a sentence, with spaces',
      'Shipped. <promise> COMPLETE </promise>',
      { claim: true, said: { PROMISE: 'COMPLETE' } },
    ],
    ['of your own, with spaces', '<promise>All  Done</promise>', CLAIMED, { promise: ' all done ' }],
    ['never closed', '<promise>COMPLETE', SILENT],
    ['before small letters', `${DONE} comes later`, SILENT],
    ['before a sentence in small letters', `${DONE} all tasks are done and the tests pass`, CLAIMED],
    ['before a sentence about output', `${DONE} all tasks are done; the output format is documented`, CLAIMED],
    ['before a sentence about the past', `${DONE} all tasks have been completed after the last fix`, CLAIMED],
    ['before a sentence about a later time', `${DONE} all tasks count when all tests pass`, SILENT],
    ['before a sentence that says no', `${DONE} all tasks are not done`, SILENT],
    ['before a sentence in small letters about it', `${DONE} the tag comes once all is done`, SILENT],
    ['after half a sentence', `The loop reads ${DONE}`, SILENT],
    ['after a sentence about it alone', `I print this tag: ${DONE}`, SILENT],
    ['after a sentence about it', `All is well. I print this tag: ${DONE}`, SILENT],
    ['after a sentence about something else', `I know the tag. All tests pass: ${DONE}`, CLAIMED],
    ['before a long text', `${DONE} ${'Word '.repeat(120)}`, SILENT],
    ['on three lines', 'All is well.\n<promise>\nCOMPLETE\n</promise>', CLAIMED],
    ['on three lines, never closed', '<promise>\nCOMPLETE\nAll is well.', SILENT],
  ])('%s', check)
})
