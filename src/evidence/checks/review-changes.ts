import { diffOfFiles } from '../../../packages/exitgate/src/tree/line-diff.ts'
import type { Baseline, Workspace } from '../types.ts'
import { diffSince } from '../work-diff.ts'

/** What there is to review. */
export interface Changes {
  readonly files: readonly string[]
  readonly diff: string
  /** Number of diff characters that were left out. */
  readonly cut: number
}

const FILE_CHARACTERS = 60_000
/** Not worth reading line by line, and long enough to crowd out the rest. */
const GENERATED =
  /(?:^|\/)(?:package-lock\.json|npm-shrinkwrap\.json|yarn\.lock|pnpm-lock\.yaml|bun\.lockb?|Cargo\.lock|poetry\.lock|uv\.lock|Gemfile\.lock|composer\.lock|go\.sum)$|\.min\.(?:js|css)$|\.snap$|\.map$/
const GENERATED_CHARACTERS = 2_000

/**
 * The work of the run as a unified diff, or a sentence if there is nothing to show. With a baseline it is made from the files
 * themselves, because the agent can write git attributes and settings that hide differences.
 */
export async function changesOf(
  workspace: Workspace,
  baseline: Baseline | undefined,
  maxCharacters: number,
): Promise<Changes | string> {
  const parts = baseline === undefined ? await fromGit(workspace) : await fromBaseline(workspace, baseline)
  if (parts === undefined) return 'There is neither a baseline nor a repository to compare with.'
  if (parts.length === 0) return 'No files have changed, so there is nothing to review.'
  const ordered = [...parts].sort((a, b) => Number(GENERATED.test(a.file)) - Number(GENERATED.test(b.file)))
  let diff = ''
  let cut = 0
  for (const { file, text } of ordered) {
    const limit = GENERATED.test(file) ? GENERATED_CHARACTERS : FILE_CHARACTERS
    const room = Math.max(0, Math.min(limit, maxCharacters - diff.length))
    if (text.length <= room) diff += text
    else {
      cut += text.length - room
      diff += `${text.slice(0, room)}\n[${text.length - room} characters of ${file} left out]\n`
    }
  }
  return { files: parts.map(({ file }) => file), diff, cut }
}

interface Part {
  readonly file: string
  readonly text: string
}

async function fromBaseline(workspace: Workspace, baseline: Baseline): Promise<readonly Part[]> {
  return (await diffSince(baseline, workspace)).map(({ path, status, hunks, why }) => {
    const names = `--- ${status === 'added' ? '/dev/null' : `a/${path}`}\n+++ ${status === 'deleted' ? '/dev/null' : `b/${path}`}\n`
    return { file: path, text: names + (hunks ?? `[not shown: ${why}]\n`) }
  })
}

interface FileDiff {
  readonly diff: string
  /** Lines; absent if there is nothing to compare. */
  readonly added?: number
  readonly removed?: number
}

/** The unified diff of one file, with its names. */
export function fileDiff(file: string, was: boolean, is: boolean, before?: string, after?: string): FileDiff {
  const names = `--- ${was ? `a/${file}` : '/dev/null'}\n+++ ${is ? `b/${file}` : '/dev/null'}\n`
  if (before === undefined || after === undefined)
    return { diff: `${names}[not shown: binary, too large or not kept]\n` }
  const body = diffOfFiles(before, after)
  const count = (sign: RegExp): number => body.match(sign)?.length ?? 0
  const shown = body === '' ? '[only line endings, mode or file type differ]\n' : body
  return { diff: names + shown, added: count(/^\+/gm), removed: count(/^-/gm) }
}

async function fromGit(workspace: Workspace): Promise<readonly Part[] | undefined> {
  const plain = ['--no-ext-diff', '--no-textconv', '--no-color', '--no-renames', '--text']
  const names = await workspace.git(['diff', '--name-only', '-z', '--no-renames', 'HEAD'])
  const added = await workspace.git(['ls-files', '-z', '--others', '--exclude-standard'])
  if (names === undefined) return undefined
  const list = (out: string | undefined) => (out ?? '').split('\0').filter((file) => file !== '')
  const tracked = await Promise.all(
    list(names).map(async (file) => ({
      file,
      text: (await workspace.git(['diff', ...plain, 'HEAD', '--', file])) ?? '',
    })),
  )
  const untracked = list(added).map((file) => ({
    file,
    text: fileDiff(file, false, true, '', workspace.read(file)).diff,
  }))
  return [...tracked, ...untracked]
}
