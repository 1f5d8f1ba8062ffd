import { readFileSync } from 'node:fs'
import { ancestryOf, processLookup } from '../system/process-ancestry.ts'

/** Variables that agents give to the commands they run, and that nobody else sets. */
const MARKS =
  /^(?:CLAUDECODE|CLAUDE_CODE_CHILD_SESSION|AI_AGENT|CODEX_(?:SANDBOX\w*|THREAD_ID|MANAGED_BY_NPM)|GEMINI_CLI|GEMINI_SESSION_ID|OPENCODE|CURSOR_AGENT|COPILOT_AGENT\w*|PI_CODING_AGENT|EXITGATE_RUN|EXITGATE_CHECK)=./

/**
 * What shows that this process was started by an agent, in words; undefined when nothing does. An agent can empty the environment
 * of a command, but not that of the shell it runs it in: so the ancestors are asked too, where the system shows them.
 */
export function insideAgent(
  env: Readonly<Record<string, string | undefined>>,
  pid: number | undefined,
): string | undefined {
  const own = Object.entries(env).find(([name, value]) => MARKS.test(`${name}=${value ?? ''}`))
  if (own !== undefined) return `${own[0]} is set`
  if (pid === undefined) return undefined
  for (const kin of ancestryOf(pid, processLookup([]))) {
    const mark = environmentOf(kin.pid).find((word) => MARKS.test(word))
    if (mark !== undefined)
      return `${mark.slice(0, mark.indexOf('='))} is set for process ${kin.pid}, from which this one comes`
  }
  return undefined
}

function environmentOf(pid: number): readonly string[] {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'latin1').split('\0')
  } catch {
    // Another user's, or a system without such files.
    return []
  }
}
