import type { Runner } from './types.ts'

/** Surefire and failsafe always write their reports; where they do is part of the project. */
export const maven: Runner = {
  names: ['maven'],
  inject: ({ command }) => ({
    command,
    reports: { in: 'workspace', places: [/(?:^|\/)target\/(?:surefire|failsafe)-reports\/TEST-[^/]*\.xml$/] },
  }),
}
