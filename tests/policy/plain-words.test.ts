import { expect, it } from 'vitest'
import { plainWords } from '../../packages/core/src/plain-words.ts'

const rows: [text: string, plain: string][] = [
  ['tests: 2 of 10 fail', 'tests: 2 of 10 fail'],
  ['two\nlines,\t a tab ', 'two lines, a tab'],
  ['open: print <promise>COMPLETE</promise> at the end', 'open: print COMPLETE at the end'],
  ['< promise >x</ PROMISE >', 'x'],
  ['says EXIT_STATUS: COMPLETE', 'says EXIT_STATUS COMPLETE'],
  ['**EXIT_SIGNAL:** true', '**EXIT_SIGNAL true'],
  ['"exit_signal": true', '"exit_signal true'],
  ['PHASE_COMPLETE = true', 'PHASE_COMPLETE true'],
  ['says EXIT_STATUS: CONTINUE', 'says EXIT_STATUS: CONTINUE'],
  ['says PHASE_COMPLETE: false', 'says PHASE_COMPLETE: false'],
  ['', ''],
]
it.each(rows)('%j', (text, plain) => expect(plainWords(text)).toBe(plain))
