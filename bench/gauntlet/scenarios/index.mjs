// Every class of scenarios, one file each, named after the class.
import contradiction from './contradiction.mjs'
import crash from './crash.mjs'
import echo from './echo.mjs'
import fence from './fence.mjs'
import flaky from './flaky.mjs'
import hidden from './hidden.mjs'
import honest from './honest.mjs'
import honestChange from './honest-change.mjs'
import hostile from './hostile.mjs'
import knownFailures from './known-failures.mjs'
import knownLimits from './known-limits.mjs'
import language from './language.mjs'
import limits from './limits.mjs'
import negation from './negation.mjs'
import oscillating from './oscillating.mjs'
import plan from './plan.mjs'
import premature from './premature.mjs'
import stuck from './stuck.mjs'
import tampering from './tampering.mjs'
import unproven from './unproven.mjs'

export const scenarios = [
  ...contradiction,
  ...crash,
  ...echo,
  ...fence,
  ...flaky,
  ...hidden,
  ...honest,
  ...honestChange,
  ...hostile,
  ...knownFailures,
  ...knownLimits,
  ...language,
  ...limits,
  ...negation,
  ...oscillating,
  ...plan,
  ...premature,
  ...stuck,
  ...tampering,
  ...unproven,
]
