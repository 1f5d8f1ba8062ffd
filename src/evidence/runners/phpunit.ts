import { join } from 'node:path'
import { tells, withOptions } from './call.ts'
import type { Runner } from './types.ts'

/** PHPUnit, and Pest, which takes the same option. */
export const phpunit: Runner = {
  names: ['phpunit', 'pest'],
  inject: (detected, { folder }) => {
    if (tells(detected, '--log-junit', '--list-tests')) return undefined
    const command = withOptions(detected, ['--log-junit', join(folder, 'report.xml')])
    return command === undefined ? undefined : { command, reports: { in: 'folder', ending: '.xml' } }
  },
}
