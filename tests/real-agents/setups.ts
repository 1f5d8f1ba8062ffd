/** What an agent needs to talk only to the scripted model. */
export interface Setup {
  /** Files in its home folder. */
  readonly files: (url: string) => Readonly<Record<string, string>>
  readonly env: (url: string) => Readonly<Record<string, string>>
  /** The arguments of a user who lets the agent work. */
  readonly args: readonly string[]
  /** One prompt on the command line, for an agent that exitgate starts over a protocol or not at all. */
  readonly headless?: (prompt: string) => readonly string[]
}

export const SETUPS: Readonly<Record<string, Setup>> = {
  claude: {
    files: () => ({}),
    env: (url) => ({
      ANTHROPIC_BASE_URL: url,
      ANTHROPIC_API_KEY: 'test-key',
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
      DISABLE_TELEMETRY: '1',
      DISABLE_AUTOUPDATER: '1',
      DISABLE_ERROR_REPORTING: '1',
      CLAUDE_CODE_MAX_RETRIES: '1',
    }),
    args: ['--permission-mode', 'acceptEdits', '--allowedTools', 'Bash,Write,Edit,Read'],
  },
  codex: {
    files: (url) => ({
      '.codex/config.toml': `
model = "gpt-5.5"
model_provider = "loop"
check_for_update_on_startup = false
[model_providers.loop]
name = "loop"
base_url = "${url}/v1"
env_key = "OPENAI_API_KEY"
wire_api = "responses"
request_max_retries = 1
stream_max_retries = 1
supports_websockets = false
[features]
plugins = false
plugin_discovery_prefetch = false
[analytics]
enabled = false
`,
    }),
    env: () => ({ OPENAI_API_KEY: 'test-key' }),
    args: ['--skip-git-repo-check', '--dangerously-bypass-approvals-and-sandbox'],
  },
  gemini: {
    files: () => ({
      '.gemini/settings.json': JSON.stringify({
        security: { auth: { selectedType: 'gemini-api-key' }, folderTrust: { enabled: false } },
        general: { enableAutoUpdate: false, enableAutoUpdateNotification: false, maxAttempts: 2 },
        privacy: { usageStatisticsEnabled: false },
        telemetry: { enabled: false },
      }),
    }),
    env: (url) => ({
      GEMINI_API_KEY: 'test-key',
      GOOGLE_GEMINI_BASE_URL: url,
      GEMINI_CLI_TRUST_WORKSPACE: 'true',
      GEMINI_CLI_NO_RELAUNCH: 'true',
    }),
    args: ['--approval-mode', 'yolo', '-m', 'gemini-2.5-pro'],
  },
  opencode: {
    files: (url) => ({
      '.config/opencode/opencode.json': JSON.stringify({
        autoupdate: false,
        share: 'disabled',
        snapshot: false,
        model: 'loop/test-model',
        permission: { edit: 'allow', bash: 'allow' },
        provider: {
          loop: {
            npm: '@ai-sdk/openai-compatible',
            name: 'loop',
            options: { baseURL: `${url}/v1`, apiKey: 'test-key' },
            models: {
              'test-model': {
                name: 'test',
                tool_call: true,
                cost: { input: 1, output: 2 },
                limit: { context: 1_000_000, output: 8192 },
              },
            },
          },
        },
      }),
    }),
    env: () => ({
      OPENCODE_DISABLE_AUTOUPDATE: '1',
      OPENCODE_DISABLE_MODELS_FETCH: '1',
      OPENCODE_DISABLE_LSP_DOWNLOAD: '1',
      OPENCODE_DISABLE_SHARE: '1',
      OPENCODE_DISABLE_DEFAULT_PLUGINS: '1',
      npm_config_registry: 'http://127.0.0.1:1/',
      npm_config_fetch_retries: '0',
    }),
    args: [],
  },
  pi: {
    files: (url) => ({
      '.pi/agent/settings.json': JSON.stringify({ retry: { enabled: false, provider: { maxRetries: 0 } } }),
      '.pi/agent/models.json': JSON.stringify({
        providers: {
          loop: {
            baseUrl: `${url}/v1`,
            api: 'openai-completions',
            apiKey: 'test-key',
            models: [
              {
                id: 'test-model',
                name: 't',
                reasoning: false,
                input: ['text'],
                cost: { input: 1, output: 2, cacheRead: 0, cacheWrite: 0 },
                contextWindow: 1_000_000,
                maxTokens: 8192,
              },
            ],
          },
        },
      }),
    }),
    env: () => ({ PI_OFFLINE: '1', PI_TELEMETRY: '0' }),
    args: ['--provider', 'loop', '--model', 'test-model'],
  },
  qwen: {
    files: () => ({
      '.qwen/settings.json': JSON.stringify({
        security: { auth: { selectedType: 'openai' } },
        memory: { enableManagedAutoMemory: false, enableManagedAutoDream: false },
        general: { enableAutoUpdate: false },
        privacy: { usageStatisticsEnabled: false },
      }),
    }),
    env: (url) => ({ OPENAI_API_KEY: 'test-key', OPENAI_BASE_URL: `${url}/v1`, OPENAI_MODEL: 'test-model' }),
    args: ['--approval-mode', 'yolo'],
  },
  copilot: {
    files: () => ({}),
    env: (url) => ({
      COPILOT_PROVIDER_BASE_URL: `${url}/v1`,
      COPILOT_PROVIDER_TYPE: 'openai',
      COPILOT_PROVIDER_API_KEY: 'test-key',
      COPILOT_MODEL: 'gpt-5.5',
      COPILOT_OFFLINE: 'true',
      COPILOT_AUTO_UPDATE: 'false',
    }),
    args: ['--allow-all-tools', '--allow-all-paths'],
  },
  droid: {
    files: (url) => ({
      '.factory/settings.json': JSON.stringify({
        customModels: [
          {
            model: 'test-model',
            displayName: 'test-model',
            baseUrl: `${url}/v1`,
            apiKey: 'test-key',
            provider: 'generic-chat-completion-api',
            maxOutputTokens: 8192,
          },
        ],
      }),
    }),
    env: () => ({ FACTORY_API_KEY: 'fk-test' }),
    args: ['--auto', 'medium', '-m', 'custom:test-model'],
  },
  goose: {
    files: () => ({}),
    env: (url) => ({
      GOOSE_PROVIDER: 'openai',
      GOOSE_MODEL: 'test-model',
      GOOSE_MODE: 'approve',
      GOOSE_DISABLE_KEYRING: '1',
      GOOSE_TELEMETRY_ENABLED: 'false',
      OPENAI_API_KEY: 'test-key',
      OPENAI_HOST: url,
    }),
    args: [],
    headless: (prompt) => ['run', '-t', prompt],
  },
  grok: {
    files: (url) => ({
      '.grok/config.toml': `
[cli]
auto_update = false
[features]
turn_summary = false
session_recap = false
title_refresh = false
[models]
default = "test"
[model.test]
model = "test-model"
base_url = "${url}/v1"
api_key = "test-key"
context_window = 100000
api_backend = "chat_completions"
`,
    }),
    env: () => ({}),
    args: ['--always-approve'],
    headless: (prompt) => ['-p', prompt],
  },
  kimi: {
    files: (url) => ({
      '.kimi-code/config.toml': `
default_model = "test"
[providers.loop]
type = "openai"
base_url = "${url}/v1"
api_key = "test-key"
[models.test]
provider = "loop"
model = "test-model"
max_context_size = 100000
`,
    }),
    env: () => ({}),
    args: [],
    headless: (prompt) => ['-p', prompt],
  },
}
