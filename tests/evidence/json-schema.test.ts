import { describe, expect, it } from 'vitest'
import { unsupportedIn, validate } from '../../src/evidence/artifacts/json-schema.ts'

const test = (pattern: string, text: string) => new RegExp(pattern, 'u').test(text)

/** A schema, values that fit, values that do not. */
const rows: [schema: unknown, fit: readonly unknown[], unfit: readonly unknown[]][] = [
  [true, [1, null], []],
  [false, [], [1]],
  [{}, [1, 'a', null, []], []],
  [{ type: 'string' }, ['', 'a'], [1, null, {}, []]],
  [{ type: 'integer' }, [1, 1.0, -3], [1.5, '1']],
  [{ type: 'number' }, [1, 1.5], ['1']],
  [{ type: 'object' }, [{}], [[], null]],
  [{ type: 'array' }, [[]], [{}]],
  [{ type: ['null', 'boolean'] }, [null, true], [0]],
  [{ enum: [1, 'a', { b: [1] }] }, [1, 'a', { b: [1] }], [2, { b: [2] }]],
  [{ const: { a: 1, b: 2 } }, [{ b: 2, a: 1 }], [{ a: 1 }]],
  [{ const: null }, [null], [0, false]],
  [{ required: ['a'] }, [{ a: undefined }, { a: 1 }, 'no object'], [{}]],
  [{ required: ['toString'] }, [{ toString: 1 }], [{}]],
  [{ properties: { a: { type: 'string' } } }, [{}, { a: 'x', b: 1 }], [{ a: 1 }]],
  [{ properties: { a: {} }, additionalProperties: false }, [{ a: 1 }], [{ b: 1 }, { toString: 1 }]],
  [{ additionalProperties: { type: 'number' } }, [{ x: 1 }], [{ x: 'a' }]],
  [
    { patternProperties: { '^x-': { type: 'number' } }, additionalProperties: false },
    [{ 'x-a': 1 }],
    [{ 'x-a': 'a' }, { y: 1 }],
  ],
  [{ propertyNames: { pattern: '^[a-z]+$' } }, [{ abc: 1 }], [{ A: 1 }]],
  [{ minProperties: 1, maxProperties: 2 }, [{ a: 1 }], [{}, { a: 1, b: 2, c: 3 }]],
  [{ items: { type: 'number' } }, [[], [1, 2]], [[1, 'a']]],
  [{ prefixItems: [{ type: 'string' }], items: { type: 'number' } }, [['a', 1], []], [[1], ['a', 'b']]],
  [{ prefixItems: [{}], items: false }, [[1]], [[1, 2]]],
  [{ minItems: 1, maxItems: 2 }, [[1]], [[], [1, 2, 3]]],
  [
    { uniqueItems: true },
    [
      [1, '1'],
      [{ a: 1 }, { a: 2 }],
    ],
    [
      [1, 1],
      [{ a: 1 }, { a: 1 }],
    ],
  ],
  [{ contains: { const: 3 } }, [[1, 3]], [[], [1]]],
  [{ minLength: 2, maxLength: 3 }, ['ab', '😀😀', 5], ['a', 'abcd']],
  [{ pattern: 'b+' }, ['abc', 1], ['ac']],
  [{ minimum: 1, maximum: 3 }, [1, 3, 'x'], [0, 4]],
  [{ exclusiveMinimum: 1, exclusiveMaximum: 3 }, [2], [1, 3]],
  [{ multipleOf: 0.1 }, [0.3, 2], [0.25]],
  [{ allOf: [{ minimum: 1 }, { maximum: 3 }] }, [2], [0, 4]],
  [{ anyOf: [{ type: 'string' }, { minimum: 3 }] }, ['a', 4], [2]],
  [{ oneOf: [{ minimum: 1 }, { minimum: 3 }] }, [2], [0, 4]],
  [{ not: { type: 'string' } }, [1], ['a']],
  [JSON.parse('{"if":{"type":"string"},"then":{"minLength":2},"else":{"minimum":2}}'), ['ab', 2], ['a', 1]],
  [JSON.parse('{"if":{"type":"string"},"then":{"minLength":2}}'), [1, 'ab'], ['a']],
  [{ $ref: '#/$defs/a', $defs: { a: { type: 'string' } } }, ['a'], [1]],
  [{ $ref: '#/definitions/a~1b~0c%25', definitions: { 'a/b~c%': { const: 1 } } }, [1], [2]],
  [
    { properties: { next: { $ref: '#' } }, additionalProperties: false },
    [{ next: { next: {} } }],
    [{ next: { next: { other: 1 } } }],
  ],
  [{ title: 'x', format: 'email', default: 1, $comment: 'y' }, ['no email', 1], []],
]

describe.each(rows)('%j', (schema, fit, unfit) => {
  it('is understood', () => expect(unsupportedIn(schema)).toBeUndefined())
  it.each(fit.map((value) => [value]))('%j fits', (value) => expect(validate(schema, value, test)).toEqual([]))
  it.each(unfit.map((value) => [value]))('%j does not', (value) =>
    expect(validate(schema, value, test)).not.toEqual([]),
  )
})

describe('what is not understood is said', () => {
  it.each<[unknown, string]>([
    [{ dependentSchemas: {} }, 'dependentSchemas'],
    [{ properties: { a: { unevaluatedProperties: false } } }, 'unevaluatedProperties'],
    [{ items: [{ type: 'string' }] }, 'a list in "items"'],
    [{ minimum: 1, exclusiveMinimum: true }, 'exclusiveMinimum'],
    [{ $ref: 'https://example.com/schema' }, '$ref'],
    [{ $ref: '#anchor' }, '$ref'],
    [{ $dynamicRef: '#x' }, '$dynamicRef'],
    [{ type: 'any' }, 'type'],
    [{ typ: 'string' }, 'typ'],
    [{ toString: 1 }, 'toString'],
    [7, 'no schema'],
    [null, 'no schema'],
  ])('%j', (schema, words) => {
    expect(unsupportedIn(schema)).toContain(words)
  })

  it.each([
    ['leads nowhere', { $ref: '#/$defs/none' }],
    ['go round in circles', { $ref: '#' }],
  ])('a reference that %s', (words, schema) => {
    expect(() => validate(schema, 1, test)).toThrow(words)
  })
})
