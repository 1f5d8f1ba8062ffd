import { AGENTS, AGENTS_TESTED } from '../../scripts/install-agents.mjs'
import { LAUNCHERS } from '../../src/agents/launch/index.ts'
import type { Launcher } from '../../src/agents/launch/launcher.ts'
import { HOOK_CLIENTS } from '../../src/hooks/index.ts'
import { HOOK_AGENTS } from '../real-agents/hook-rows.ts'

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
      hooks.includes(name) ? hookOf(name) : NONE,
      launcher === undefined ? NONE : costOf(launcher),
      launcher === undefined ? NONE : sessionOf(launcher),
      launcher === undefined ? NONE : sandboxOf(launcher),
      tested === undefined ? 'untested' : `${tested.version}, ${AGENTS_TESTED}`,
    ]
  })
  const head = ['agent', 'driven', 'stop hook', 'cost', 'session', 'sandbox', 'tested version and date']
  return [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n')
}

/** The newest version whose hook the tests run. */
function hookOf(name: string): string {
  const tested = HOOK_AGENTS.findLast((agent) => agent.replace(/-newest$/, '') === name)
  return tested === undefined ? 'untested' : `with ${AGENTS[tested]?.version}`
}

/** Agents whose own hooks can't keep them working. Each was checked in this version, or in its documentation. */
const WITHOUT_STOP_HOOK: readonly (readonly [agent: string, checked: string, what: string])[] = [
  ['Aider', 'documentation', 'has no hooks'],
  ['Amp', 'documentation', 'only a plugin can continue a turn, and exitgate has none'],
  ['Auggie', '0.36.0', 'runs a `Stop` hook, and ignores its answer'],
  ['Cline', '3.0.65', '`TaskComplete` hooks run after the end'],
  ['Continue', '1.5.47', 'accepts `Stop` hooks, and never runs them'],
  ['Kiro', 'documentation', 'only hooks before a prompt or a tool can block'],
  ['Kilo Code', '7.7.9', 'in `kilo run`, what a plugin sends comes too late'],
]

export const withoutStopHook = (): string =>
  [['agent', 'checked', 'its hooks'], ['---', '---', '---'], ...WITHOUT_STOP_HOOK]
    .map((cells) => `| ${cells.join(' | ')} |`)
    .join('\n')

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
