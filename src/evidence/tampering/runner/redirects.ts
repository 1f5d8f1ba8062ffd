interface Redirect {
  readonly file: RegExp
  readonly key: RegExp
  readonly value?: RegExp
  readonly severity: 'block' | 'warn'
  readonly effect: string
}

/** Options of Node that load a file or another program. Others, such as a larger heap, are everyday settings. */
const LOADS_CODE =
  /(?:^|\s|=)(?:-r|--require|--import|--loader|--experimental-loader|--env-file\S*|--eval|-e|-p|--test-reporter\S*|--inspect\S*)(?:\s|=|$)/

/** Settings that make something else run, or load something first. */
export const REDIRECTS: readonly Redirect[] = [
  {
    file: /(?:^|\/)\.npmrc$/,
    key: /^(?:script-shell|shell|scripts-prepend-node-path|userconfig|globalconfig|prefix)$/,
    severity: 'block',
    effect: 'scripts run with another shell or other options',
  },
  {
    file: /(?:^|\/)\.npmrc$/,
    key: /^node-options$/,
    value: LOADS_CODE,
    severity: 'block',
    effect: 'every Node program loads other code first',
  },
  {
    file: /(?:^|\/)\.yarnrc(?:\.ya?ml)?$/,
    key: /^yarn-?[Pp]ath$/,
    value: /^"?(?:\.\/)?\.yarn\/releases\/yarn-\d[\w.-]*\.c?js"?$/,
    severity: 'warn',
    effect: 'scripts run with another version of Yarn',
  },
  {
    file: /(?:^|\/)\.yarnrc(?:\.ya?ml)?$/,
    key: /^(?:yarnPath|yarn-path|script-shell|plugins\.\d+(?:\.path)?|pnpDataPath)$/,
    severity: 'block',
    effect: 'scripts run with another program',
  },
  { file: /(?:^|\/)\.npmrc$/, key: /registry$/, severity: 'warn', effect: 'packages come from another registry' },
  {
    file: /(?:^|\/)\.env[\w.]*$/,
    key: /^(?:PYTEST_ADDOPTS|PYTEST_PLUGINS|PYTHONSTARTUP|PYTHONHOME|RUBYOPT|PERL5OPT|JAVA_TOOL_OPTIONS|JDK_JAVA_OPTIONS|_JAVA_OPTIONS|GOFLAGS|MAVEN_OPTS|MAVEN_ARGS|LD_PRELOAD|LD_LIBRARY_PATH|DYLD_INSERT_LIBRARIES|BASH_ENV|RUSTC(?:_WRAPPER)?|CARGO_TARGET_\w+_RUNNER|PHP_INI_SCAN_DIR|DOTNET_STARTUP_HOOKS)$/,
    severity: 'block',
    effect: 'the test runner gets other options from the environment',
  },
  {
    file: /(?:^|\/)\.env[\w.]*$/,
    key: /^NODE_OPTIONS$/,
    value: LOADS_CODE,
    severity: 'block',
    effect: 'every Node program loads other code first',
  },
  {
    file: /(?:^|\/)\.env[\w.]*$/,
    key: /^(?:PATH|NODE_PATH|PYTHONPATH|RUBYLIB|GEM_PATH|CLASSPATH|NODE_OPTIONS|RUSTFLAGS)$/,
    severity: 'warn',
    effect: 'programs look elsewhere for what they load',
  },
  {
    file: /(?:^|\/)\.cargo\/config(?:\.toml)?$/,
    key: /(?:^|\.)(?:runner|rustc-wrapper|rustc-workspace-wrapper|rustc|rustdoc|linker)(?:\.\d+)?$|^alias\.(?:test|t)$|^env\./,
    severity: 'block',
    effect: 'cargo runs tests through another program',
  },
  {
    file: /(?:^|\/)\.cargo\/config(?:\.toml)?$/,
    key: /(?:^|\.)rustflags(?:\.\d+)?$/,
    severity: 'block',
    effect: 'cargo builds the tests with other options',
  },
  {
    file: /(?:^|\/)package\.json$/,
    key: /^(?:overrides|resolutions|pnpm\.overrides)\./,
    severity: 'block',
    effect: 'the test runner is replaced',
  },
  {
    file: /(?:^|\/)package\.json$/,
    key: /^(?:devDependencies|dependencies|optionalDependencies)\./,
    value: /^(?:file|link|portal|npm|git\+?\w*|github|https?|workspace):|^\.{0,2}\//,
    severity: 'block',
    effect: 'the test runner comes from another source',
  },
  {
    file: /(?:^|\/)(?:pyproject\.toml|Pipfile)$/,
    key: /(?:sources|dependencies|packages)\.pytest(?:\.(?:path|git|url))?$/,
    value: /^(?:\.|\/|git|https?|file)/,
    severity: 'block',
    effect: 'the test runner comes from another source',
  },
]
