import { acpLauncher } from './acp.ts'

/** goose. It takes its permissions from its own mode (GOOSE_MODE). */
export const goose = acpLauncher({
  name: 'goose',
  program: 'goose',
  args: ['acp'],
  login: {
    folders: ['.config/goose', '.local/share/goose', '.local/state/goose'],
    readOnly: ['.config/goose/config.yaml'],
  },
})
