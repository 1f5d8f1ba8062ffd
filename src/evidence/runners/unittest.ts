import { tells, withOptions, wordsOf } from './call.ts'
import type { Runner } from './types.ts'

/** unittest writes no report; told to be verbose it prints every test by name. */
export const unittest: Runner = {
  names: ['unittest'],
  inject: (detected) => {
    const django = wordsOf(detected).some((word) => word.endsWith('manage.py'))
    if (tells(detected, '-v', '--verbose', '-q', '--quiet', '--verbosity')) return undefined
    const command = withOptions(detected, django ? ['--verbosity=2'] : ['-v'])
    return command === undefined ? undefined : { command, reports: { in: 'output' } }
  },
}
