export type Environment = Readonly<Record<string, string | undefined>>

/** Names of what opens doors: keys, tokens, passwords. */
const SECRETS: readonly RegExp[] = [
  /(?:^|_)(?:TOKEN|SECRET|KEY|PASSWORD|PASSWD|PASS|PASSPHRASE|PAT|CREDENTIALS?|AUTH|APIKEY|COOKIE)S?$/,
  /(?:^|_)(?:SECRET|TOKEN|PASSWORD|API_?KEY|ACCESS_KEY|PRIVATE_KEY)_/,
  /APIKEY|AUTHTOKEN|ACCESSTOKEN/,
]

/** No secrets themselves, but the way to them. */
const WAYS_TO_SECRETS: readonly RegExp[] = [/^AWS_/, /^VAULT_/, /^ACTIONS_/, /^SSH_AUTH_SOCK$/, /^GPG_AGENT_INFO$/]

/** Files by which a step speaks to its job: a test that could write there would speak for the gate. */
const WAYS_TO_THE_JOB: readonly RegExp[] = [/^GITHUB_(?:ENV|PATH|OUTPUT|STATE|STEP_SUMMARY)$/]

/** Providers of models and the agents that use them. Some runners also report in another way when they see an agent. */
const AGENTS: readonly RegExp[] = [
  /^(?:ANTHROPIC|OPENAI|GEMINI|GOOGLE_GENAI|GOOGLE_API|AZURE_OPENAI|MISTRAL|COHERE|GROQ|XAI|DEEPSEEK|OPENROUTER)_/,
  /^(?:PERPLEXITY|TOGETHER|FIREWORKS|REPLICATE|HUGGING_?FACE|HF)_/,
  /^(?:CLAUDE|CODEX|CURSOR|OPENCODE|COPILOT|AIDER|AUGMENT|GOOSE|KIRO|AMP|CLINE|WINDSURF|DEVIN)(?:_|CODE|$)/,
  /^AI_AGENT$/,
  /^EXITGATE_/,
]

/** What makes a shell, an interpreter or a runner do something else than the project says. */
const STEERING: readonly RegExp[] = [
  /^(?:BASH_ENV|ENV|SHELLOPTS|BASHOPTS|CDPATH|GLOBIGNORE|IFS|PS4|PROMPT_COMMAND)$/,
  /^BASH_FUNC_/,
  /^(?:LD_PRELOAD|LD_AUDIT|DYLD_INSERT_LIBRARIES)$/,
  /^(?:NODE_OPTIONS|NODE_TEST_CONTEXT|NODE_V8_COVERAGE|NODE_ENV|NODE_REPL_EXTERNAL_MODULE)$/,
  /^(?:VITEST|JEST|MOCHA|AVA|TAP|PLAYWRIGHT_TEST|PW_TEST|CYPRESS|BATS|GTEST|NEXTEST|RUST_TEST|PHPUNIT|PEST)(?:_|$)/,
  /^(?:PYTEST_|PYTHON(?:STARTUP|INSPECT|BREAKPOINT|OPTIMIZE)$|TOX(?:_|ENV$)|NOX)/,
  /^(?:RUBYOPT|RUBYLIB|SPEC_OPTS|TESTOPTS|TEST|TESTS|PERL5OPT|PERL5DB|BUN_OPTIONS|DOTNET_STARTUP_HOOKS|MAVEN_ARGS)$/,
  /^(?:RAILS|RACK|MIX|APP)_ENV$/,
  /^(?:MAKEFLAGS|MFLAGS|MAKELEVEL|MAKEOVERRIDES|GNUMAKEFLAGS)$/,
  /^GIT_(?!(?:AUTHOR|COMMITTER)_|SSL_)/,
  /^(?:INIT_CWD|PWD|OLDPWD|SHLVL|_)$/,
  // npm turns its settings into variables; those that say where things are may stay, "if-present" and the like may not.
  /^npm_(?!config_(?:cache|registry|cafile|proxy|https_proxy|noproxy|prefix|userconfig|globalconfig)$)/i,
]

/** Variables that are harmless in themselves and steer by what stands in them. */
const STEERING_VALUES: readonly (readonly [name: RegExp, value: RegExp])[] = [
  [/^GOFLAGS$/, /-(?:run|skip|exec|toolexec|overlay|short)\b/],
  [/^(?:JAVA_TOOL|JDK_JAVA|_JAVA)_OPTIONS$/, /-(?:javaagent|agentlib|agentpath)/],
]

const matches = (patterns: readonly RegExp[], name: string) => patterns.some((pattern) => pattern.test(name))

const BELONGS_TO_OTHERS = [...SECRETS, ...WAYS_TO_SECRETS, ...WAYS_TO_THE_JOB, ...AGENTS]

function isDropped(name: string, value: string): boolean {
  if (matches(BELONGS_TO_OTHERS, name.toUpperCase()) || matches(STEERING, name)) return true
  return STEERING_VALUES.some(([names, values]) => names.test(name) && values.test(value))
}

/**
 * The environment of evidence commands: what the machine needs to run the project, CI=true, and nothing that belongs
 * to the agent or turns the tests into others. `allow` names what the user lets through all the same.
 */
export function scrubbed(env: Environment, allow: readonly string[] = []): Record<string, string> {
  const kept = Object.entries(env).filter(
    (entry): entry is [string, string] =>
      entry[1] !== undefined && (allow.includes(entry[0]) || !isDropped(entry[0], entry[1])),
  )
  return { ...Object.fromEntries(kept), CI: allow.includes('CI') ? (env.CI ?? 'true') : 'true' }
}

/** Whether what stands in a variable of this name is taken for a secret. */
export const isSecretName = (name: string): boolean => matches(SECRETS, name.toUpperCase())

/** Shorter ones are words, and words may be shown. */
const SHORTEST_SECRET = 8
const PLACE = /^(?:[/~.]|[A-Za-z]:\\|https?:\/\/[^@]*$)/

const alsoSecret = new Set<string>()

/** Secrets that this process still knows, though no variable of it holds them any more. */
export function keepSecret(values: readonly string[]): void {
  for (const value of values) alsoSecret.add(value)
}

/** The secrets themselves, also those let through: wherever one turns up in output it is taken out. */
export function secretValues(env: Environment): readonly string[] {
  const secret = Object.entries(env).flatMap(([name, value]) =>
    value !== undefined && isSecretName(name) ? [value] : [],
  )
  const long = secret.filter((value) => value.length >= SHORTEST_SECRET && !PLACE.test(value))
  return [...new Set([...long, ...alsoSecret])].sort((a, b) => b.length - a.length)
}
