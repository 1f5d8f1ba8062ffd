import type { Config } from '../core/config.ts'
import type { NotifyConfig } from '../core/run-config.ts'
import { digest } from '../system/digest.ts'

/** Addresses and tokens let anyone send messages in your name. A command may contain them. */
const SECRET = ['webhook', 'slack', 'ntfy', 'telegramToken', 'command'] as const

/** The configuration as it may be journaled and shown: a secret is replaced by a hash, by which it is recognised later. */
export function withoutSecrets(config: Config): Config {
  const types = Object.entries(config.taskTypes).map(([name, patch]) => [name, hideIn(patch)] as const)
  return { ...hideIn(config), taskTypes: Object.fromEntries(types) }
}

type WithNotify = { readonly run?: { readonly notify?: Partial<NotifyConfig> | null } | null }

function hideIn<T extends WithNotify>(config: T): T {
  const notify = config.run?.notify
  if (!notify) return config
  const hidden = SECRET.flatMap((key) => (typeof notify[key] === 'string' ? [[key, hide(notify[key])] as const] : []))
  return { ...config, run: { ...config.run, notify: { ...notify, ...Object.fromEntries(hidden) } } }
}

/** The name of an environment variable may be shown. */
const hide = (value: string): string =>
  /^(?:\$\w+$|\[redacted )/.test(value) ? value : `[redacted ${digest(value).slice(0, 12)}]`

/**
 * The notification settings of a run with their secrets, which come from the configuration as it is loaded now. What changed since the
 * run started is left out, because the agent may have changed it.
 */
export function revealed(notify: NotifyConfig, loaded: Config): NotifyConfig {
  const known = new Map(secretsIn(loaded).map((value) => [hide(value), value]))
  const shown = SECRET.map(
    (key) => [key, notify[key] === undefined ? undefined : known.get(hide(notify[key]))] as const,
  )
  const { webhook: _w, slack: _s, ntfy: _n, telegramToken: _t, command: _c, ...rest } = notify
  return { ...rest, ...Object.fromEntries(shown.filter(([, value]) => value !== undefined)) }
}

/** A shorter text may be an ordinary word. */
const SHORTEST_TOKEN = 16

/** The addresses and tokens, which may not appear in any output. */
export const tokensIn = (config: Config): readonly string[] =>
  secretsIn(config, ['webhook', 'slack', 'ntfy', 'telegramToken']).filter(
    (value) => value.length >= SHORTEST_TOKEN && !value.startsWith('$'),
  )

/** Every secret of the notification settings, also of task types. */
function secretsIn(config: Config, keys: readonly (typeof SECRET)[number][] = SECRET): readonly string[] {
  const all: readonly WithNotify[] = [config, ...Object.values(config.taskTypes)]
  return all.flatMap(({ run }) => keys.flatMap((key) => run?.notify?.[key] ?? []))
}
