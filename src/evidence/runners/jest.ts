import { join } from 'node:path'
import { tells, withOptions } from './call.ts'
import type { Runner } from './types.ts'

export const jest: Runner = {
  names: ['jest'],
  inject: (detected, { folder }) => {
    if (tells(detected, '--json', '--outputFile', '--listTests', '--showConfig')) return undefined
    const command = withOptions(detected, ['--json', `--outputFile=${join(folder, 'report.json')}`])
    return command === undefined ? undefined : { command, reports: { in: 'folder', ending: '.json' } }
  },
}
