import { isTree } from './merge.ts'

/**
 * A short hash of a configuration that doesn't depend on the order of its keys. It detects edits; it is not collision-resistant.
 */
export function fingerprint(config: object): string {
  const text = JSON.stringify(sorted(config))
  let a = 0x811c9dc5
  let b = 0x9e3779b9
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i)
    a = Math.imul(a ^ code, 0x01000193)
    b = Math.imul(b ^ code, 0x85ebca6b)
    b ^= b >>> 13
  }
  return [a ^ (a >>> 15), b ^ (b >>> 16)].map((half) => (half >>> 0).toString(16).padStart(8, '0')).join('')
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  if (!isTree(value)) return value
  return Object.fromEntries(
    Object.keys(value)
      .sort()
      .map((key) => [key, sorted(value[key])]),
  )
}
