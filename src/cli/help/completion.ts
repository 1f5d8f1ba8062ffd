import type { Page } from './page.ts'

export const page: Page = {
  usage: ['completion bash|zsh|fish'],
  about: 'A script that teaches your shell the commands, their options and the words these take.',
  rows: [],
  examples: [
    'source <(exitgate completion bash)   # in ~/.bashrc',
    'source <(exitgate completion zsh)    # in ~/.zshrc, after compinit',
    'exitgate completion fish > ~/.config/fish/completions/exitgate.fish',
  ],
}
