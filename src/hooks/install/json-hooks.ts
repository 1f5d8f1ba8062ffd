import { insert, takeOut } from './edit-jsonc.ts'
import { type Call, type Installation, InstallError, isOurs, type Where } from './installation.ts'
import { memberOf, readJsonc, type Value } from './jsonc.ts'

export interface JsonHooks {
  readonly client: string
  file(where: Where): string
  /** The entry for each event's list. */
  readonly events: Readonly<Record<string, (call: Call) => object>>
  /** Other keys that a new file needs. */
  readonly otherKeys?: Readonly<Record<string, unknown>>
  readonly options?: readonly string[]
  readonly notes: readonly string[]
}

/** The entry of Claude Code, which others share. */
export const hookGroup = ({ line, seconds }: Call): object => ({
  hooks: [{ type: 'command', command: line, timeout: seconds }],
})

type Path = readonly (string | number)[]

/** A client whose configuration is JSON with an object `hooks` that contains a list per event. A new file starts with it. */
export function jsonHooks(spec: JsonHooks): Installation {
  const { client, otherKeys = {} } = spec
  return {
    files: (where) => [spec.file(where)],
    ...(spec.options === undefined ? {} : { options: spec.options }),
    notes: spec.notes,
    find: (text) => ownHooks(hooksIn(readJsonc(text)), client).map(({ command }) => command),
    add(text, call) {
      const wanted = Object.entries(spec.events).map(([event, entry]) => [event, entry(call)] as const)
      if (text === undefined) {
        const hooks = Object.fromEntries(wanted.map(([event, entry]) => [event, [entry]]))
        return `${JSON.stringify({ hooks, ...otherKeys }, null, 2)}\n`
      }
      const there = hooksIn(readJsonc(text))
      const same = wanted.every(([event, entry]) => entriesOf(there, event).some((each) => equal(each, entry)))
      if (same && ownHooks(there, client).length === wanted.length) return text
      // An older hook is removed first, so that there is never more than one.
      const clean = without(text, client) ?? '{}'
      return wanted.reduce((so, [event, entry]) => put(so, event, entry), clean)
    },
    remove(text) {
      const left = without(text, client)
      const { $version, ...rest } = (left === undefined ? {} : readJsonc(left).data) as Record<string, unknown>
      const isNew = ($version ?? Object.keys(rest)[0]) !== undefined && /^\{\s*"hooks"/.test(text)
      return isNew && JSON.stringify(rest) === JSON.stringify(otherKeys) ? undefined : left
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

/** Removes the last entry first, so that each step sees the text as it was when the entry was added. */
function without(text: string, client: string): string | undefined {
  for (let left: string = text; ; ) {
    const last = ownHooks(hooksIn(readJsonc(left)), client).at(-1)
    if (last === undefined) return left
    const next = takeOut(left, last.path)
    if (next === undefined) return undefined
    left = next
  }
}

/** The `hooks` object; undefined if there is none. Throws if it has another type. */
function hooksIn(root: Value): Value | undefined {
  if (root.kind !== 'object') throw new InstallError('it is not a JSON object')
  const hooks = memberOf(root, 'hooks')?.value
  if (hooks === undefined) return undefined
  if (hooks.kind !== 'object') throw new InstallError('its "hooks" is not an object')
  const odd = hooks.items.find(({ value }) => value.kind !== 'array')
  if (odd !== undefined) throw new InstallError(`its "hooks" has ${JSON.stringify(odd.key)}, which is not a list`)
  return hooks
}

const entriesOf = (hooks: Value | undefined, event: string): readonly unknown[] =>
  (hooks === undefined ? undefined : memberOf(hooks, event))?.value.items.map(({ value }) => value.data) ?? []

interface OwnHook {
  readonly command: string
  readonly path: Path
}

/** Our hooks in file order. A group that contains only our hook is removed as a whole. */
function ownHooks(hooks: Value | undefined, client: string): readonly OwnHook[] {
  return (hooks?.items ?? []).flatMap(({ key = '', value: list }) =>
    list.items.flatMap(({ value: entry }, i): readonly OwnHook[] => {
      const path = ['hooks', key, i]
      const command = commandIn(entry)
      if (isOurs(client, command)) return [{ command, path }]
      const handlers = memberOf(entry, 'hooks')?.value.items ?? []
      const found = handlers.flatMap(({ value }, j) => {
        const line = commandIn(value)
        return isOurs(client, line) ? [{ command: line, path: [...path, 'hooks', j] }] : []
      })
      return found.length === 1 && handlers.length === 1 ? [{ command: found[0]!.command, path }] : found
    }),
  )
}

const commandIn = (entry: Value): unknown => (memberOf(entry, 'command') ?? memberOf(entry, 'bash'))?.value.data

const equal = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other)
