import { acpLauncher } from './acp.ts'

/** Kimi Code CLI. */
export const kimi = acpLauncher({
  name: 'kimi',
  program: 'kimi',
  args: ['acp'],
  login: { folders: ['.kimi-code', '.kimi'], readOnly: ['.kimi-code/config.toml', '.kimi/config.toml'] },
})
