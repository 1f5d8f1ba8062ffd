/** The pages of the commands around stop hooks. */
export const HOOK_PAGES: Readonly<Record<string, string>> = {
  hook: `
Usage: exitgate hook install|uninstall HOST [--user|--project] | hook status | hook HOST
HOST is claude, codex, gemini, copilot, cursor, opencode or pi. install writes the host's own configuration and touches nothing else
in it; uninstall takes exactly that out again. hook HOST is what the host then calls when its agent wants to stop.

  --project            this folder's configuration (default)
  --user               the one for all your folders
  --timeout SECONDS    how long the host waits for an answer (install: default 600); longer checks are cut off and said to be
  --max-refusals N     stops refused in a row (hook HOST; default: one less than the host allows, 20 where it allows any number)
  --dir DIR, --json

With a goal (exitgate goal start) every stop without claim and proof is refused. Without one, only a stop that claims to be done is
looked at. Nothing is run in a folder before exitgate trust.

  exitgate hook install claude
  exitgate hook install codex --user --timeout 1800
`,
  goal: `
Usage: exitgate goal start "TEXT" [--plan FILE] | goal status | goal stop [--reason "..."]
What has to be reached in this folder before an agent with the hook may stop. start takes the baseline that the agent is measured by.

  --plan FILE          a checklist that must be ticked
  --test CMD, --preset P, --max-minutes N, ...   as in check
  --new-run            leave a run that is not finished
  --dir DIR, --state-dir DIR, --json

  exitgate goal start "the importer reads CSV and Excel" --plan PLAN.md
`,
  trust: `
Usage: exitgate trust [options]
Shows what a hook would run in this folder, and approves exactly that. Until then a hook says so once and lets the agent stop.

  --show               only show it
  --withdraw           approve nothing any more
  --dir DIR, --state-dir DIR, --json
`,
}
