import { expect, it } from 'vitest'
import { type Diagnosis, doctorText } from '../../src/reports/doctor-text.ts'

const LONG =
  'exitgate could not find a command that runs the tests, so a claim would stay unverified in every iteration'
const diagnosis: Diagnosis = {
  ...{ ok: false, ready: false, commands: [], hooks: [], unprotected: [] },
  things: [
    { name: 'tests', state: 'bad', text: LONG, remedy: `Set commands.test. ${LONG}` },
    { name: 'folder', state: 'good', text: `/${'a-very-long-folder-name/'.repeat(4)} is a repository` },
  ],
  remedy: 'Set commands.test in exitgate.config.json, or pass --test "..." to every command that needs it.',
}

it.each([40, 60, 80])('breaks lines only between words at %i columns', (columns) => {
  const text = doctorText(diagnosis, { color: false, columns })
  const wide = doctorText(diagnosis, { color: false })
  expect(text.split(/\s+/)).toEqual(wide.split(/\s+/))
  const tooLong = text.split('\n').filter((line) => line.length > columns && /\S\s+\S/.test(line.trim()))
  expect(tooLong).toEqual([])
})

it('paints every line of the result', () => {
  const lines = doctorText(diagnosis, { color: true, columns: 50 }).trimEnd().split('\n')
  const end = lines.slice(lines.lastIndexOf('') + 1)
  expect(end.length).toBeGreaterThan(1)
  for (const line of end) expect(line).toMatch(/^\u001b\[31m.*\u001b\[39m$/)
})
