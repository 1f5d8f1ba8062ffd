import { devNull } from 'node:os'
import type { Environment } from '../../system/environment.ts'
import { redact } from '../../system/redact.ts'
import { runGit } from '../../system/run-git.ts'
import { FleetError } from '../errors.ts'
import { PROTOCOLS } from './remote.ts'

/** These repositories are ours: the user's git settings apply, a repository's own settings don't. */
const SETTINGS = [
  'core.hooksPath=/dev/null',
  'core.fsmonitor=false',
  'core.quotePath=false',
  'core.protectHFS=true',
  'core.protectNTFS=true',
  'core.untrackedCache=false',
  'gc.auto=0',
  'maintenance.auto=false',
  'submodule.recurse=false',
  'push.recurseSubmodules=no',
  'fetch.recurseSubmodules=false',
  'fetch.unpackLimit=1',
  'push.gpgSign=false',
  'commit.gpgSign=false',
]
const FIXED = ['--no-pager', ...SETTINGS.flatMap((setting) => ['-c', setting])]

/** How the worker's user gives git a login. No other git variable gets through. */
const KEPT =
  /^GIT_(?:ASKPASS|SSH|SSH_COMMAND|SSH_VARIANT|SSL_\w+|CONFIG_(?:GLOBAL|SYSTEM|NOSYSTEM|COUNT|KEY_\d+|VALUE_\d+))$/

const NETWORK_MS = 10 * 60_000

/**
 * Neither the user's name nor the agent's, because they didn't make these commits. A fixed time makes the same content the same
 * commit.
 */
const IDENTITY = Object.fromEntries(
  ['AUTHOR', 'COMMITTER'].flatMap((role) => [
    [`GIT_${role}_NAME`, 'exitgate'],
    [`GIT_${role}_EMAIL`, 'exitgate@localhost'],
    [`GIT_${role}_DATE`, '@0 +0000'],
  ]),
)

export interface OwnGitCall {
  readonly cwd: string
  readonly env?: Environment
  /** Git's own variables: GIT_DIR, GIT_WORK_TREE, GIT_INDEX_FILE. */
  readonly own?: Readonly<Record<string, string>>
  readonly input?: Buffer | string
  /** One character per byte of the output. */
  readonly bytes?: boolean
}

export interface OwnGitAnswer {
  readonly out: string
  /** Git's own error message with secrets redacted; absent on success. */
  readonly problem?: string
}

/** Runs git in a repository no agent has touched, without hooks and prompts, and with three protocols only. */
export async function tryOwnGit(args: readonly string[], call: OwnGitCall): Promise<OwnGitAnswer> {
  const { cwd, env = process.env, own = {}, input, bytes = false } = call
  const inherited = Object.entries(env).filter(
    (entry): entry is [string, string] =>
      entry[1] !== undefined && (!entry[0].startsWith('GIT_') || KEPT.test(entry[0])),
  )
  const ran = await runGit([...FIXED, ...args], {
    cwd,
    env: {
      ...Object.fromEntries(inherited),
      ...IDENTITY,
      GIT_ALLOW_PROTOCOL: PROTOCOLS,
      GIT_TERMINAL_PROMPT: '0',
      GIT_NO_REPLACE_OBJECTS: '1',
      GIT_GRAFT_FILE: devNull,
      GIT_LITERAL_PATHSPECS: '1',
      LC_ALL: 'C',
      ...own,
    },
    input: typeof input === 'string' ? Buffer.from(input, 'latin1') : input,
    encoding: bytes ? 'latin1' : 'utf8',
    deadlineMs: NETWORK_MS,
  })
  if (ran.error?.code === 'ENOENT') return { out: '', problem: 'git is not installed' }
  if (ran.cut !== undefined) return { out: '', problem: 'git timed out' }
  if (ran.code === 0) return { out: ran.out }
  const lines = ran.said.split('\n').filter((line) => /^(?:fatal|error|remote| !)/.test(line))
  const said = redact((lines.length > 0 ? lines : [ran.said]).slice(0, 4).join('; ').trim())
  return { out: ran.out, problem: said || `git exited with code ${ran.code ?? 'none'}` }
}

/** The same, but throws an error that names what failed. */
export async function ownGit(action: string, args: readonly string[], call: OwnGitCall): Promise<string> {
  const { out, problem } = await tryOwnGit(args, call)
  if (problem !== undefined) throw new FleetError(`cannot ${action}: ${problem}`, 70)
  return out
}
