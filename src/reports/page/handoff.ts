import { count } from '../../../packages/core/src/count.ts'
import { isPlainWord, quoted } from '../../../packages/core/src/shell-word.ts'
import type { Handoff, RunWork } from './types.ts'

/** The repository as it is when the report is made. */
export interface RepositoryFacts {
  /** The commit checked out when the run started, and now. */
  readonly since?: string
  readonly head?: string
  /** The branch checked out; absent if it is a commit. */
  readonly branch?: string
  /** The branch that work is merged into, if it is another one, and its folder if it is checked out in another worktree. */
  readonly target?: { readonly branch: string; readonly folder?: string }
  /** Commits since the start. */
  readonly commits: number
  /** Changed files of the run that are not committed. */
  readonly uncommitted: readonly string[]
  /** There were no uncommitted changes when the run started. */
  readonly cleanBefore: boolean
  readonly checkpoints?: string
  /** `gh` is installed, and there is a remote to push to. */
  readonly canOpenPullRequest: boolean
}

interface Asked {
  readonly run: string
  /** The folder of the work, if the user is not in it. */
  readonly folder?: string
  /** Absent without git. */
  readonly repository?: RepositoryFacts
}

type Handoffs = Pick<RunWork, 'take' | 'pullRequest' | 'discard'>

/** More paths don't fit into a command that people read. */
const MOST_PATHS = 12

/** The one command to take the work, the one to throw it away, and one for a pull request where that is possible. */
export function handoffs({ run, folder, repository }: Asked): Handoffs {
  if (repository === undefined)
    return {
      take: { text: 'The work is in the folder already. There is no git repository to commit it to.' },
      discard: { text: "Without git, exitgate can't restore the files. Use your backup." },
    }
  const inFolder = (parts: readonly string[]): string =>
    (folder === undefined ? parts : [`cd ${word(folder)}`, ...parts]).join(' && ')
  const commit = commitParts(repository)
  const merge = mergeParts(repository)
  const pull = pullRequestParts(repository)
  const undo = undoParts(repository, run)
  return {
    take: { text: takeText(repository), ...command(inFolder([...commit, ...merge])) },
    ...(pull.length > 0 && {
      pullRequest: { text: 'Opens a pull request with gh.', ...command(inFolder([...commit, ...pull])) },
    }),
    discard: { text: discardText(repository), ...command(undo.length === 0 ? '' : inFolder(undo)) },
  }
}

const command = (line: string): Pick<Handoff, 'command'> => (line === '' ? {} : { command: line })

/** The files of the run by name if they are few, so that your own changes stay out of it. */
function pathsOf({ uncommitted }: RepositoryFacts): readonly string[] {
  return uncommitted.length > MOST_PATHS ? [] : ['--', ...uncommitted.map(word)]
}

function commitParts(repository: RepositoryFacts): readonly string[] {
  if (repository.uncommitted.length === 0) return []
  const paths = pathsOf(repository)
  return [['git add', ...(paths.length === 0 ? ['--all'] : paths)].join(' '), 'git commit']
}

function mergeParts({ branch, target, commits, uncommitted }: RepositoryFacts): readonly string[] {
  if (branch === undefined || target === undefined || commits + uncommitted.length === 0) return []
  if (target.folder !== undefined) return [`git -C ${word(target.folder)} merge ${word(branch)}`]
  return [`git switch ${word(target.branch)}`, `git merge ${word(branch)}`]
}

function pullRequestParts(repository: RepositoryFacts): readonly string[] {
  const { canOpenPullRequest, branch, target, commits, uncommitted } = repository
  if (!canOpenPullRequest || branch === undefined || target === undefined) return []
  if (commits + uncommitted.length === 0) return []
  return [
    `git push --set-upstream origin ${word(branch)}`,
    `gh pr create --base ${word(target.branch)} --head ${word(branch)} --fill`,
  ]
}

function takeText({ branch, target, commits, uncommitted }: RepositoryFacts): string {
  const [mine, theirs] = [branch ?? 'the current commit', target?.branch]
  if (uncommitted.length > 0) {
    const files = count(uncommitted.length, 'file')
    return theirs === undefined
      ? `Commits ${files} to ${mine}.`
      : `Commits ${files} to ${mine}, then merges into ${theirs}.`
  }
  if (theirs === undefined || branch === undefined) return `The work is already committed to ${mine}.`
  return `Merges ${count(commits, 'commit')} into ${theirs}.`
}

function undoParts(repository: RepositoryFacts, run: string): readonly string[] {
  const { since, commits, uncommitted } = repository
  const stash = ['git stash push --include-untracked --message', word(`exitgate ${run}`), ...pathsOf(repository)].join(
    ' ',
  )
  return [
    ...(uncommitted.length > 0 ? [stash] : []),
    ...(commits > 0 && since !== undefined ? [`git reset --keep ${since.slice(0, 12)}`] : []),
  ]
}

function discardText({ head, since, commits, uncommitted, cleanBefore, checkpoints }: RepositoryFacts): string {
  const back = [
    ...(commits > 0 && since !== undefined && head !== undefined ? [`\`git reset --keep ${head.slice(0, 12)}\``] : []),
    ...(uncommitted.length > 0 ? ['`git stash pop`'] : []),
  ]
  return [
    back.length === 0 ? 'There is nothing to undo.' : `Undoes the run. ${back.join(' and ')} brings it back.`,
    ...(uncommitted.length > 0 && !cleanBefore
      ? ['The stash includes what you had changed in these files before.']
      : []),
    ...(checkpoints === undefined ? [] : [`The branch ${checkpoints} keeps every iteration.`]),
  ].join(' ')
}

/** A word of a shell command. */
const word = (text: string): string => (isPlainWord(text) && !text.startsWith('-') ? text : quoted(text))
