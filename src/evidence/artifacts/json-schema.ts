import { isDeepStrictEqual } from 'node:util'

/**
 * The part of JSON Schema (2020-12, and draft 7 where it says the same) that people use for artifacts. Whatever is not
 * in one of these lists makes the answer `unknown`: a keyword that is skipped in silence would accept too much.
 */
const ANNOTATIONS = new Set(
  // The standard makes `format` an annotation unless a validator is told otherwise.
  '$schema $id $comment title description default examples deprecated readOnly writeOnly format $defs definitions'.split(
    ' ',
  ),
)
const ONE = new Set('additionalProperties propertyNames items contains not if then else'.split(' '))
const MANY = new Set('allOf anyOf oneOf prefixItems'.split(' '))
const NAMED = new Set('properties patternProperties $defs definitions'.split(' '))
const PLAIN: Readonly<Record<string, (value: unknown) => boolean>> = {
  type: (value) => [value].flat().every((name) => typeof name === 'string' && TYPES.has(name)),
  enum: Array.isArray,
  const: () => true,
  required: (value) => Array.isArray(value) && value.every((name) => typeof name === 'string'),
  pattern: (value) => typeof value === 'string',
  uniqueItems: (value) => typeof value === 'boolean',
  $ref: (value) => typeof value === 'string' && /^#(?:$|\/)/.test(value),
  ...Object.fromEntries(
    (
      'minimum maximum exclusiveMinimum exclusiveMaximum multipleOf minLength maxLength minItems maxItems ' +
      'minProperties maxProperties'
    )
      .split(' ')
      .map((name) => [name, (value: unknown) => typeof value === 'number']),
  ),
}
const TYPES = new Set(['null', 'boolean', 'object', 'array', 'number', 'string', 'integer'])
const DEEPEST = 200
const MOST_PROBLEMS = 5

type Json = Readonly<Record<string, unknown>>
type Test = (pattern: string, text: string) => boolean

const isRecord = (value: unknown): value is Json => typeof value === 'object' && value !== null && !Array.isArray(value)

/** The first keyword of a schema that is not understood, in words. */
export function unsupportedIn(schema: unknown, depth = 0): string | undefined {
  if (typeof schema === 'boolean') return undefined
  if (!isRecord(schema)) return 'something that is no schema'
  if (depth > DEEPEST) return 'too many levels'
  for (const [name, value] of Object.entries(schema)) {
    const inner = ONE.has(name)
      ? [value]
      : MANY.has(name) && Array.isArray(value)
        ? value
        : NAMED.has(name) && isRecord(value)
          ? Object.values(value)
          : undefined
    if (inner !== undefined) {
      for (const each of inner) {
        const found = unsupportedIn(each, depth + 1)
        if (found !== undefined) return Array.isArray(each) ? `a list in "${name}"` : found
      }
    } else if (!ANNOTATIONS.has(name) && !(Object.hasOwn(PLAIN, name) && PLAIN[name]!(value))) {
      return `"${name}": ${JSON.stringify(value)?.slice(0, 60)}`
    }
  }
  return undefined
}

/** What keeps a value from fitting a schema, in words; empty when it fits. Throws on a reference that leads nowhere. */
export function validate(schema: unknown, value: unknown, test: Test): readonly string[] {
  const problems: string[] = []
  new Validator(schema, test).check(schema, value, '', problems, 0)
  return problems.slice(0, MOST_PROBLEMS)
}

class Validator {
  readonly #root: unknown
  readonly #test: Test

  constructor(root: unknown, test: Test) {
    this.#root = root
    this.#test = test
  }

  fits(schema: unknown, value: unknown, depth: number): boolean {
    const problems: string[] = []
    this.check(schema, value, '', problems, depth + 1)
    return problems.length === 0
  }

  check(schema: unknown, value: unknown, at: string, problems: string[], depth: number): void {
    const place = at === '' ? 'it' : at
    if (depth > DEEPEST) throw new Error('its references go round in circles')
    if (schema === false) problems.push(`${place} is not allowed`)
    if (!isRecord(schema)) return
    const within = (inner: unknown) => this.check(inner, value, at, problems, depth + 1)
    if (typeof schema.$ref === 'string') within(this.#resolve(schema.$ref))
    this.#any(schema, value, place, problems)
    if (typeof value === 'number') number(schema, value, place, problems)
    if (typeof value === 'string') this.#string(schema, value, place, problems)
    if (Array.isArray(value)) this.#array(schema, value, at, problems, depth)
    if (isRecord(value)) this.#object(schema, value, at, problems, depth)
    for (const inner of listOf(schema.allOf)) within(inner)
    const fitting = (of: unknown) => listOf(of).filter((inner) => this.fits(inner, value, depth)).length
    if (schema.anyOf !== undefined && fitting(schema.anyOf) === 0) problems.push(`${place} fits none of "anyOf"`)
    if (schema.oneOf !== undefined && fitting(schema.oneOf) !== 1)
      problems.push(`${place} does not fit exactly one of "oneOf"`)
    if (schema.not !== undefined && this.fits(schema.not, value, depth)) problems.push(`${place} fits what it must not`)
    if (schema.if !== undefined) within((this.fits(schema.if, value, depth) ? schema.then : schema.else) ?? true)
  }

  #any(schema: Json, value: unknown, place: string, problems: string[]): void {
    const types: readonly unknown[] = schema.type === undefined ? [] : [schema.type].flat()
    if (types.length > 0 && !types.some((type) => isOf(String(type), value)))
      problems.push(`${place} is not ${types.join(' or ')}`)
    if (Array.isArray(schema.enum) && !schema.enum.some((each) => isDeepStrictEqual(each, value)))
      problems.push(`${place} is none of ${JSON.stringify(schema.enum).slice(0, 80)}`)
    if ('const' in schema && !isDeepStrictEqual(schema.const, value))
      problems.push(`${place} is not ${JSON.stringify(schema.const).slice(0, 80)}`)
  }

