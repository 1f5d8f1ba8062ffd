import { type Environment, isSecretName } from '../system/environment.ts'

/** Not secrets, but they lead to some. */
const CREDENTIAL_LOCATIONS: readonly RegExp[] = [/^AWS_/, /^VAULT_/, /^ACTIONS_/, /^SSH_AUTH_SOCK$/, /^GPG_AGENT_INFO$/]

/** Files through which a CI step sets outputs of its job: a test must not write there. */
const CI_OUTPUT_FILES: readonly RegExp[] = [/^GITHUB_(?:ENV|PATH|OUTPUT|STATE|STEP_SUMMARY)$/]

/** Model providers, agents, and exitgate itself. Some test runners change their output when they detect an agent. */
const AGENTS: readonly RegExp[] = [
  /^(?:ANTHROPIC|OPENAI|GEMINI|GOOGLE_GENAI|GOOGLE_API|AZURE_OPENAI|MISTRAL|COHERE|GROQ|XAI|DEEPSEEK|OPENROUTER)_/,
  /^(?:PERPLEXITY|TOGETHER|FIREWORKS|REPLICATE|HUGGING_?FACE|HF)_/,
  /^(?:CLAUDE|CODEX|CURSOR|OPENCODE|COPILOT|AIDER|AUGMENT|GOOSE|KIRO|AMP|CLINE|WINDSURF|DEVIN)(?:_|CODE|$)/,
  /^AI_AGENT$/,
  /^EXITGATE_/,
]

/** Variables that change what a shell, an interpreter or a test runner does. */
const CHANGES_BEHAVIOUR: readonly RegExp[] = [
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
  // npm turns its settings into variables. Those about locations stay; "if-present" and the like do not.
  /^npm_(?!config_(?:cache|registry|cafile|proxy|https_proxy|noproxy|prefix|userconfig|globalconfig)$)/i,
]

/** Variables that do so only with certain values. */
const CHANGES_BEHAVIOUR_IF: readonly (readonly [name: RegExp, value: RegExp])[] = [
  [/^GOFLAGS$/, /-(?:run|skip|exec|toolexec|overlay|short)\b/],
  [/^(?:JAVA_TOOL|JDK_JAVA|_JAVA)_OPTIONS$/, /-(?:javaagent|agentlib|agentpath)/],
]

const DROPPED = [...CREDENTIAL_LOCATIONS, ...CI_OUTPUT_FILES, ...AGENTS]

const matches = (patterns: readonly RegExp[], name: string) => patterns.some((pattern) => pattern.test(name))

function isDropped(name: string, value: string): boolean {
  if (isSecretName(name) || matches(DROPPED, name.toUpperCase()) || matches(CHANGES_BEHAVIOUR, name)) return true
  return CHANGES_BEHAVIOUR_IF.some(([names, values]) => names.test(name) && values.test(value))
}

/**
 * The environment of evidence commands: what the project needs to run, and CI=true. It contains no secrets, nothing from the
 * agent, and nothing that changes what the tests do. `allow` lists variables that the user lets through.
 */
export function scrubbed(env: Environment, allow: readonly string[] = []): Record<string, string> {
  const kept = Object.entries(env).filter(
    (entry): entry is [string, string] =>
      entry[1] !== undefined && (allow.includes(entry[0]) || !isDropped(entry[0], entry[1])),
  )
  return { ...Object.fromEntries(kept), CI: allow.includes('CI') ? (env.CI ?? 'true') : 'true' }
}
