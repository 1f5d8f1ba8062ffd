import * as v from 'valibot'
import { configSchema } from './schema.ts'

/** As much of a valibot schema as is needed to walk it. */
export interface SchemaNode {
  readonly type: string
  readonly entries?: Readonly<Record<string, SchemaNode>>
  readonly wrapped?: SchemaNode
  readonly value?: SchemaNode
  /** Of a section that takes any name besides its own keys. */
  readonly rest?: SchemaNode
  readonly options?: readonly string[]
}

export type LeafKind = 'number' | 'boolean' | 'string' | 'picklist' | 'array'

/** One value of the configuration that has a path of its own. */
export interface Leaf {
  readonly path: string
  readonly kind: LeafKind
  /** Whether null may take the value away. */
  readonly optional: boolean
  readonly about: string
  readonly node: SchemaNode
}

export const root = (): SchemaNode => configSchema().config as unknown as SchemaNode

/** Takes the wrappers "may be absent" and "may be null" off a schema. */
export function bare(node: SchemaNode): SchemaNode {
  return node.wrapped === undefined ? node : bare(node.wrapped)
}

function isNullable(node: SchemaNode): boolean {
  return node.type === 'nullable' || (node.wrapped !== undefined && isNullable(node.wrapped))
}

function* walk(node: SchemaNode, path: string): Generator<Leaf> {
  const inner = bare(node)
  if (inner.entries !== undefined) {
    for (const [key, entry] of Object.entries(inner.entries)) yield* walk(entry, path === '' ? key : `${path}.${key}`)
  } else if (inner.type !== 'record' && path !== '$schema') {
    const about = v.getDescription(inner as unknown as v.GenericSchema) ?? ''
    yield { path, kind: inner.type as LeafKind, optional: isNullable(node), about, node: inner }
  }
}

/** Every path with a name known beforehand, in the order of the schema. Phases and task types add their own. */
export function leaves(): ReadonlyMap<string, Leaf> {
  known ??= new Map([...walk(root(), '')].map((leaf) => [leaf.path, leaf]))
  return known
}

let known: ReadonlyMap<string, Leaf> | undefined
