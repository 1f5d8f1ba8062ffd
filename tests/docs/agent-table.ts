import { AGENTS, AGENTS_TESTED } from '../../scripts/install-agents.mjs'
import { LAUNCHERS } from '../../src/agents/launch/index.ts'
import type { Launcher } from '../../src/agents/launch/launcher.ts'
import { HOOK_CLIENTS } from '../../src/hooks/index.ts'

const NONE = '-'

/** One row per agent that exitgate can start or that can ask it before it stops. */
export function agentTable(): string {
  const hooks = HOOK_CLIENTS.map(({ name }) => name)
  const names = [...new Set([...LAUNCHERS.map(({ name }) => name), ...hooks])]
  const rows = names.map((name) => {
    const launcher = LAUNCHERS.find((one) => one.name === name)
    const tested = AGENTS[name]
    return [
      `\`${name}\``,
      launcher === undefined ? NONE : drivenBy(launcher),
      hooks.includes(name) ? 'yes' : NONE,
      launcher === undefined ? NONE : costOf(launcher),
      launcher === undefined ? NONE : sessionOf(launcher),
      launcher === undefined ? NONE : sandboxOf(launcher),
      tested === undefined ? 'untested' : `${tested.version}, ${AGENTS_TESTED}`,
    ]
  })
  const head = ['agent', 'driven', 'stop hook', 'cost', 'session', 'sandbox', 'tested version and date']
  return [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n')
}

function drivenBy({ format }: Launcher): string {
  if (format === 'acp') return 'ACP'
  return format === 'text' ? 'plain text' : 'event stream'
}

function costOf({ reportsCost, reportsTokens }: Launcher): string {
  if (reportsCost) return 'reported'
  return reportsTokens === false ? NONE : 'estimated'
}

function sessionOf({ format, launch }: Launcher): string {
  if (format === 'acp') return 'if it can load one'
  const plain = launch({ prompt: '', args: [] })
  const resumed = launch({ prompt: '', args: [], session: 'some-session' })
  return JSON.stringify(plain) === JSON.stringify(resumed) ? NONE : 'continued'
}

/** The sandbox shows an agent only its own folders of the home folder. */
const sandboxOf = ({ login }: Launcher): string => login.folders.map((folder) => `\`~/${folder}\``).join(', ')
