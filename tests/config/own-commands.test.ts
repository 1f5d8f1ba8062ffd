import { describe, expect, it } from 'vitest'
import { configure } from '../../src/config/project-config.ts'
import { problemsOf } from '../../src/config/validate.ts'

describe('custom commands', () => {
  it('are accepted, and can be required', () => {
    const { commands, required } = configure({ commands: { e2e: 'npm run e2e' }, required: ['tests', 'e2e'] })
    expect(commands).toEqual({ e2e: 'npm run e2e' })
    expect(required).toEqual(['tests', 'e2e'])
  })

  const refused: [string, object, string][] = [
    [
      'the name of a built-in check',
      { tests: 'npm test' },
      '"tests" in "commands" is the name of a built-in check. Choose another name.',
    ],
    [
      'a name with special characters',
      { 'a/b': 'x' },
      'the name "a/b" in "commands" is not allowed. Use letters, digits, spaces, "-" and "_".',
    ],
    ['a number', { e2e: 1 }, '"commands.e2e" must be null or a string, not 1.'],
  ]
  it.each(refused)('reject %s', (_, commands, text) => {
    expect(problemsOf({ commands }).map((problem) => problem.text)).toEqual([text])
  })
})
