import { describe, expect, it } from 'vitest'
import { globBase, globMatcher } from '../../src/system/glob.ts'

const rows: [glob: string, path: string, fits: boolean][] = [
  ['a.md', 'a.md', true],
  ['./a.md', 'a.md', true],
  ['a.md', 'axmd', false],
  ['*.md', 'a.md', true],
  ['*.md', '.hidden.md', true],
  ['*.md', 'docs/a.md', false],
  ['**/*.md', 'a.md', true],
  ['**/*.md', 'docs/deep/a.md', true],
  ['docs/**', 'docs/deep/a.md', true],
  ['docs/**', 'docsx/a.md', false],
  ['docs/**/*.md', 'docs/a.md', true],
  ['docs/**/a.md', 'docs/x/y/a.md', true],
  ['docs/**/a.md', 'docs/xa.md', false],
  ['a?.md', 'ab.md', true],
  ['a?.md', 'a/.md', false],
  ['a[0-9].md', 'a7.md', true],
  ['a[!0-9].md', 'a7.md', false],
  ['a[!0-9].md', 'ax.md', true],
  ['a[!0-9]b', 'a/b', false],
  ['*.{md,txt}', 'a.txt', true],
  ['*.{md,txt}', 'a.rst', false],
  ['{a,b/{c,d}}/x', 'b/d/x', true],
  ['a{b', 'a{b', true],
  ['a+(b).md', 'a+(b).md', true],
  ['größe/*.md', 'größe/ä.md', true],
  ['a[*]b', 'a*b', true],
  ['a[*]b', 'axb', false],
]

describe('globs', () => {
  it.each(rows)('%s on %s: %s', (glob, path, fits) => {
    expect(globMatcher(glob)(path)).toBe(fits)
  })

  it.each([
    ['a.md', ''],
    ['docs/a.md', 'docs'],
    ['docs/*.md', 'docs'],
    ['docs/deep/**/x/*.md', 'docs/deep'],
    ['**/a.md', ''],
  ])('all matches of %s are in "%s"', (glob, base) => {
    expect(globBase(glob)).toBe(base)
  })
})
