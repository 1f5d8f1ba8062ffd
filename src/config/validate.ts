import * as v from 'valibot'
import { CHECK_COUNTS } from '../core/check-counts.ts'
import { shown } from './errors.ts'
import { bare, leaves, root, type SchemaNode } from './leaves.ts'
import { nearest } from './nearest.ts'

/** One thing wrong with a patch; the caller knows where the patch came from and puts that before the text. */
export interface Problem {
  readonly path: readonly string[]
  readonly text: string
}

/** All that is wrong with a patch, in its own order. */
export function problemsOf(patch: unknown): readonly Problem[] {
  return [...walk(patch, root(), [])]
}

function* walk(value: unknown, schema: SchemaNode, path: readonly string[]): Generator<Problem> {
  const node = bare(schema)
  if (node.entries === undefined && node.type !== 'record') yield* leaf(value, schema, path)
  // A section with nothing in it, as YAML writes one whose lines are all comments.
  else if (value === null) return
  else if (!isSection(value)) yield { path, text: notASection(value, path, node) }
  else if (node.type === 'record') yield* named(value, node, path)
  else yield* section(value, node, path)
}

function isSection(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function notASection(value: unknown, path: readonly string[], node: SchemaNode): string {
  const what = path.length === 0 ? 'the configuration' : `"${path.join('.')}"`
  const keys = node.entries === undefined ? '' : ` with the keys ${listed(Object.keys(node.entries))}`
  return `${what} is ${shown(value)}; it must be a section${keys}.`
}

function* section(
  value: Readonly<Record<string, unknown>>,
  { entries = {}, rest }: SchemaNode,
  path: readonly string[],
): Generator<Problem> {
  for (const key of Object.keys(value)) {
    const here = [...path, key]
    // Own keys only: "constructor" is not a key of ours.
    if (Object.hasOwn(entries, key)) yield* walk(value[key], entries[key]!, here)
    else if (rest !== undefined) yield* own(key, value[key], rest, path)
    else yield { path: here, text: unknownKey(key, Object.keys(entries), path) }
  }
}

function* named(
  value: Readonly<Record<string, unknown>>,
  node: SchemaNode,
  path: readonly string[],
): Generator<Problem> {
  for (const key of Object.keys(value)) yield* oneNamed(key, value[key], node.value!, path)
}

/** A command of the user's own answers under its name, so that name may not be a check of ours. */
function* own(key: string, value: unknown, schema: SchemaNode, path: readonly string[]): Generator<Problem> {
  if (Object.hasOwn(CHECK_COUNTS, key)) {
    const text = `the name ${shown(key)} in "${path.join('.')}" is taken by a check of exitgate; choose another one.`
    yield { path: [...path, key], text }
  } else yield* oneNamed(key, value, schema, path)
}

function* oneNamed(key: string, value: unknown, schema: SchemaNode, path: readonly string[]): Generator<Problem> {
  const here = [...path, key]
  if (key === '__proto__' || !/^[\p{L}\p{N}_][\p{L}\p{N}_ -]*$/u.test(key)) {
    const allowed = 'a name is made of letters, digits, spaces, "-" and "_"'
    yield { path: here, text: `the name ${shown(key)} in "${path.join('.')}" is not allowed; ${allowed}.` }
  } else yield* walk(value, schema, here)
}

function unknownKey(key: string, known: readonly string[], path: readonly string[]): string {
  const text = `unknown key ${shown(key)}${path.length === 0 ? '' : ` in "${path.join('.')}"`}`
  const near = nearest(key, known)
  if (near !== undefined) return `${text}; did you mean "${near}"?`
  if (path.length === 0 && leaves().has(key)) {
    const [first, ...rest] = key.split('.')
    return `${text}; write it as a section: "${first}" with the key "${rest.join('.')}" in it.`
  }
  const elsewhere = path.length === 0 ? nearestElsewhere(key) : undefined
  if (elsewhere !== undefined) return `${text}; did you mean "${elsewhere}"?`
  return `${text}; the keys are ${listed(known)}.`
}

/** The key may be right and only stand in the wrong place. */
function nearestElsewhere(key: string): string | undefined {
  const byName = new Map([...leaves().keys()].map((path) => [path.slice(path.lastIndexOf('.') + 1), path]))
  const name = nearest(key, byName.keys())
  return name === undefined ? undefined : byName.get(name)
}

function* leaf(value: unknown, schema: SchemaNode, path: readonly string[]): Generator<Problem> {
  const result = v.safeParse(schema as unknown as v.GenericSchema, value)
  if (result.success) return
  for (const issue of firstOfEach(result.issues)) {
    const index = issue.path?.[0]?.key
    const name = `${path.join('.')}${index === undefined ? '' : `[${String(index)}]`}`
    const options = bare(schema).options
    const near = options && typeof value === 'string' ? nearest(value, options) : undefined
    const hint = near === undefined ? '.' : `; did you mean "${near}"?`
    const received = index === undefined ? value : issue.path![0]!.value
    const at = index === undefined ? path : [...path, String(index)]
    yield { path: at, text: `"${name}" is ${shown(received)}; it must be ${issue.message}${hint}` }
  }
}

/** A value that breaks two rules at once is still one wrong value. */
function firstOfEach(issues: readonly v.BaseIssue<unknown>[]): readonly v.BaseIssue<unknown>[] {
  const seen = new Map<unknown, v.BaseIssue<unknown>>()
  for (const issue of issues) {
    const key = issue.path?.[0]?.key
    if (!seen.has(key)) seen.set(key, issue)
  }
  return [...seen.values()]
}

export function listed(words: readonly string[]): string {
  return words.filter((word) => word !== '$schema').join(', ')
}
