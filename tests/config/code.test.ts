import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { loadConfig } from '../../src/config/load.ts'
import { moduleHash } from '../../src/config/load-module.ts'
import { PRESETS, policyFor } from '../../src/core/presets/index.ts'
import { approvableIn } from '../../src/hooks/trust.ts'

let dir: string
beforeEach(() => {
  dir = realpathSync(mkdtempSync(join(tmpdir(), 'exitgate-code-')))
})
afterEach(() => rmSync(dir, { recursive: true, force: true }))

const write = (name: string, text: string): void => {
  mkdirSync(join(dir, name, '..'), { recursive: true })
  writeFileSync(join(dir, name), text)
}
const load = (flags: Readonly<Record<string, unknown>> = {}, allowCode = true) =>
  loadConfig({ dir, env: {}, flags, presets: PRESETS, allowCode })

const RULE = `{
  name: 'tired',
  when: ({ iteration }) => ({ name: 'tired', answer: iteration > 1 ? 'yes' : 'no', detail: '' }),
  decision: { action: 'stop', outcome: 'aborted', ending: 'needs-human' },
}`
const MINE =
  "{ name: 'mine', about: '', defaults: { hollowClaims: 7 }, env: {}, policy: (config) => ({ ...base(config), preset: 'mine' }) }"

describe('a configuration in code', () => {
  it('sets values like a file does, and adds rules', async () => {
    write('exitgate.config.mjs', `export default { limits: { iterations: 4 }, rules: [${RULE}] }`)
    const { config, sources, file, changed } = await load({ 'max-minutes': '9' })
    expect([config.limits.iterations, config.limits.minutes]).toEqual([4, 9])
    expect([sources.get('limits.iterations'), file]).toEqual(['exitgate.config.mjs', 'exitgate.config.mjs'])
    expect(config.extensions).toBe(moduleHash(join(dir, 'exitgate.config.mjs')))
    const rules = policyFor(config).rules.map(({ name }) => name)
    expect(rules.indexOf('tired')).toBe(rules.indexOf('gate') + 1)
    expect(changed?.()).toBeUndefined()
    write('exitgate.config.mjs', 'export default {}')
    expect(changed?.()).toMatch(/was edited during the run\. The run keeps the version it started with\./)
    expect(() => policyFor({ ...config, extensions: 'other' })).toThrow(/Restore that code, or start a new run/)
  })

  it('adds presets that flags can select', async () => {
    write('exitgate.config.mjs', `const base = () => ({ rules: [] })\nexport default { presets: [${MINE}] }`)
    expect((await load()).config.preset).toBe('default')
    const { config, preset } = await load({ preset: 'mine' })
    expect([config.preset, preset.name, config.hollowClaims]).toEqual(['mine', 'mine', 7])
    await expect(load({ preset: 'mien' })).rejects.toThrow(/Did you mean "mine"/)
  })

  it('is hashed together with the files it imports', () => {
    write('exitgate.config.mjs', "import { a } from './lib/a.mjs'\nexport default a")
    write('lib/a.mjs', 'export const a = {}')
    const before = moduleHash(join(dir, 'exitgate.config.mjs'))
    write('lib/a.mjs', 'export const a = { hollowClaims: 1 }')
    expect(moduleHash(join(dir, 'exitgate.config.mjs'))).not.toBe(before)
  })

  const broken: [string, string, RegExp][] = [
    ['no default export', 'export const a = 1', /no default export found/],
    [
      'a wrong value',
      'export default { hollowClaims: 0 }',
      /"hollowClaims" must be a whole number of at least 1, not 0/,
    ],
    ['code that throws', "throw new Error('boom')", /exitgate\.config\.mjs: loading this file failed: boom/],
  ]
  it.each(broken)('with %s fails with one sentence', async (_, text, message) => {
    write('exitgate.config.mjs', text)
    await expect(load()).rejects.toThrow(message)
  })

  it('is not executed unless the user started exitgate there', async () => {
    write('exitgate.config.mjs', `globalThis.wasRun = true\nexport default {}`)
    await expect(load({}, false)).rejects.toThrow(/this command doesn't run configuration code/)
    const before = await approvableIn(dir, 'linux')
    expect(before.commands[0]).toMatch(/^code: exitgate\.config\.mjs \(content [0-9a-f]{12}\)$/)
    write('exitgate.config.mjs', 'globalThis.wasRun = true\nexport default { hollowClaims: 9 }')
    expect((await approvableIn(dir, 'linux')).hash).not.toBe(before.hash)
    expect('wasRun' in globalThis).toBe(false)
  })
})
