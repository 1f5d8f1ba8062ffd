import type { Rule } from '../../types.ts'
import { finding, yesNo } from '../finding.ts'

/** The host refused a tool, so the agent cannot go on until a person allows it. Tools the user listed as allowed do not count. */
export const permissionDenied = (allowedTools: readonly string[]): Rule => ({
  name: 'permission-denied',
  when: ({ signals }) => {
    const denied = signals.denials.filter((denial) => !allowedTools.some((tool) => covers(tool, denial)))
    return finding(
      'permission-denied',
      yesNo(denied.length > 0),
      denied.length > 0 ? `the host refused: ${denied.join(', ')}` : 'nothing was refused',
    )
  },
  decision: { action: 'stop', outcome: 'aborted', ending: 'needs-human' },
})

/** `Bash(npm *)` covers a refused `Bash(npm install x && y)`: then only the compound form of an allowed command was refused. */
function covers(tool: string, denial: string): boolean {
  const pattern = /^Bash\((\S+?)[\s:*]*\*?\)$/.exec(tool)?.[1]
  const command = /^Bash\(\s*(\S+)/.exec(denial)?.[1]
  return pattern !== undefined && (command?.startsWith(pattern) ?? false)
}
