import { join } from 'node:path'
import type { Evidence, Work } from '../../core/types.ts'
import { changedSince } from '../baseline/changed.ts'
import { algorithmOf, contentId } from '../baseline/content-id.ts'
import { idInBaseline } from '../baseline/stored-baseline.ts'
import { type GitSnapshot, gitEvidence, some, takeGitSnapshot } from '../git.ts'
import type { Baseline, Check, Workspace } from '../types.ts'
import type { CheckDefinition } from './definition.ts'

/** A larger change is not recorded, so a later revert of it can't be detected. */
const MOST_FILES = 200

/** What the run did to its files, so that a later check can tell whether it was reverted. */
async function workSince(
  baseline: Baseline,
  workspace: Workspace,
  head: string | undefined,
): Promise<Work | undefined> {
  const changed = await changedSince(baseline, workspace)
  if (changed.length === 0 || changed.length > MOST_FILES) return undefined
  const algorithm = algorithmOf(baseline.head ?? '')
  const files = changed.map((path) => {
    const before = idInBaseline(baseline, path) ?? ''
    return [path, [before, contentId(join(workspace.dir, path), algorithm) ?? '']] as const
  })
  return {
    ...(baseline.head === undefined ? {} : { since: baseline.head }),
    ...(head === undefined ? {} : { head }),
    files: Object.fromEntries(files),
  }
}

export interface GitCheckOptions {
  /** Commit or tree identity at the start of the run; the baseline's tree by default. */
  readonly runStart?: string
  /** The same at the start of this iteration. Only for the text: progress is measured by trees. */
  readonly iterationStart?: string
  /** Our own paths, not the agent's work: from the top of the repository, or prefixes that end in `/`. */
  readonly ignore?: readonly string[]
  /** What git showed when the tree was identified; git runs again if absent. */
  readonly snapshot?: GitSnapshot
}

export const git: CheckDefinition = { name: 'git', checksFor: ({ snapshot }) => [gitCheck({ snapshot })] }

/** `changed`: was any work done since the start of the run? `clean`: is everything committed? */
export function gitCheck(options: GitCheckOptions = {}): Check {
  return {
    name: 'git',
    async collect({ workspace, baseline, claim }): Promise<readonly Evidence[]> {
      const start = options.runStart ?? (baseline?.tree || baseline?.head)
      const snapshot = options.snapshot ?? (await takeGitSnapshot(workspace, { ignore: options.ignore ?? [] }))
      const { changed: seen, clean, head } = await gitEvidence(snapshot, start ?? options.iterationStart)
      if (typeof snapshot.status === 'string' && baseline?.head !== undefined) return [withoutRepository(seen), clean]
      // Only a claim can end the run, and the record is only needed for finished work.
      const needsRecord = claim && baseline !== undefined && seen.answer === 'yes'
      const work = needsRecord ? await workSince(baseline, workspace, head) : undefined
      const changed =
        work === undefined ? seen : { ...seen, detail: `Changed: ${some(Object.keys(work.files))}.`, work }
      if (options.iterationStart === undefined || start === undefined) return [changed, clean]
      const { changed: thisIteration } = await gitEvidence(snapshot, options.iterationStart)
      const words = {
        yes: ' Some of it in this iteration.',
        no: changed.answer === 'yes' ? ' None of it in this iteration.' : '',
        unknown: '',
      }
      return [{ ...changed, detail: changed.detail + words[thisIteration.answer] }, clean]
    },
  }
}

/** If the repository is gone, its history is lost, and this must not look like success. */
const withoutRepository = (changed: Evidence): Evidence => ({
  ...changed,
  answer: 'no',
  detail: `The git repository is gone or unreadable since the start: ${changed.detail}`,
})
