import { join } from 'node:path'
import { tells, withOptionsBehind } from './call.ts'
import type { Runner } from './types.ts'

/** Options that stand behind a file belong to the file. */
export const deno: Runner = {
  names: ['deno'],
  inject: (detected, { folder }) => {
    if (detected.behind !== undefined || tells(detected, '--junit-path', '--reporter', '--no-run')) return undefined
    const command = withOptionsBehind(detected.command, 'deno', 'test', [`--junit-path=${join(folder, 'report.xml')}`])
    return command === undefined ? undefined : { command, reports: { in: 'folder', ending: '.xml' } }
  },
}