  #string(schema: Json, value: string, place: string, problems: string[]): void {
    const length = [...value].length
    bounds(schema, 'Length', length, place, 'characters', problems)
    if (typeof schema.pattern === 'string' && !this.#test(schema.pattern, value))
      problems.push(`${place} does not match ${schema.pattern}`)
  }

  #array(schema: Json, value: readonly unknown[], at: string, problems: string[], depth: number): void {
    const place = at === '' ? 'it' : at
    bounds(schema, 'Items', value.length, place, 'items', problems)
    const first = listOf(schema.prefixItems)
    for (const [index, item] of value.entries()) {
      const inner = index < first.length ? first[index] : schema.items
      if (inner !== undefined) this.check(inner, item, `${at}/${index}`, problems, depth + 1)
    }
    if (schema.contains !== undefined && !value.some((item) => this.fits(schema.contains, item, depth)))
      problems.push(`${place} holds nothing that fits "contains"`)
    if (
      schema.uniqueItems === true &&
      value.some((item, index) => value.slice(0, index).some((other) => isDeepStrictEqual(item, other)))
    )
      problems.push(`${place} holds the same item twice`)
  }

  #object(schema: Json, value: Json, at: string, problems: string[], depth: number): void {
    const place = at === '' ? 'it' : at
    const names = Object.keys(value)
    bounds(schema, 'Properties', names.length, place, 'properties', problems)
    for (const name of (schema.required ?? []) as readonly string[]) {
      if (!Object.hasOwn(value, name)) problems.push(`${place} has no "${name}"`)
    }
    const properties = isRecord(schema.properties) ? schema.properties : {}
    const patterns = isRecord(schema.patternProperties) ? Object.entries(schema.patternProperties) : []
    for (const name of names) {
      const own = Object.hasOwn(properties, name) ? [properties[name]] : []
      const inner = [...own, ...patterns.filter(([pattern]) => this.#test(pattern, name)).map(([, each]) => each)]
      const rest = inner.length === 0 && schema.additionalProperties !== undefined ? [schema.additionalProperties] : []
      for (const each of [...inner, ...rest]) this.check(each, value[name], `${at}/${name}`, problems, depth + 1)
      if (schema.propertyNames !== undefined && !this.fits(schema.propertyNames, name, depth))
        problems.push(`${place} may not have a property called "${name}"`)
    }
  }

  #resolve(ref: string): unknown {
    let found = this.#root
    for (const part of ref.split('/').slice(1)) {
      const name = decodeURIComponent(part).replace(/~1/g, '/').replace(/~0/g, '~')
      const holder: unknown = found
      if (typeof holder !== 'object' || holder === null || !Object.hasOwn(holder, name))
        throw new Error(`its reference ${ref} leads nowhere`)
      found = (holder as Json)[name]
    }
    return found
  }
}

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])

function isOf(type: string, value: unknown): boolean {
  if (type === 'integer') return Number.isInteger(value)
  if (type === 'null') return value === null
  if (type === 'array') return Array.isArray(value)
  return type === 'object' ? isRecord(value) : typeof value === type
}

function bounds(schema: Json, of: string, size: number, place: string, what: string, problems: string[]): void {
  const [min, max] = [schema[`min${of}`], schema[`max${of}`]]
  if (typeof min === 'number' && size < min) problems.push(`${place} has ${size} ${what}, fewer than ${min}`)
  if (typeof max === 'number' && size > max) problems.push(`${place} has ${size} ${what}, more than ${max}`)
}

function number(schema: Json, value: number, place: string, problems: string[]): void {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf } = schema as Readonly<
    Record<string, number | undefined>
  >
  if (minimum !== undefined && value < minimum) problems.push(`${place} is less than ${minimum}`)
  if (maximum !== undefined && value > maximum) problems.push(`${place} is more than ${maximum}`)
  if (exclusiveMinimum !== undefined && value <= exclusiveMinimum)
    problems.push(`${place} is not more than ${exclusiveMinimum}`)
  if (exclusiveMaximum !== undefined && value >= exclusiveMaximum)
    problems.push(`${place} is not less than ${exclusiveMaximum}`)
  if (multipleOf !== undefined && multipleOf > 0) {
    const times = value / multipleOf
    if (Math.abs(times - Math.round(times)) > 1e-9) problems.push(`${place} is not a multiple of ${multipleOf}`)
  }
}
