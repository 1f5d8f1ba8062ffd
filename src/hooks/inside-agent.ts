import { readFileSync } from 'node:fs'
import { ancestryOf, processLookup } from '../system/process-ancestry.ts'

/** Variables that only agents set, for the commands they run. */
const MARKS =
  /^(?:CLAUDECODE|CLAUDE_CODE_CHILD_SESSION|AI_AGENT|CODEX_(?:SANDBOX\w*|THREAD_ID|MANAGED_BY_NPM)|GEMINI_CLI|GEMINI_SESSION_ID|OPENCODE|CURSOR_AGENT|GROK_AGENT|COPILOT_AGENT\w*|PI_CODING_AGENT|EXITGATE_RUN|EXITGATE_CHECK)=./

/**
 * A sentence about why this process seems to be started by an agent; undefined if it doesn't. An agent can clear the environment of a
 * command, but not that of the shell around it. So the ancestors are checked too, if the system shows them.
 */
export function insideAgent(
  env: Readonly<Record<string, string | undefined>>,
  pid: number | undefined,
): string | undefined {
  const own = Object.entries(env).find(([name, value]) => MARKS.test(`${name}=${value ?? ''}`))
  if (own !== undefined) return `${own[0]} is set`
  if (pid === undefined) return undefined
  for (const ancestor of ancestryOf(pid, processLookup([]))) {
    const mark = environmentOf(ancestor.pid).find((variable) => MARKS.test(variable))
    if (mark !== undefined) return `${mark.slice(0, mark.indexOf('='))} is set in its parent process ${ancestor.pid}`
  }
  return undefined
}

function environmentOf(pid: number): readonly string[] {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'latin1').split('\0')
  } catch {
    // The process belongs to another user, or the system has no such files.
    return []
  }
}
