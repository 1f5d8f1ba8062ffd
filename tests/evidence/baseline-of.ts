import { createHash } from 'node:crypto'
import type { Baseline } from '../../src/evidence/types.ts'

const id = (text: string) =>
  createHash('sha1')
    .update(`blob ${Buffer.byteLength(text)}\0${text}`)
    .digest('hex')

/** A baseline with these files; those without a text existed but were not kept. */
export function baselineOf(files: Readonly<Record<string, string | undefined>>, at = 0): Baseline {
  return {
    at,
    tree: 't0',
    commands: [],
    evidence: {},
    files: Object.fromEntries(Object.entries(files).map(([path, text]) => [path, id(text ?? 'something else')])),
    read: (path) => files[path],
  }
}
