import type { Evidence } from '../../core/types.ts'
import { workSince } from '../baseline/work.ts'
import { type GitLook, gitEvidence, lookAtGit } from '../git.ts'
import type { Check } from '../types.ts'
import type { CheckDefinition } from './definition.ts'

export interface GitCheckOptions {
  /** Commit or tree identity at the start of the run; the baseline's tree when absent. */
  readonly runStart?: string
  /** The same at the start of this iteration: for the words only, progress is measured by trees. */
  readonly iterationStart?: string
  /** Paths from the top of the repository, or prefixes that end in `/`, that are our own and not the agent's work. */
  readonly ignore?: readonly string[]
  /** What git showed when the tree was identified; it is asked anew when absent. */
  readonly look?: GitLook
}

export const git: CheckDefinition = { name: 'git', checksFor: ({ look }) => [gitCheck({ look })] }

/** `changed`: is there any work since the start of the run? `clean`: is nothing uncommitted? */
export function gitCheck(options: GitCheckOptions = {}): Check {
  return {
    name: 'git',
    async collect({ workspace, baseline, claim }): Promise<readonly Evidence[]> {
      const start = options.runStart ?? (baseline?.tree || baseline?.head)
      const look = options.look ?? (await lookAtGit(workspace, { ignore: options.ignore ?? [] }))
      const { changed: seen, clean, head } = await gitEvidence(look, start ?? options.iterationStart)
      if (typeof look.status === 'string' && baseline?.head !== undefined) return [gone(seen), clean]
      // Only a claim may be the end of the run, and only of that will anybody want to know.
      const asked = claim && baseline !== undefined && seen.answer === 'yes'
      const work = asked ? await workSince(baseline, workspace, head) : undefined
      const changed = work === undefined ? seen : { ...seen, work }
      if (options.iterationStart === undefined || start === undefined) return [changed, clean]
      const { changed: lately } = await gitEvidence(look, options.iterationStart)
      const words = {
        yes: ' Some of it in this iteration.',
        no: changed.answer === 'yes' ? ' Nothing of it in this iteration.' : '',
        unknown: '',
      }
      return [{ ...changed, detail: changed.detail + words[lately.answer] }, clean]
    },
  }
}

/** What was under git when the run began and is not any more has lost its history: nobody should be told that all is well. */
const gone = (changed: Evidence): Evidence => ({
  ...changed,
  answer: 'no',
  detail: `The repository that was here at the start is gone, or cannot be read: ${changed.detail}`,
})
