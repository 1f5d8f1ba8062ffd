import * as v from 'valibot'
import { configSchema } from './schema.ts'

/** The parts of a valibot schema that are needed to walk it. */
export interface SchemaNode {
  readonly type: string
  readonly entries?: Readonly<Record<string, SchemaNode>>
  readonly wrapped?: SchemaNode
  readonly value?: SchemaNode
  /** For an object with names that the user chooses: the names. */
  readonly key?: SchemaNode
  readonly pipe?: readonly unknown[]
  /** For an object that also accepts keys the user chooses. */
  readonly rest?: SchemaNode
  /** The words to choose from; in a union, the schemas. */
  readonly options?: readonly string[]
  /** What a list contains. */
  readonly item?: SchemaNode
}

export type LeafKind = 'number' | 'boolean' | 'string' | 'picklist' | 'array'

/** One setting, with its dotted path. */
export interface Leaf {
  readonly path: string
  readonly kind: LeafKind
  /** Whether null removes the value. */
  readonly optional: boolean
  readonly about: string
  readonly node: SchemaNode
}

export const root = (): SchemaNode => configSchema().config as unknown as SchemaNode

/** Strips the optional and nullable wrappers from a schema. */
export function unwrap(node: SchemaNode): SchemaNode {
  return node.wrapped === undefined ? node : unwrap(node.wrapped)
}

function isNullable(node: SchemaNode): boolean {
  return node.type === 'nullable' || (node.wrapped !== undefined && isNullable(node.wrapped))
}

function* walk(node: SchemaNode, path: string): Generator<Leaf> {
  const inner = unwrap(node)
  if (inner.entries !== undefined) {
    for (const [key, entry] of Object.entries(inner.entries)) yield* walk(entry, path === '' ? key : `${path}.${key}`)
  } else if (inner.type !== 'record' && path !== '$schema') {
    const about = v.getDescription(inner as unknown as v.GenericSchema) ?? ''
    // The only union is true, false or a word.
    const kind = inner.type === 'union' ? 'boolean' : (inner.type as LeafKind)
    yield { path, kind, optional: isNullable(node), about, node: inner }
  }
}

/** Every path that is known in advance, in schema order. Phases and task types add their own. */
export function leaves(): ReadonlyMap<string, Leaf> {
  known ??= new Map([...walk(root(), '')].map((leaf) => [leaf.path, leaf]))
  return known
}

let known: ReadonlyMap<string, Leaf> | undefined
