import { acpLauncher } from './acp.ts'

/** Cursor CLI. */
export const cursor = acpLauncher({
  name: 'cursor',
  program: 'cursor-agent',
  args: ['acp'],
  login: {
    folders: ['.cursor', '.config/cursor', '.local/share/cursor-agent'],
    readOnly: ['.cursor/hooks.json', '.cursor/mcp.json', '.cursor/cli-config.json'],
  },
})
