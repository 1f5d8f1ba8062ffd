import { describe, expect, it } from 'vitest'
import { readWithPatterns } from '../../src/core/signals/user-patterns.ts'
import { fence, NO, YES } from './heard.ts'
import { transcript } from './transcript.ts'

const rounding = 'Should the discount be rounded to cents, or kept exact?'
const questionOf = (message: string, prompt?: string) =>
  readWithPatterns(transcript(message), prompt === undefined ? {} : { prompt }).question

describe('a question to the user', () => {
  it.each<[name: string, message: string, question?: string]>([
    ['at the end', `I read the code. ${rounding}`, rounding],
    ['with the reason after it', `Should I use A or B? A is simpler.`, 'Should I use A or B?'],
    ['with its options as a list', `${rounding}\n\n- cents: as in the invoice\n- exact: as in the tests`, rounding],
    ['before a status that says no', `${rounding}\n\n${NO}\nREMAINING_WORK: the discount`, rounding],
    ['in bold', '**Could you grant me access to src?**', 'Could you grant me access to src?'],
    ['to you, in a heading', '## What would you like me to do?\n\n1. Deploy it.', 'What would you like me to do?'],
    [
      'in two sentences',
      'Do you want cents? Which currency do you use?',
      'Do you want cents? Which currency do you use?',
    ],
    [
      'that a list completes',
      'Could you please:\n\n1. Clone the repository\n2. Or give its path\n\nI wait.',
      'Could you please: Clone the repository Or give its path',
    ],
    ['in a list', 'Two things:\n1. Do you want cents?\n2. Use the tests.', 'Do you want cents?'],
    ['as a plea', 'Please confirm the schema before I migrate it.', 'Please confirm the schema before I migrate it.'],
    ['in another language', 'Ich bin soweit. Soll ich auf Cent runden?', 'Soll ich auf Cent runden?'],
    ['with another mark', '我已经读完代码。金额应该四舍五入到分吗？', '我已经读完代码。金额应该四舍五入到分吗？'],
    ['after finished work, if it is no offer', `The parser is done. ${rounding}`, rounding],
    ['about finished work', 'The cache is finished. Which option do you prefer?', 'Which option do you prefer?'],
    ['of a secret length', `Do you want ${'x'.repeat(500)}?`, `Do you want ${'x'.repeat(388)}`],
  ])('%s', (_name, message, question) => expect(questionOf(message)).toBe(question))
})

describe('no question', () => {
  it.each<[name: string, message: string, prompt?: string]>([
    ['nothing', ''],
    ['a colon before text', 'Would you like to see it: it is long.\nI go on.'],
    ['a heading that asks nobody', "## What's next?\n\nI add the docs."],
    ['a heading at the end', "I added the docs.\n\n## What's next?"],
    ['one that the agent answers', 'Why did it fail? The path was wrong.'],
    ['an offer after finished work', 'The task is done. Want me to commit it?'],
    ['another offer', 'All tests pass and the work is complete. Should I also update the docs?'],
    ['anything else', 'Everything is finished. Is there anything else you need?'],
    ['a farewell', 'I fixed the parser. Please let me know if you have questions.'],
    ['with a claim', `${rounding}\n\n${YES}`],
    ['in a quote', `> ${rounding}`],
    ['in a fence', fence(rounding)],
    ['in a tag', `<example>\n${rounding}\n</example>`],
    ['of the prompt', `Read the code.\n${rounding}`, `Read the code.\n${rounding}`],
    ['long ago', `${rounding}\n\n${'I read a file. '.repeat(7)}`],
    ['a mark alone', 'The output is "?"'],
    ['an option in a list', 'I can do this:\n- Deploy it (if you have a key)?\n- Nothing.'],
    ['a query', 'The list uses placeholders: `WHERE id = ?`'],
  ])('%s', (_name, message, prompt) => expect(questionOf(message, prompt)).toBeUndefined())
})
