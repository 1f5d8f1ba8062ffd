import { secretValues } from '../system/environment.ts'

const HIDDEN = '[redacted]'
const SHORTEST = 6

type Environment = Readonly<Record<string, string | undefined>>

/** Every secret this worker knows, whether its agents are given it or not: they run on the same machine. */
export function secretsOf(env: Environment, url: string): readonly string[] {
  const { password } = URL.canParse(url) ? new URL(url) : { password: '' }
  // As it is, and as it stands in the address. A shorter one stands in every other word.
  const passwords = [decodeURIComponent(password), password].filter(({ length }) => length >= SHORTEST)
  return [...new Set([...secretValues(env), ...passwords])]
}

/** A step's result without them: a local journal stays with its owner, the one of a fleet is for all who may read the database. */
export function withoutSecrets<T>(value: T, secrets: readonly string[]): T {
  return secrets.length === 0 ? value : (hidden(value, secrets) as T)
}

function hidden(value: unknown, secrets: readonly string[]): unknown {
  if (typeof value === 'string') return secrets.reduce((text, secret) => text.replaceAll(secret, HIDDEN), value)
  if (Array.isArray(value)) return value.map((each) => hidden(each, secrets))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, each]) => [String(hidden(key, secrets)), hidden(each, secrets)]),
  )
}
