import { describe, expect, it } from 'vitest'
import { parseList, readEnvironment, toValue, variableOf } from '../../src/config/env-values.ts'
import { leaves } from '../../src/config/leaves.ts'
import { presets } from './workspace.ts'

const names: [string, string][] = [
  ['preset', 'EXITGATE_PRESET'],
  ['taskType', 'EXITGATE_TASK_TYPE'],
  ['limits.iterations', 'EXITGATE_LIMITS_ITERATIONS'],
  ['limits.callsPerHour', 'EXITGATE_LIMITS_CALLS_PER_HOUR'],
  ['cub.threshold', 'EXITGATE_CUB_THRESHOLD'],
  ['cub.evidence.cleanGit', 'EXITGATE_CUB_EVIDENCE_CLEAN_GIT'],
  ['prp.requireC4', 'EXITGATE_PRP_REQUIRE_C4'],
  ['breaker.activityTimeoutMinutes', 'EXITGATE_BREAKER_ACTIVITY_TIMEOUT_MINUTES'],
]

describe('the variable of a path', () => {
  it.each(names)('%s is %s', (path, name) => expect(variableOf(path)).toBe(name))

  it('is different for every path', () => {
    expect(new Set([...leaves().keys()].map(variableOf)).size).toBe(leaves().size)
  })
})

/** A string that this kind of value accepts, and its result. */
const sample = {
  number: ['7', 7],
  boolean: ['off', false],
  string: ['x y', 'x y'],
  array: ['a, b', ['a', 'b']],
} as const

describe('every path', () => {
  it.each([...leaves().values()])('$path can be set', (leaf) => {
    const [text, value] =
      leaf.kind === 'picklist' ? [leaf.node.options![1]!, leaf.node.options![1]!] : sample[leaf.kind]
    const name = variableOf(leaf.path)
    expect(readEnvironment({ [name]: text }, presets.default!)).toEqual({
      rows: [{ path: leaf.path, value, label: `environment ${name}` }],
      warnings: [],
    })
  })
})

const number = { kind: 'number', optional: false } as const
const boolean = { kind: 'boolean', optional: false } as const
const text = { kind: 'string', optional: false } as const
const texts: [string, Parameters<typeof toValue>[1], unknown][] = [
  ['7', number, 7],
  ['-7', number, -7],
  ['.5', number, 0.5],
  ['2.', number, 2],
  ['1e3', number, '1e3'],
  ['0x10', number, '0x10'],
  ['none', number, 'none'],
  ['none', { ...number, optional: true }, null],
  ['Disabled', { ...number, optional: true }, null],
  ['TRUE', boolean, true],
  ['1', boolean, true],
  ['yes', boolean, true],
  ['on', boolean, true],
  ['False', boolean, false],
  ['0', boolean, false],
  ['no', boolean, false],
  ['off', boolean, false],
  ['2', boolean, '2'],
  ['7', text, '7'],
]

describe('a string is converted to the type of its setting', () => {
  it.each(texts)('%j for %j', (given, leaf, value) => expect(toValue(given, leaf)).toEqual(value))
})

const lists: [string, unknown][] = [
  ['a,b', ['a', 'b']],
  [' a , , b ', ['a', 'b']],
  ['Write,Bash(git add *),Bash(a, b)', ['Write', 'Bash(git add *)', 'Bash(a, b)']],
  ['a{1,2},b', ['a{1,2}', 'b']],
  ['a),b', ['a)', 'b']],
  ['["a, b", "c"]', ['a, b', 'c']],
  ['[a]', '[a]'],
]

describe('a string is converted to a list', () => {
  it.each(lists)('%j', (given, value) => expect(parseList(given)).toEqual(value))
})
