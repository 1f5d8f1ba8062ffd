import { secretValues } from '../system/environment.ts'

const HIDDEN = '[redacted]'
const SHORTEST = 6

type Environment = Readonly<Record<string, string | undefined>>

/** Every secret this worker knows, even those its agents don't get, because they run on the same machine. */
export function secretsOf(env: Environment, url: string): readonly string[] {
  const { password } = URL.canParse(url) ? new URL(url) : { password: '' }
  // Decoded, and as written in the URL. Anything shorter would match ordinary words.
  const passwords = [decodeURIComponent(password), password].filter(({ length }) => length >= SHORTEST)
  return [...new Set([...secretValues(env), ...passwords])]
}

/** Removes the secrets from a step's result, because everyone with access to the database can read a fleet's journal. */
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
