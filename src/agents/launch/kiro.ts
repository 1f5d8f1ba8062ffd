import { acpLauncher } from './acp.ts'

/** Kiro CLI. */
export const kiro = acpLauncher({
  name: 'kiro',
  program: 'kiro-cli',
  args: ['acp'],
  login: { folders: ['.kiro', '.local/share/kiro-cli'], readOnly: ['.kiro/agents', '.kiro/settings', '.kiro/hooks'] },
})
