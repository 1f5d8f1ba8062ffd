import { join } from 'node:path'
import { tells, withOptions } from './call.ts'
import type { Runner } from './types.ts'

export const dart: Runner = {
  names: ['dart'],
  inject: (detected, { folder }) => {
    if (tells(detected, '--file-reporter', '--machine', '--reporter', '-r')) return undefined
    const command = withOptions(detected, [`--file-reporter=json:${join(folder, 'report.json')}`])
    return command === undefined ? undefined : { command, reports: { in: 'folder', ending: '.json' } }
  },
}
