import type { Evidence } from '../../types.ts'
import { collectGit } from '../git.ts'
import type { Check } from '../types.ts'

export interface GitCheckOptions {
  /** Commit or tree identity at the start of the run; the baseline's tree when absent. */
  readonly runStart?: string
  /** The same at the start of this iteration: for the words only, progress is measured by trees. */
  readonly iterationStart?: string
  /** Paths from the top of the repository, or prefixes that end in `/`, that are our own and not the agent's work. */
  readonly ignore?: readonly string[]
}

/** `changed`: is there any work since the start of the run? `clean`: is nothing uncommitted? */
export function gitCheck(options: GitCheckOptions = {}): Check {
  return {
    name: 'git',
    async collect({ workspace, baseline }): Promise<readonly Evidence[]> {
      const start = options.runStart ?? (baseline?.tree || baseline?.head)
      const ignoring = { ignore: options.ignore ?? [] }
      const { changed, clean } = await collectGit(workspace, start ?? options.iterationStart, ignoring)
      if (options.iterationStart === undefined || start === undefined) return [changed, clean]
      const { changed: lately } = await collectGit(workspace, options.iterationStart, ignoring)
      const words = {
        yes: ' Some of it in this iteration.',
        no: changed.answer === 'yes' ? ' Nothing of it in this iteration.' : '',
        unknown: '',
      }
      return [{ ...changed, detail: changed.detail + words[lately.answer] }, clean]
    },
  }
}
