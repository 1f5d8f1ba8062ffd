import { join } from 'node:path'
import { tells, withOptions } from './call.ts'
import type { Runner } from './types.ts'

export const playwright: Runner = {
  names: ['playwright'],
  inject: (detected, { folder }) => {
    if (tells(detected, '--reporter', '--list', '--ui', '--debug')) return undefined
    const command = withOptions(detected, ['--reporter=list,json'])
    if (command === undefined) return undefined
    const file = 'report.json'
    // Versions differ in which of these they ask for.
    const env = {
      PLAYWRIGHT_JSON_OUTPUT_FILE: join(folder, file),
      PLAYWRIGHT_JSON_OUTPUT_DIR: folder,
      PLAYWRIGHT_JSON_OUTPUT_NAME: join(folder, file),
    }
    return { command, env, reports: { in: 'folder', ending: '.json' } }
  },
}
