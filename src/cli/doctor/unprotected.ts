import { approvableIn } from '../../hooks/trust.ts'
import { trustOf } from '../../hooks/trust-file.ts'
import type { StatePlace } from '../../journal/place.ts'
import type { Looked } from '../../reports/doctor-text.ts'
import { hostsHere } from '../hook-setup.ts'
import type { Io } from '../io.ts'
import type { InstalledHook } from './prove-hooks.ts'

export interface Around {
  readonly dir: string
  /** Absent if there can be no journal. */
  readonly place: StatePlace | undefined
  readonly hooks: readonly InstalledHook[]
  /** A test command was found. */
  readonly tested: boolean
  /** The folder is in a git repository. */
  readonly versioned: boolean
}

/** What an agent could do here unnoticed, as far as this machine shows. */
export async function unprotected(
  { dir, place, hooks, tested, versioned }: Around,
  io: Io,
): Promise<readonly Looked[]> {
  const looked: Looked[] = []
  const note = (name: string, text: string, remedy?: string) =>
    void looked.push({ name, state: 'note', text, ...(remedy !== undefined && { remedy }) })
  const hooked = new Set(hooks.map(({ host }) => host))
  for (const { host, program } of hostsHere(dir, io)) {
    const remedy = `For interactive sessions: exitgate hook install ${host.name}`
    if (!hooked.has(host.name)) note(host.name, `${program} is installed, but has no stop hook`, remedy)
  }
  if (!tested) looked.push({ name: 'tests', state: 'bad', text: 'without a test command, no claim can be verified' })
  if (!versioned) note('git', 'without git, changes in folders such as vendor and build are not seen')
  if (hooks.length > 0 && place !== undefined) looked.push(...(await approval(dir, place.dir, io)))
  if (place?.warning !== undefined)
    note('journal', place.warning, 'Use another folder: --state-dir or EXITGATE_STATE_DIR.')
  const text = 'an agent that runs as your user can change the journal, the hooks and exitgate itself'
  note('same user', text, 'If that matters, run it as another user or in a container.')
  return looked
}

/** A hook runs nothing in a folder you have not approved, and lets every stop through. */
async function approval(dir: string, stateDir: string, io: Io): Promise<readonly Looked[]> {
  try {
    const trust = trustOf(stateDir, await approvableIn(dir, io.platform))
    if (trust === 'approved') return []
    const text =
      trust === 'never'
        ? 'you have not approved the commands of the hooks, so they let every stop through'
        : 'the commands of the hooks changed since you approved them, so they check nothing'
    return [{ name: 'trust', state: 'bad', text, remedy: 'Review and approve them: exitgate trust' }]
  } catch {
    // An unreadable configuration is reported elsewhere.
    return []
  }
}
