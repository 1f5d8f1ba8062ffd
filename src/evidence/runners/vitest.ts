import { join } from 'node:path'
import { tells, withOptions } from './call.ts'
import type { Runner } from './types.ts'

export const vitest: Runner = {
  names: ['vitest'],
  inject: (detected, { folder }) => {
    if (tells(detected, '--outputFile', 'bench', 'list')) return undefined
    const report = `--outputFile.json=${join(folder, 'report.json')}`
    const command = withOptions(detected, ['--reporter=default', '--reporter=json', report])
    return command === undefined ? undefined : { command, reports: { in: 'folder', ending: '.json' } }
  },
}
