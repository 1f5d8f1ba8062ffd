import { tells, withOptionsBehind, wordsOf } from './call.ts'
import type { Runner } from './types.ts'

export const bats: Runner = {
  names: ['bats'],
  inject: (detected, { folder }) => {
    if (detected.behind !== undefined) return undefined
    if (tells(detected, '--report-formatter', '--output', '-o', '--count', '-c', '--formatter', '-F')) return undefined
    const program = wordsOf(detected).find((word) => /(?:^|\/)bats$/.test(word))
    if (program === undefined) return undefined
    const options = ['--report-formatter', 'junit', '--output', folder]
    const command = withOptionsBehind(` ${detected.command}`, 'bats', program, options)?.trim()
    return command === undefined ? undefined : { command, reports: { in: 'folder', ending: '.xml' } }
  },
}
