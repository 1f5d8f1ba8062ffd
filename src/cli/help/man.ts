import type { Page } from './page.ts'

export const page: Page = {
  usage: ['man'],
  about: 'The manual page: every command with its options and examples.',
  rows: [],
  examples: ['exitgate man | man -l -', 'exitgate man > ~/.local/share/man/man1/exitgate.1'],
}
