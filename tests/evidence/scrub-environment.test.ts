import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { scrubbed } from '../../src/evidence/scrub-environment.ts'

const kept = [
  'PATH HOME USER LANG LC_ALL TZ TMPDIR SHELL TERM XDG_CACHE_HOME DISPLAY',
  'JAVA_HOME GOPATH GOROOT CARGO_HOME RUSTUP_HOME RUSTFLAGS VIRTUAL_ENV PYENV_ROOT PYTHONPATH NVM_DIR PNPM_HOME',
  'HTTP_PROXY https_proxy NO_PROXY SSL_CERT_FILE NODE_EXTRA_CA_CERTS DATABASE_URL REDIS_URL DOCKER_HOST LD_LIBRARY_PATH',
  'GIT_AUTHOR_NAME GIT_COMMITTER_EMAIL GIT_SSL_CAINFO npm_config_cache npm_config_registry NPM_CONFIG_CACHE',
  'KEYBOARD MONKEY_PATCH TOKENIZERS_PARALLELISM COMPASS PASSENGER_HOME AUTHOR ENVIRONMENT TESTING AMPLITUDE_HOME',
].flatMap((line) => line.split(' '))

const dropped = [
  'ANTHROPIC_API_KEY ANTHROPIC_BASE_URL OPENAI_API_KEY OPENAI_ORG_ID GEMINI_API_KEY GOOGLE_API_KEY OPENROUTER_API_KEY',
  'CLAUDECODE CLAUDE_CODE_ENTRYPOINT CLAUDE_PROJECT_DIR CODEX_HOME CODEX_SANDBOX CURSOR_AGENT GEMINI_CLI OPENCODE AI_AGENT',
  'AWS_ACCESS_KEY_ID AWS_SECRET_ACCESS_KEY AWS_PROFILE AWS_SESSION_TOKEN GITHUB_TOKEN GH_TOKEN NPM_TOKEN HF_TOKEN',
  'DB_PASSWORD PGPASSWORD_SECRET MY_SECRET SSH_KEY SECRET_KEY_BASE RAILS_MASTER_KEY STRIPE_APIKEY OPENAIAPIKEY TOKEN',
  'GOOGLE_APPLICATION_CREDENTIALS SSH_AUTH_SOCK VAULT_ADDR ACTIONS_ID_TOKEN_REQUEST_URL my_token',
  'EXITGATE_PROMPT_FILE EXITGATE_CHECK EXITGATE_STATE_DIR',
  'NODE_OPTIONS NODE_ENV NODE_TEST_CONTEXT VITEST VITEST_WORKER_ID JEST_WORKER_ID MOCHA_OPTIONS GTEST_FILTER BATS_FILTER',
  'BASH_ENV ENV CDPATH BASH_FUNC_git%% LD_PRELOAD DYLD_INSERT_LIBRARIES PYTHONSTARTUP PYTEST_ADDOPTS PYTEST_PLUGINS TOXENV',
  'RUBYOPT TESTOPTS TEST PERL5OPT MAVEN_ARGS RUST_TEST_THREADS NEXTEST_PROFILE MAKEFLAGS MIX_ENV DOTNET_STARTUP_HOOKS',
  'GIT_DIR GIT_WORK_TREE GIT_INDEX_FILE GIT_CONFIG_GLOBAL GIT_EXTERNAL_DIFF GIT_SSH_COMMAND',
  'npm_config_if_present npm_config_script_shell npm_lifecycle_event npm_package_name INIT_CWD OLDPWD',
].flatMap((line) => line.split(' '))

describe('the environment of evidence commands', () => {
  it.each(kept)('keeps %s', (name) => {
    expect(scrubbed({ [name]: 'value' })).toEqual({ [name]: 'value', CI: 'true' })
  })

  it.each(dropped)('drops %s', (name) => {
    expect(scrubbed({ [name]: 'value' })).toEqual({ CI: 'true' })
    expect(scrubbed({ [name]: 'value' }, [name])).toEqual({ [name]: 'value', CI: 'true' })
  })

  const values: [name: string, value: string, stays: boolean][] = [
    ['GOFLAGS', '-mod=vendor -buildvcs=false', true],
    ['GOFLAGS', '-run=TestNothing', false],
    ['JAVA_TOOL_OPTIONS', '-Xmx2g', true],
    ['JAVA_TOOL_OPTIONS', '-javaagent:/tmp/x.jar', false],
  ]
  it.each(values)('%s=%s', (name, value, stays) => {
    expect(name in scrubbed({ [name]: value })).toBe(stays)
  })

  it('looks like a build server', () => {
    expect(scrubbed({ CI: 'false', UNSET: undefined })).toEqual({ CI: 'true' })
    expect(scrubbed({ CI: 'false' }, ['CI'])).toEqual({ CI: 'false' })
  })

  it('adds nothing else', () => {
    const env = fc.dictionary(fc.stringMatching(/^[A-Za-z_]{1,12}$/), fc.string())
    fc.assert(
      fc.property(env, (given) => {
        for (const [name, value] of Object.entries(scrubbed(given)))
          expect(value).toBe(name === 'CI' ? 'true' : given[name])
      }),
    )
  })
})
