import { BaseSequencer } from 'vitest/node'

/** The slowest files, slowest first, so that none of them is the last one to start in a fresh clone, where no duration is known. */
const SLOWEST = [
  'docs.test.ts',
  'fleet/worker.test.ts',
  'fleet/cli.test.ts',
  'integrations/hook-conformance.test.ts',
  'evidence/clean-room.test.ts',
  'cli/doctor-proofs.test.ts',
  'integrations/ci.test.ts',
  'integrations/hook-answers.test.ts',
  'e2e/evidence.test.ts',
  'e2e/hostile-output.test.ts',
  'e2e/plan-prompt.test.ts',
  'loop/agent-end.test.ts',
  'cli/references.test.ts',
]

/**
 * Starts the longest files first. vitest ends a shared worker as soon as the next file is one that runs alone, so those come before
 * all others.
 */
export class LongestFirst extends BaseSequencer {
  async sort(files) {
    const rank = ({ moduleId, project }) => {
      const slow = SLOWEST.findIndex((name) => moduleId.endsWith(`/tests/${name}`))
      return (project.config.isolate ? 0 : SLOWEST.length + 1) + (slow < 0 ? SLOWEST.length : slow)
    }
    return (await super.sort(files)).sort((a, b) => rank(a) - rank(b))
  }
}
