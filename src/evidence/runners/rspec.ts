import { join } from 'node:path'
import { tells, withOptions } from './call.ts'
import type { Runner } from './types.ts'

export const rspec: Runner = {
  names: ['rspec'],
  inject: (detected, { folder, env }) => {
    if (tells(detected, '--format', '-f', '--out', '-o', '--dry-run')) return undefined
    const options = ['--format', 'progress', '--format', 'json', '--out', join(folder, 'report.json')]
    const reports = { in: 'folder', ending: '.json' } as const
    const command = withOptions(detected, options)
    if (command !== undefined) return { command, reports }
    // Behind rake only the environment arrives.
    return {
      command: detected.command,
      env: { SPEC_OPTS: [env.SPEC_OPTS, ...options].filter(Boolean).join(' ') },
      reports,
    }
  },
}
