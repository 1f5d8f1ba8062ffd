import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { describe, expect, it } from 'vitest'
import { VERSION } from '../src/cli/version.ts'
import { root } from './source-tree.ts'

/** The two lines that a release or a fork changes are in package.json: `version` and `repository.url`. Everything else follows. */
const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
  readonly version: string
  readonly repository: { readonly url: string }
}
const { version } = manifest
const address = manifest.repository.url.replace(/^git\+|\.git$/g, '')
type Json = Readonly<Record<string, unknown>>
type Follower = readonly [
  path: string,
  follow: (found: Json & { readonly packages?: Readonly<Record<string, Json>> }) => Json,
]

const FOLLOWERS: readonly Follower[] = [
  ['package.json', (found) => ({ ...found, homepage: `${address}#readme`, bugs: `${address}/issues` })],
  [
    'package-lock.json',
    (found) => ({ ...found, version, packages: { ...found.packages, '': { ...found.packages?.[''], version } } }),
  ],
  ['plugin/.claude-plugin/plugin.json', (found) => ({ ...found, version, homepage: address, repository: address })],
  ['plugin/.codex-plugin/plugin.json', (found) => ({ ...found, version, homepage: address, repository: address })],
]

describe('version and repository', () => {
  it.each(FOLLOWERS)('%s follows package.json (npm run schema updates it)', (path, follow) => {
    const found = JSON.parse(readFileSync(join(root, path), 'utf8'))
    const expected = follow(found)
    const updates = process.env.UPDATE_GOLDEN === '1' && !isDeepStrictEqual(found, expected)
    if (updates) writeFileSync(join(root, path), `${JSON.stringify(expected, null, 2)}\n`)
    else expect(found).toEqual(expected)
  })

  it('of the program is that of package.json', () => {
    expect(VERSION).toBe(version)
    expect(readFileSync(join(root, 'action.yml'), 'utf8')).toContain(
      'require(process.argv[1] + "/package.json").version',
    )
    expect(readFileSync(join(root, 'docs/ci.md'), 'utf8')).toContain(`exitgate@v${version.split('.')[0]}\n`)
  })
})

const sections = readFileSync(join(root, 'CHANGELOG.md'), 'utf8')
  .split(/^(?=## )/m)
  .slice(1)

describe('the changelog', () => {
  it('begins with the version of package.json and its date, after what is not released', () => {
    expect(sections.find((text) => !text.startsWith('## Unreleased\n'))).toMatch(
      new RegExp(`^## \\[${version.replaceAll('.', '\\.')}\\] - \\d{4}-\\d\\d-\\d\\d\\n`),
    )
  })

  it.each(sections.map((text) => [text.split('\n')[0], text]))('%s has at most two screens', (_, text = '') => {
    expect(text.trimEnd().split('\n').length).toBeLessThanOrEqual(80)
  })
})
