import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { scanJson } from '../../src/config/scan-json.ts'

const isJson = (text: string): boolean => {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

const accepts = (text: string): boolean => scanJson(text).error === undefined

const edges: [string][] = [
  [''],
  [' '],
  ['0'],
  ['-0'],
  ['01'],
  ['1.'],
  ['.5'],
  ['1e5'],
  ['1E+5'],
  ['1e'],
  ['+1'],
  ['-'],
  ['truex'],
  ['nul'],
  ['NaN'],
  ['"\\u00e9"'],
  ['"\\u00e"'],
  ['"\\x"'],
  ['"\t"'],
  ['"a'],
  ['\u00a0{}'],
  ['\ufeff{}'],
  ['{"a":1,}'],
  ['[1,]'],
  ['[,1]'],
  ['{,}'],
  ['{"a" 1}'],
  ['{"a":}'],
  ['{a:1}'],
  ['[1 2]'],
  ['[1]]'],
  ['{"a":[{"b":null}]}'],
  ['"\u2028"'],
]

describe('scanJson', () => {
  it.each(edges)('agrees with JSON.parse about %j', (text) => expect(accepts(text)).toBe(isJson(text)))

  it('agrees with JSON.parse about anything', () => {
    const pieces = fc.constantFrom(
      '{',
      '}',
      '[',
      ']',
      ',',
      ':',
      '"a"',
      '"',
      '1',
      '-',
      '.',
      'e',
      'true',
      ' ',
      '\n',
      '\\',
    )
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 12 }), (parts) => {
        const text = parts.join('')
        expect(accepts(text)).toBe(isJson(text))
      }),
      {
        numRuns: 3000,
      },
    )
  })

  it('accepts every JSON value, however it is indented', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 6 }), fc.constantFrom(0, 2, '\t'), (value, indent) => {
        expect(scanJson(JSON.stringify(value, null, indent)).error).toBeUndefined()
      }),
    )
  })

  it('agrees with JSON.parse when a character is removed', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 4 }), fc.nat(), (value, where) => {
        const whole = JSON.stringify(value)
        const at = where % whole.length
        const text = whole.slice(0, at) + whole.slice(at + 1)
        expect(accepts(text)).toBe(isJson(text))
      }),
    )
  })

  it('knows the line of every key and item', () => {
    const text = '{\n  "a": {\n    "b": [1,\n      {"c": 2}\n    ]\n  },\r\n  "d": "x\\n", "e": 1\n}'
    expect(Object.fromEntries(scanJson(text).lines)).toEqual({
      a: 2,
      'a.b': 3,
      'a.b[0]': 3,
      'a.b[1]': 4,
      'a.b[1].c': 4,
      d: 7,
      e: 7,
    })
  })
})
