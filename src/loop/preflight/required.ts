import { CHECK_COUNTS } from '../../core/check-counts.ts'
import type { Config } from '../../core/config.ts'
import { ownPartsOf } from '../../core/own-parts.ts'
import type { PreflightFact } from '../../core/run.ts'
import type { ChecksPolicy } from '../../core/types.ts'
import { CHECKS } from '../../evidence/checks/index.ts'

/** Required checks that can't answer. With one of them, no claim is ever verified. */
export function requiredFacts(
  config: Config,
  { needs = [], documents }: ChecksPolicy,
  hasTests: boolean,
): readonly PreflightFact[] {
  const own = ownPartsOf(config).checks.map(({ name }) => name)
  return needs.flatMap((check): PreflightFact[] => {
    if (own.includes(check) || config.commands[check] !== undefined) return []
    if (!Object.hasOwn(CHECK_COUNTS, check) && !CHECKS.some(({ name }) => name === check))
      return [
        blocking('required', `there is no check "${check}"`, `Remove it from required, or set commands.${check}.`),
      ]
    const { evidence, plan } = config
    switch (check) {
      case 'tests':
        return hasTests ? [] : [blocking('tests', 'no test command found', NO_TESTS)]
      case 'build':
      case 'lint':
      case 'typecheck':
        return [blocking('required', `${check} is required, but has no command`, `Set commands.${check}.`)]
      case 'checklist':
        return plan === undefined
          ? [blocking('plan', 'a plan is required, but there is none', 'Pass --plan FILE.')]
          : []
      case 'artifacts':
        return evidence.artifacts.length > 0
          ? []
          : [blocking('required', 'artifacts is required, but no file is listed', 'Set evidence.artifacts.')]
      case 'documents':
        return evidence.documents || documents !== undefined
          ? []
          : [blocking('required', 'documents is required, but turned off', 'Set evidence.documents to true.')]
      case 'review':
        return evidence.review !== undefined
          ? []
          : [blocking('required', 'review is required, but there is no reviewer', 'Set evidence.review.')]
      default:
        return []
    }
  })
}

const NO_TESTS = 'Pass --test "..." or set commands.test. If the agent writes the first tests, start with --anyway.'

const blocking = (name: string, text: string, remedy: string): PreflightFact => ({
  ...{ name, state: 'bad', text, remedy },
  blocks: true,
})
