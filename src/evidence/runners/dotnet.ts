import { tells, withOptions } from './call.ts'
import type { Runner } from './types.ts'

/** The newer test platform knows other options, and takes these for a mistake. */
const NEWER =
  /Microsoft\.Testing\.Platform|TestingPlatformDotnetTestSupport|EnableMSTestRunner|UseMicrosoftTestingPlatformRunner/

export const dotnet: Runner = {
  names: ['dotnet'],
  inject: (detected, { folder, read }) => {
    const settings = ['global.json', 'Directory.Build.props', 'Directory.Packages.props', 'dotnet.config']
    if (settings.some((path) => NEWER.test(read(path) ?? ''))) return undefined
    if (tells(detected, '--logger', '-l', '--results-directory', '-r', '--list-tests', '-t')) return undefined
    const command = withOptions(detected, ['--logger', 'trx', '--results-directory', folder])
    return command === undefined ? undefined : { command, reports: { in: 'folder', ending: '.trx' } }
  },
}
