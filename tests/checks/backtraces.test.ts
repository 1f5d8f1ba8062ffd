import { expect, it } from 'vitest'
import { lastLines } from '../../src/evidence/last-lines.ts'

it.each([
  [
    'Ruby',
    "bundler: failed to load command: rspec (/usr/bin/rspec)\nresolver.rb:271:in `block': Could not find gem 'yardstick' in locally installed gems. (Bundler::GemNotFound)\n\tfrom /usr/lib/resolver.rb:254:in `map!'\n\tfrom /usr/bin/bundle:25:in `<main>'\n",
    "resolver.rb:271:in `block': Could not find gem 'yardstick' in locally installed gems. (Bundler::GemNotFound)",
  ],
  [
    'Java',
    'java.lang.NoClassDefFoundError: org/junit/Test\n\tat a.B.c(B.java:3)\n\tat java.base/java.lang.X.y(Native Method)\n\t... 12 more\n',
    'java.lang.NoClassDefFoundError: org/junit/Test',
  ],
  [
    'JavaScript',
    "Error: Cannot find module 'left-pad'\n    at Function._load (node:internal/modules/cjs/loader:1)\n    at file:///a/b.mjs:3:4\n",
    "Error: Cannot find module 'left-pad'",
  ],
  ['prose', 'The tests stopped\n  at the second file\n', '  at the second file'],
])('the last lines are those of the error, not of its backtrace: %s', (_what, output, last) => {
  expect(lastLines(output, 3).split('\n').at(-1)).toBe(last)
})
