import { insert, takeOut } from './edit-jsonc.ts'
import { type Call, type Installation, InstallError, isOurs, type Where } from './installation.ts'
import { memberOf, readJsonc, type Value } from './jsonc.ts'

export interface JsonHooks {
  readonly host: string
  file(where: Where): string
  /** One entry for each event: what stands in the list of that event. */
  readonly events: Readonly<Record<string, (call: Call) => object>>
  /** What a new file needs besides. */
  readonly besides?: Readonly<Record<string, unknown>>
  readonly options?: readonly string[]
  readonly notes: readonly string[]
}

type Path = readonly (string | number)[]

/** A host whose configuration is JSON with a table `hooks` that holds a list for every event. */
export function jsonHooks(spec: JsonHooks): Installation {
  const { host, besides = {} } = spec
  return {
    files: (where) => [spec.file(where)],
    ...(spec.options === undefined ? {} : { options: spec.options }),
    notes: spec.notes,
    find: (text) => ours(hooksIn(readJsonc(text)), host).map(({ command }) => command),
    add(text, call) {
      const wanted = Object.entries(spec.events).map(([event, entry]) => [event, entry(call)] as const)
      if (text === undefined) {
        const hooks = Object.fromEntries(wanted.map(([event, entry]) => [event, [entry]]))
        return `${JSON.stringify({ hooks, ...besides }, null, 2)}\n`
      }
      const there = hooksIn(readJsonc(text))
      const same = wanted.every(([event, entry]) => entriesOf(there, event).some((each) => equal(each, entry)))
      if (same && ours(there, host).length === wanted.length) return text
      // An older call of ours goes first, so that there is never more than one.
      const clean = without(text, host) ?? '{}'
      return wanted.reduce((so, [event, entry]) => put(so, event, entry), clean)
    },
    remove(text) {
      const left = without(text, host)
      const created = Object.keys(besides).length > 0 && left === `${JSON.stringify(besides, null, 2)}\n`
      // Only a file that we wrote ourselves begins with the hooks.
      return created && /^\{\s*"hooks"/.test(text) ? undefined : left
    },
  }
}

function put(text: string, event: string, entry: object): string {
  const root = readJsonc(text)
  const hooks = memberOf(root, 'hooks')
  if (hooks === undefined) return insert(text, root, 'hooks', { [event]: [entry] })
  const list = memberOf(hooks.value, event)
  if (list === undefined) return insert(text, hooks.value, event, [entry])
  return insert(text, list.value, undefined, entry)
}

/** The last goes first: then every step finds the text as it was when the entry came in. */
function without(text: string, host: string): string | undefined {
  for (let left: string = text; ; ) {
    const last = ours(hooksIn(readJsonc(left)), host).at(-1)
    if (last === undefined) return left
    const next = takeOut(left, last.path)
    if (next === undefined) return undefined
    left = next
  }
}

/** The table of hooks, or nothing where there is none; refused where it is something else. */
function hooksIn(root: Value): Value | undefined {
  if (root.kind !== 'object') throw new InstallError('it holds no object')
  const hooks = memberOf(root, 'hooks')?.value
  if (hooks === undefined) return undefined
  if (hooks.kind !== 'object') throw new InstallError('its "hooks" is no object')
  const odd = hooks.items.find(({ value }) => value.kind !== 'array')
  if (odd !== undefined) throw new InstallError(`its "hooks" has ${JSON.stringify(odd.key)}, which is no list`)
  return hooks
}

const entriesOf = (hooks: Value | undefined, event: string): readonly unknown[] =>
  (hooks === undefined ? undefined : memberOf(hooks, event))?.value.items.map(({ value }) => value.data) ?? []

interface Ours {
  readonly command: string
  readonly path: Path
}

/** Our calls in the order of the file. A group that holds nothing but ours goes as a whole. */
function ours(hooks: Value | undefined, host: string): readonly Ours[] {
  return (hooks?.items ?? []).flatMap(({ key = '', value: list }) =>
    list.items.flatMap(({ value: entry }, i): readonly Ours[] => {
      const path = ['hooks', key, i]
      const command = commandIn(entry)
      if (isOurs(host, command)) return [{ command, path }]
      const handlers = memberOf(entry, 'hooks')?.value.items ?? []
      const found = handlers.flatMap(({ value }, j) => {
        const line = commandIn(value)
        return isOurs(host, line) ? [{ command: line, path: [...path, 'hooks', j] }] : []
      })
      return found.length === 1 && handlers.length === 1 ? [{ command: found[0]!.command, path }] : found
    }),
  )
}

const commandIn = (entry: Value): unknown => (memberOf(entry, 'command') ?? memberOf(entry, 'bash'))?.value.data

const equal = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other)
