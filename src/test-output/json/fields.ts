export type Fields = Readonly<Record<string, unknown>>

export const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
export const fields = (value: unknown): Fields => (isFields(value) ? value : {})
export const list = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])
export const text = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined)
export const countIn = (value: unknown): number => (typeof value === 'number' && value > 0 ? Math.floor(value) : 0)
/** A number that the document must have to match the format. */
export const isCount = (value: unknown): value is number => typeof value === 'number' && value >= 0
