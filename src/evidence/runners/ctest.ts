import { join } from 'node:path'
import { tells, withOptions } from './call.ts'
import type { Runner } from './types.ts'

export const ctest: Runner = {
  names: ['ctest'],
  inject: (detected, { folder }) => {
    if (tells(detected, '--output-junit', '-N', '--show-only')) return undefined
    const command = withOptions(detected, ['--output-junit', join(folder, 'report.xml')])
    return command === undefined ? undefined : { command, reports: { in: 'folder', ending: '.xml' } }
  },
}
