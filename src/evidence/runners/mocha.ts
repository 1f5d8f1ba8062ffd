import { join } from 'node:path'
import { tells, withOptions } from './call.ts'
import type { Runner } from './types.ts'

/** mocha has one reporter at a time, so the printed lines give way to the report; the exit code stays. */
export const mocha: Runner = {
  names: ['mocha'],
  inject: (detected, { folder }) => {
    if (tells(detected, '--reporter', '-R', '--reporter-option', '--reporter-options', '-O')) return undefined
    const report = `output=${join(folder, 'report.json')}`
    const command = withOptions(detected, ['--reporter', 'json', '--reporter-option', report])
    return command === undefined ? undefined : { command, reports: { in: 'folder', ending: '.json' } }
  },
}
