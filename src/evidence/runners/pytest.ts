import { join } from 'node:path'
import { quoted, tells } from './call.ts'
import type { Runner } from './types.ts'

/** Through the environment, so that it arrives behind any script; this family names the files of the tests. */
export const pytest: Runner = {
  names: ['pytest'],
  inject: (detected, { folder, env }) => {
    if (tells(detected, '--junitxml', '--junit-xml', '--collect-only', '--co')) return undefined
    const own = [`--junitxml=${quoted(join(folder, 'report.xml'))}`, '-o', 'junit_family=xunit1']
    const given = env.PYTEST_ADDOPTS === undefined ? [] : [env.PYTEST_ADDOPTS]
    return {
      command: detected.command,
      env: { PYTEST_ADDOPTS: [...given, ...own].join(' ') },
      reports: { in: 'folder', ending: '.xml' },
    }
  },
}
