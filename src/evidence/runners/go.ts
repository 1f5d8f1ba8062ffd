import { tells, withOptionsBehind } from './call.ts'
import type { Runner } from './types.ts'

/** The stream of events takes the place of the printed lines, and holds them. */
export const go: Runner = {
  names: ['go'],
  inject: (detected) => {
    if (detected.behind !== undefined || tells(detected, '-json', '-c', '-exec')) return undefined
    const command = withOptionsBehind(detected.command, 'go', 'test', ['-json'])
    return command === undefined || /\bgotestsum\b/.test(command) ? undefined : { command, reports: { in: 'output' } }
  },
}
