import { textOf } from '../../packages/exitgate/src/agents/bytes.ts'
import type { Scalar } from '../core/types.ts'

export type JsonObject = { readonly [key: string]: unknown }

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

export function objectIn(value: unknown): JsonObject {
  return isObject(value) ? value : {}
}

export function listIn(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

/** A non-empty string, or undefined. */
export function textIn(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined
}

export function numberIn(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined
}

/** The sum of the values that are numbers; undefined if none is. */
export function sumOf(...values: readonly unknown[]): number | undefined {
  const numbers = values.map(numberIn).filter((value) => value !== undefined)
  return numbers.length === 0 ? undefined : numbers.reduce((sum, value) => sum + value, 0)
}

export function isScalar(value: unknown): value is Scalar {
  return typeof value === 'string' || typeof value === 'boolean' || numberIn(value) !== undefined
}

/** Only the plain values of an object, with long strings cut. */
export function scalarsOf(value: unknown): Readonly<Record<string, Scalar>> {
  const entries = Object.entries(objectIn(value)).filter((entry): entry is [string, Scalar] => isScalar(entry[1]))
  return Object.fromEntries(entries.slice(0, 200).map(([key, plain]) => [key, cut(plain)]))
}

export function cut(value: Scalar): Scalar {
  return typeof value === 'string' && value.length > 2000 ? value.slice(0, 2000) : value
}

/** The object in these bytes, or undefined; never throws. */
export function parseObject(bytes: Uint8Array, from: number, to: number): JsonObject | undefined {
  return parseText(textOf(bytes, from, to))
}

export function parseText(text: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return isObject(value) ? value : undefined
  } catch {
    return undefined
  }
}
