import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { BASE, UNSET } from '../../src/config/defaults.ts'
import { leaves } from '../../src/config/leaves.ts'
import { isTree, valueAt } from '../../src/config/merge.ts'
import { problemsOf } from '../../src/config/validate.ts'
import { PRESETS } from '../../src/core/presets/index.ts'
import { jsonSchema } from './json-schema.ts'

const file = fileURLToPath(new URL('../../config.schema.json', import.meta.url))

/** Paths of every value that isn't an object. */
function pathsOf(value: unknown, above = ''): string[] {
  if (!isTree(value)) return [above]
  return Object.entries(value).flatMap(([key, inner]) => pathsOf(inner, above === '' ? key : `${above}.${key}`))
}

describe('the schema', () => {
  it('has the same paths as the defaults', () => {
    expect([...pathsOf(BASE), ...UNSET].sort()).toEqual([...leaves().keys()].sort())
  })

  it('accepts the defaults', () => {
    expect(problemsOf(BASE)).toEqual([])
  })

  it('describes every value in a sentence', () => {
    expect([...leaves().values()].filter(({ about }) => !/^[A-Z].*\.$/.test(about)).map(({ path }) => path)).toEqual([])
  })

  it.each(Object.values(PRESETS))('accepts what the preset $name sets', (preset) => {
    expect(problemsOf(preset.defaults)).toEqual([])
  })

  it.each(Object.values(PRESETS))('knows every path that the preset $name refers to', (preset) => {
    const paths = Object.values(preset.env).map((target) => target.split('*')[0]!)
    const spoken = preset.threshold === undefined ? paths : [...paths, preset.threshold]
    expect(spoken.filter((path) => !leaves().has(path))).toEqual([])
  })
})

describe('config.schema.json', () => {
  const made = `${JSON.stringify(jsonSchema(), null, 2)}\n`

  it('is up to date (run npm run schema)', () => {
    if (process.env.UPDATE_GOLDEN === '1') writeFileSync(file, made)
    expect(readFileSync(file, 'utf8')).toBe(made)
  })

  it.each([...leaves().values()])('describes $path', ({ path, about, optional }) => {
    const at = `properties.${path.replaceAll('.', '.properties.')}`
    const described = valueAt(jsonSchema(), at) as {
      title?: string
      description?: string
      default?: unknown
      anyOf?: unknown
    }
    expect(described).toMatchObject({ title: path, description: about })
    expect(described.default).toEqual(valueAt(BASE, path))
    expect(described.anyOf !== undefined).toBe(optional)
  })
})
