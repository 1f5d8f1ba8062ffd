import type { Environment } from '../../system/environment.ts'
import { redact } from '../../system/redact.ts'
import { runGit } from '../../system/run-git.ts'
import { FleetError } from '../errors.ts'
import { PROTOCOLS } from './remote.ts'

/** These repositories are ours: what the user set for git counts, and what a repository could bring along does not. */
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

/** The ways by which the worker's user gives git a login. No other variable of git's gets through. */
const KEPT =
  /^GIT_(?:ASKPASS|SSH|SSH_COMMAND|SSH_VARIANT|SSL_\w+|CONFIG_(?:GLOBAL|SYSTEM|NOSYSTEM|COUNT|KEY_\d+|VALUE_\d+))$/

const NETWORK_MS = 10 * 60_000

/** Neither the user's name nor the agent's: they did not make these commits. The time is the content's, so that the same is the same. */
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
  /** Variables of git's own: GIT_DIR, GIT_WORK_TREE, GIT_INDEX_FILE. */
  readonly own?: Readonly<Record<string, string>>
  readonly input?: Buffer | string
  /** One character for each byte of the answer. */
  readonly bytes?: boolean
}

export interface OwnGitAnswer {
  readonly out: string
  /** Git's own complaint, without what nobody may see; absent when it went well. */
  readonly problem?: string
}

/** git in a repository that no agent has touched, with hooks and prompts off and three protocols on. */
export async function tryOwnGit(args: readonly string[], call: OwnGitCall): Promise<OwnGitAnswer> {
  const { cwd, env = process.env, own = {}, input, bytes = false } = call
  const kept = Object.entries(env).filter(
    (entry): entry is [string, string] =>
      entry[1] !== undefined && (!entry[0].startsWith('GIT_') || KEPT.test(entry[0])),
  )
  const ran = await runGit([...FIXED, ...args], {
    cwd,
    env: {
      ...Object.fromEntries(kept),
      ...IDENTITY,
      GIT_ALLOW_PROTOCOL: PROTOCOLS,
      GIT_TERMINAL_PROMPT: '0',
      GIT_NO_REPLACE_OBJECTS: '1',
      GIT_LITERAL_PATHSPECS: '1',
      LC_ALL: 'C',
      ...own,
    },
    input: typeof input === 'string' ? Buffer.from(input, 'latin1') : input,
    encoding: bytes ? 'latin1' : 'utf8',
    deadlineMs: NETWORK_MS,
  })
  if (ran.error?.code === 'ENOENT') return { out: '', problem: 'git is missing; install it' }
  if (ran.cut !== undefined) return { out: '', problem: 'git did not come to an end' }
  if (ran.code === 0) return { out: ran.out }
  const lines = ran.said.split('\n').filter((line) => /^(?:fatal|error|remote| !)/.test(line))
  const said = redact((lines.length > 0 ? lines : [ran.said]).slice(0, 4).join('; ').trim())
  return { out: ran.out, problem: said || `git ended with code ${ran.code ?? 'none'}` }
}

/** The same, where a failure is the end of it: a sentence that says what was wanted. */
export async function ownGit(doing: string, args: readonly string[], call: OwnGitCall): Promise<string> {
  const { out, problem } = await tryOwnGit(args, call)
  if (problem !== undefined) throw new FleetError(`cannot ${doing}: ${problem}`, 70)
  return out
}
