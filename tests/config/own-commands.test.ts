import { describe, expect, it } from 'vitest'
import { configure } from '../../src/config/project-config.ts'
import { problemsOf } from '../../src/config/validate.ts'

describe('commands under names of your own', () => {
  it('are taken, and required can name them', () => {
    const { commands, required } = configure({ commands: { e2e: 'npm run e2e' }, required: ['tests', 'e2e'] })
    expect(commands).toEqual({ e2e: 'npm run e2e' })
    expect(required).toEqual(['tests', 'e2e'])
  })

  const refused: [string, object, string][] = [
    [
      'the name of a check',
      { tests: 'npm test' },
      'the name "tests" in "commands" is taken by a check of exitgate; choose another one.',
    ],
    [
      'a name with signs in it',
      { 'a/b': 'x' },
      'the name "a/b" in "commands" is not allowed; a name is made of letters, digits, spaces, "-" and "_".',
    ],
    ['no text', { e2e: 1 }, '"commands.e2e" is 1; it must be a text, or null for none.'],
  ]
  it.each(refused)('but not %s', (_, commands, text) => {
    expect(problemsOf({ commands }).map((problem) => problem.text)).toEqual([text])
  })
})
