import { describe, expect, it } from 'vitest'
import { readAssignments } from '../../src/config/migrate/assignments.ts'

const rows: [string, string | undefined][] = [
  ['A=1', '1'],
  ['export A=1', '1'],
  ['  A=1  ', '1'],
  ['A=1 # one', '1'],
  ['A="1 2" # two', '1 2'],
  ["A='1 # 2'", '1 # 2'],
  ["A='$HOME'", '$HOME'],
  ['A=', ''],
  ['A=""', ''],
  ['A=a,b', 'a,b'],
  ['A=a=b', 'a=b'],
  [`A="\${A:-3}"`, '3'],
  [`A=\${B:-3}`, '3'],
  [`A=\${B-}`, ''],
  ['A="$B"', undefined],
  ['A=$B', undefined],
  ['A=$(id)', undefined],
  ['A=`id`', undefined],
  [`A="\${B:-$(id)}"`, undefined],
  ['A="a\\nb"', undefined],
  ['A="1', undefined],
  ['A=1; id', undefined],
  ['A=1 id', undefined],
  ['A=(1 2)', undefined],
]

describe('readAssignments', () => {
  it.each(rows)('%j', (line, value) => {
    const { settings, skipped } = readAssignments(line)
    expect(settings).toEqual(value === undefined ? [] : [{ name: 'A', value }])
    expect(skipped.map(({ line }) => line)).toEqual(value === undefined ? [1] : [])
  })

  it('keeps the order, counts every line, and skips comments', () => {
    expect(readAssignments('\uFEFF# a\r\n\r\nA=1\r\nif true; then\n  A=2\nfi\nA=3')).toEqual({
      settings: [
        { name: 'A', value: '1' },
        { name: 'A', value: '2' },
        { name: 'A', value: '3' },
      ],
      skipped: [
        { line: 4, why: 'not an assignment; exitgate never executes this file' },
        { line: 6, why: 'not an assignment; exitgate never executes this file' },
      ],
    })
  })
})
