import { approvableIn } from '../../hooks/trust.ts'
import { trustOf } from '../../hooks/trust-file.ts'
import type { Looked } from '../../reports/doctor-text.ts'
import { hostsHere } from '../hook-setup.ts'
import type { Io } from '../io.ts'
import { placeOf } from '../place.ts'
import type { InstalledHook } from './prove-hooks.ts'

export interface Around {
  readonly dir: string
  readonly stateDir: string | undefined
  readonly hooks: readonly InstalledHook[]
  /** A test command was found. */
  readonly tested: boolean
  /** Git knows the folder. */
  readonly versioned: boolean
}

/** What an agent could do here without being seen, as far as this machine shows it. */
export async function unprotected(
  { dir, stateDir, hooks, tested, versioned }: Around,
  io: Io,
): Promise<readonly Looked[]> {
  const place = placeOf(dir, stateDir, io)
  const looked: Looked[] = []
  const hooked = new Set(hooks.map(({ host }) => host))
  for (const {
    host: { name },
    program,
  } of hostsHere(dir, io)) {
    if (hooked.has(name)) continue
    const text = `${program} is installed and does not ask exitgate before it stops`
    looked.push({
      name,
      state: 'note',
      text,
      remedy: `For sessions outside of exitgate run: exitgate hook install ${name}`,
    })
  }
  if (!tested) looked.push({ name: 'tests', state: 'bad', text: 'without a test command no claim can be verified' })
  if (!versioned) looked.push({ name: 'git', state: 'note', text: 'without git, what has changed stays unknown' })
  if (hooks.length > 0) looked.push(...(await approval(dir, place.dir, io)))
  if (place.warning !== undefined)
    looked.push({
      name: 'journal',
      state: 'note',
      text: place.warning,
      remedy: 'Keep it elsewhere: --state-dir or EXITGATE_STATE_DIR.',
    })
  looked.push({
    name: 'same user',
    state: 'note',
    text: 'an agent that runs as you may write whatever you may: the journal, the hooks, this program',
    remedy: 'Run it as another user or in a container where that matters.',
  })
  return looked
}

/** A hook runs nothing in a folder that nobody approved, and lets every stop pass. */
async function approval(dir: string, stateDir: string, io: Io): Promise<readonly Looked[]> {
  try {
    const trust = trustOf(stateDir, await approvableIn(dir, io.platform))
    if (trust === 'approved') return []
    const text =
      trust === 'never'
        ? 'nobody approved what hooks would run here, so they let every stop pass'
        : 'what hooks would run here has changed since it was approved, so they verify nothing'
    return [{ name: 'trust', state: 'bad', text, remedy: 'Look at it and approve it: exitgate trust' }]
  } catch {
    // A configuration that cannot be read is named elsewhere.
    return []
  }
}
