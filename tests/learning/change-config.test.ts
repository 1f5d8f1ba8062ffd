import { describe, expect, it } from 'vitest'
import { changeOf } from '../../src/cli/learning/change-config.ts'
import type { Suggestion } from '../../src/learning/suggest.ts'

const suggested = (path: readonly string[]): Suggestion => ({
  path,
  from: 3,
  to: 1,
  runs: 10,
  labelled: 10,
  saved: 1,
  avoided: 0,
  lost: 0,
  spared: 0,
  opensMoreEasily: false,
})
const changed = (kind: 'json' | 'yaml' | 'package', text: string, path: readonly string[]): string =>
  changeOf('/project', { path: '/project/file', name: 'file', kind, text }, [suggested(path)]).after

describe('another number in a configuration file', () => {
  it.each<[string, 'json' | 'yaml' | 'package', string, string]>([
    ['into a section', 'yaml', 'breaker:\n    sameError: 5\n', 'breaker:\n    noProgress: 1\n    sameError: 5\n'],
    ['into a section of one line', 'yaml', 'breaker: {sameError: 5}\n', 'breaker: {noProgress: 1, sameError: 5}\n'],
    ['with its section', 'yaml', 'preset: default\n', 'breaker: { noProgress: 1 }\npreset: default\n'],
    [
      'beside a merge',
      'yaml',
      'b: &b\n  x: 3\nbreaker:\n  <<: *b\n',
      'b: &b\n  x: 3\nbreaker:\n  noProgress: 1\n  <<: *b\n',
    ],
    [
      'behind a mark of the encoding',
      'yaml',
      '\uFEFFpreset: default\n',
      '\uFEFFbreaker: { noProgress: 1 }\npreset: default\n',
    ],
    ['into JSON', 'json', '{}', '{"breaker": { "noProgress": 1 }}'],
    [
      'into package.json',
      'package',
      '{"name":"x"}\n',
      '{"name":"x", "exitgate": { "breaker": { "noProgress": 1 } }}\n',
    ],
  ])('is written %s, and nothing else changes', (_name, kind, before, after) => {
    expect(changed(kind, before, ['breaker', 'noProgress'])).toBe(after)
  })

  it.each<[string, 'json' | 'yaml' | 'package', string]>([
    ['a section without a value', 'yaml', 'breaker:\npreset: default\n'],
    ['a section that stands elsewhere', 'yaml', 'x: &b\n  noProgress: 3\nbreaker: *b\n'],
    ['a number that others share', 'yaml', 'breaker:\n  noProgress: &n 3\nsameTask: *n\n'],
    ['an empty section', 'yaml', 'breaker: {}\n'],
    ['a section of null', 'json', '{"breaker": null}'],
    ['a file that is broken', 'json', '{"breaker": '],
    ['a list', 'package', '[]'],
  ])('is left to the user: %s', (_name, kind, text) => {
    expect(() => changed(kind, text, ['breaker', 'noProgress'])).toThrow(
      "exitgate can't change breaker.noProgress in file without touching the rest. Set it to 1 yourself.",
    )
  })
})
