/** The object a client sends. Every field may be missing or have another type. */
export type Fields = Readonly<Record<string, unknown>>

export function fieldsOf(value: unknown): Fields | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : undefined
}

/** The first of these fields that is a non-empty text. */
export function textIn(fields: Fields, ...names: readonly string[]): string | undefined {
  for (const name of names) {
    const value = fields[name]
    if (typeof value === 'string' && value !== '') return value
  }
  return undefined
}

export function flagIn(fields: Fields, name: string): boolean | undefined {
  const value = fields[name]
  return typeof value === 'boolean' ? value : undefined
}

export function listIn(fields: Fields, name: string): readonly unknown[] {
  const value = fields[name]
  return Array.isArray(value) ? value : []
}

/** The defined values, without duplicates. */
export const known = (...values: readonly (string | undefined)[]): readonly string[] =>
  [...new Set(values.filter((value) => value !== undefined && value !== ''))] as readonly string[]
