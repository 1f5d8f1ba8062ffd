import { join } from 'node:path'
import { tells, withOptions } from './call.ts'
import type { Runner } from './types.ts'

export const bun: Runner = {
  names: ['bun'],
  inject: (detected, { folder }) => {
    if (tells(detected, '--reporter', '--reporter-outfile', '--watch')) return undefined
    const command = withOptions(detected, ['--reporter=junit', `--reporter-outfile=${join(folder, 'report.xml')}`])
    return command === undefined ? undefined : { command, reports: { in: 'folder', ending: '.xml' } }
  },
}
