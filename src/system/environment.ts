export type Environment = Readonly<Record<string, string | undefined>>

/** Names of variables that contain keys, tokens or passwords. */
const SECRETS: readonly RegExp[] = [
  /(?:^|_)(?:TOKEN|SECRET|KEY|PASSWORD|PASSWD|PASS|PASSPHRASE|PAT|CREDENTIALS?|AUTH|APIKEY|COOKIE)S?$/,
  /(?:^|_)(?:SECRET|TOKEN|PASSWORD|API_?KEY|ACCESS_KEY|PRIVATE_KEY)_/,
  /APIKEY|AUTHTOKEN|ACCESSTOKEN|(?:PASSWORD|PASSWD|SECRET|_PWD)$/,
]

/** Whether a variable with this name counts as a secret. */
export const isSecretName = (name: string): boolean => SECRETS.some((pattern) => pattern.test(name.toUpperCase()))

/** A shorter value may be an ordinary word, and redacting it would garble the output. */
const SHORTEST_SECRET = 8
const PLACE = /^(?:[/~.]|[A-Za-z]:\\|https?:\/\/[^@]*$)/

const alsoSecret = new Set<string>()

/** Adds secrets that this process has removed from its environment. */
export function addSecrets(values: readonly string[]): void {
  for (const value of values) alsoSecret.add(value)
}

/** Every secret value, longest first, for redaction. */
export function secretValues(env: Environment): readonly string[] {
  const secret = Object.entries(env).flatMap(([name, value]) =>
    value !== undefined && isSecretName(name) ? [value] : [],
  )
  const long = secret.filter((value) => value.length >= SHORTEST_SECRET && !PLACE.test(value))
  return [...new Set([...long, ...alsoSecret])].sort((a, b) => b.length - a.length)
}
