import type { ChecksPolicy } from '../types.ts'

/** What most policies ask: nothing besides the checks that all of them ask, and a plan only where there is one. */
export const commonChecks: ChecksPolicy = { also: [], plan: { required: false, plansOnly: false } }
