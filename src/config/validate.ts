import * as v from 'valibot'
import { nearest } from '../../packages/core/src/nearest.ts'
import { CHECK_COUNTS } from '../core/check-counts.ts'
import { shown } from './errors.ts'
import { leaves, root, type SchemaNode, unwrap } from './leaves.ts'
import { pathOf } from './paths.ts'

/** A problem in a patch. The caller knows the source of the patch and puts it before the text. */
export interface Problem {
  readonly path: readonly string[]
  readonly text: string
}

/** Every problem in a patch, in the patch's own order. */
export function problemsOf(patch: unknown): readonly Problem[] {
  return [...walk(patch, root(), [])]
}

function* walk(value: unknown, schema: SchemaNode, path: readonly string[]): Generator<Problem> {
  const node = unwrap(schema)
  if (objectIn(node.item) !== undefined && Array.isArray(value)) yield* listItems(value, node.item!, path)
  else if (node.entries === undefined && node.type !== 'record') yield* leaf(value, schema, path)
  // An empty section. In YAML, one whose lines are all comments is null.
  else if (value === null) return
  else if (!isSection(value)) yield { path, text: notASection(value, path, node) }
  else if (node.type === 'record') yield* namedEntries(value, node, path)
  else yield* section(value, node, path)
}

/** A list of objects, which may also take plain values: each item has its own problems. */
function* listItems(values: readonly unknown[], item: SchemaNode, path: readonly string[]): Generator<Problem> {
  const object = objectIn(item) ?? item
  for (const [at, value] of values.entries()) {
    const here = [...path, String(at)]
    yield* isSection(value) ? section(value, object, here) : leaf(value, item, here)
  }
}

const objectIn = (item: SchemaNode | undefined): SchemaNode | undefined =>
  [item, ...((item?.options ?? []) as readonly (SchemaNode | string)[])].find(
    (each): each is SchemaNode => typeof each === 'object' && each.entries !== undefined,
  )

function isSection(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function notASection(value: unknown, path: readonly string[], node: SchemaNode): string {
  const what = path.length === 0 ? 'the configuration' : `"${pathOf(path)}"`
  const keys = node.entries === undefined ? '' : ` with the keys ${listed(Object.keys(node.entries))}`
  return `${what} must be an object${keys}, not ${shown(value)}.`
}

function* section(
  value: Readonly<Record<string, unknown>>,
  { entries = {}, rest }: SchemaNode,
  path: readonly string[],
): Generator<Problem> {
  for (const key of Object.keys(value)) {
    const here = [...path, key]
    // Own keys only, so that "constructor" isn't accepted.
    if (Object.hasOwn(entries, key)) yield* walk(value[key], entries[key]!, here)
    else if (rest !== undefined) yield* customCommand(key, value[key], rest, path)
    else yield { path: here, text: unknownKey(key, Object.keys(entries), path) }
  }
  const missing = Object.keys(entries).filter((key) => entries[key]!.type !== 'optional' && !Object.hasOwn(value, key))
  if (missing.length > 0)
    yield { path, text: `"${pathOf(path)}" needs the ${missing.length === 1 ? 'key' : 'keys'} ${listed(missing)}.` }
}

function* namedEntries(
  value: Readonly<Record<string, unknown>>,
  node: SchemaNode,
  path: readonly string[],
): Generator<Problem> {
  for (const key of Object.keys(value)) yield* namedEntry(key, value[key], node.value!, path, node.key)
}

/** A custom command is a check with that name, so it must not have the name of a built-in check. */
function* customCommand(key: string, value: unknown, schema: SchemaNode, path: readonly string[]): Generator<Problem> {
  if (Object.hasOwn(CHECK_COUNTS, key)) {
    const text = `${shown(key)} in "${pathOf(path)}" is the name of a built-in check. Choose another name.`
    yield { path: [...path, key], text }
  } else yield* namedEntry(key, value, schema, path)
}

const OWN_NAME_HELP = 'Use letters, digits, spaces, "-" and "_"'

/** The names of custom commands, phases and task types. */
const OWN_NAME = v.pipe(v.string(), v.regex(/^[\p{L}\p{N}_][\p{L}\p{N}_ -]*$/u, OWN_NAME_HELP))

function* namedEntry(
  key: string,
  value: unknown,
  schema: SchemaNode,
  path: readonly string[],
  names?: SchemaNode,
): Generator<Problem> {
  const here = [...path, key]
  const { issues } = v.safeParse(names?.pipe === undefined ? OWN_NAME : (names as unknown as v.GenericSchema), key)
  if (key === '__proto__' || issues !== undefined) {
    const allowed = issues?.[0].message ?? OWN_NAME_HELP
    yield { path: here, text: `the name ${shown(key)} in "${pathOf(path)}" is not allowed. ${allowed}.` }
  } else yield* walk(value, schema, here)
}

/** Settings of earlier releases. */
const REMOVED = new Set(['evidence.changedInputs', 'evidence.redProof'])

function unknownKey(key: string, known: readonly string[], path: readonly string[]): string {
  const text = `unknown key ${shown(key)}${path.length === 0 ? '' : ` in "${pathOf(path)}"`}`
  if (REMOVED.has(pathOf([...path, key]))) return `${text}. This setting no longer exists. Delete it.`
  const nearestKey = nearest(key, known)
  if (nearestKey !== undefined) return `${text}. Did you mean "${nearestKey}"?`
  if (path.length === 0 && leaves().has(key)) {
    const [first, ...rest] = key.split('.')
    return `${text}. Write it as an object: "${first}" with the key "${rest.join('.')}".`
  }
  const elsewhere = path.length === 0 ? nearestElsewhere(key) : undefined
  if (elsewhere !== undefined) return `${text}. Did you mean "${elsewhere}"?`
  return `${text}. Known keys: ${listed(known)}.`
}

/** The key may belong in another section. */
function nearestElsewhere(key: string): string | undefined {
  const byName = new Map([...leaves().keys()].map((path) => [path.slice(path.lastIndexOf('.') + 1), path]))
  const name = nearest(key, byName.keys())
  return name === undefined ? undefined : byName.get(name)
}

function* leaf(value: unknown, schema: SchemaNode, path: readonly string[]): Generator<Problem> {
  const result = v.safeParse(schema as unknown as v.GenericSchema, value)
  if (result.success) return
  for (const issue of firstIssuePerItem(result.issues)) {
    const index = issue.path?.[0]?.key
    const { options = [] } = unwrap(schema)
    const words = options.filter((each) => typeof each === 'string')
    const near = typeof value === 'string' ? nearest(value, words) : undefined
    const hint = near === undefined ? '' : ` Did you mean "${near}"?`
    const received = index === undefined ? value : issue.path![0]!.value
    const at = index === undefined ? path : [...path, String(index)]
    yield { path: at, text: `"${pathOf(at)}" must be ${issue.message}, not ${shown(received)}.${hint}` }
  }
}

/** Reports each wrong value once, even if it breaks two rules. */
function firstIssuePerItem(issues: readonly v.BaseIssue<unknown>[]): readonly v.BaseIssue<unknown>[] {
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
