import type { Page } from './page.ts'

export const page: Page = {
  usage: ['hook install|uninstall HOST [--user|--project] | hook status | hook HOST'],
  about:
    "HOST is claude, codex, gemini, copilot, cursor, opencode or pi. install writes the host's own configuration and touches nothing else in it; uninstall takes exactly that out again. hook HOST is what the host then calls when its agent wants to stop.",
  rows: [
    ['--project', "this folder's configuration (default)"],
    ['--user', 'the one for all your folders'],
    [
      '--timeout SECONDS',
      'how long the host waits for an answer (install: default 600); longer checks are cut off and said to be',
    ],
    [
      '--max-refusals N',
      'stops refused in a row (hook HOST; default: one less than the host allows, 20 where it allows any number)',
    ],
    ['--state-dir DIR', 'where journals live (hook HOST)'],
    ['--dir DIR', 'the project (install, uninstall, status; default: this folder)'],
    ['--json', 'one JSON document on stdout (install, uninstall, status)'],
  ],
  more: 'With a goal (exitgate goal start) every stop without claim and proof is refused. Without one, only a stop that claims to be done is looked at. Nothing is run in a folder before exitgate trust.',
  examples: ['exitgate hook install claude', 'exitgate hook install codex --user --timeout 1800'],
}
