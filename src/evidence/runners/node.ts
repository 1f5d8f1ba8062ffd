import { join } from 'node:path'
import { tells, withOptionsBehind } from './call.ts'
import type { Runner, Surroundings } from './types.ts'

/** A script is run by its own line only when nothing runs before or after it and npm tells it nothing. */
function ownLine(script: string, { read }: Surroundings): string | undefined {
  if (/npm_|INIT_CWD/.test(script) || process.platform === 'win32') return undefined
  try {
    const { scripts } = JSON.parse(read('package.json') ?? '') as { scripts?: Record<string, string> }
    const name = Object.entries(scripts ?? {}).find(([, line]) => line === script)?.[0]
    if (name === undefined || scripts?.[`pre${name}`] !== undefined || scripts?.[`post${name}`] !== undefined)
      return undefined
    return script
  } catch {
    return undefined
  }
}

/** The options must stand before the first file, so that they cannot be handed on behind a script. */
export const node: Runner = {
  names: ['node'],
  inject: (detected, surroundings) => {
    const { behind } = detected
    if (tells(detected, '--test-reporter', '--test-reporter-destination', '--watch')) return undefined
    const line = behind === undefined ? detected.command : ownLine(behind, surroundings)
    if (line === undefined) return undefined
    const report = join(surroundings.folder, 'report.xml')
    const edited = withOptionsBehind(line, 'node', '--test', [
      '--test-reporter=spec',
      '--test-reporter-destination=stdout',
      '--test-reporter=junit',
      `--test-reporter-destination=${report}`,
    ])
    if (edited === undefined) return undefined
    // A package manager puts the programs of the package on the path.
    const command = behind === undefined ? edited : `export PATH="$PWD/node_modules/.bin:$PATH"; ${edited}`
    return { command, reports: { in: 'folder', ending: '.xml' } }
  },
}
