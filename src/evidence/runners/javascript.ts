import { join } from 'node:path'
import { callWord, hasOption, withOptions, withOptionsAfter } from './call.ts'
import type { Runner, RunnerContext } from './types.ts'

export const vitest: Runner = {
  names: ['vitest'],
  inject: (detected, { folder }) => {
    if (hasOption(detected, '--outputFile', 'bench', 'list')) return undefined
    const report = `--outputFile.json=${join(folder, 'report.json')}`
    const command = withOptions(detected, ['--reporter=default', '--reporter=json', report])
    return command === undefined ? undefined : { command, reports: { in: 'folder', ending: '.json' } }
  },
}

export const jest: Runner = {
  names: ['jest'],
  inject: (detected, { folder }) => {
    if (hasOption(detected, '--json', '--outputFile', '--listTests', '--showConfig')) return undefined
    const command = withOptions(detected, ['--json', `--outputFile=${join(folder, 'report.json')}`])
    return command === undefined ? undefined : { command, reports: { in: 'folder', ending: '.json' } }
  },
}

/** mocha has one reporter at a time, so the report replaces the printed lines; the exit code stays. */
export const mocha: Runner = {
  names: ['mocha'],
  inject: (detected, { folder }) => {
    if (hasOption(detected, '--reporter', '-R', '--reporter-option', '--reporter-options', '-O')) return undefined
    const report = `output=${join(folder, 'report.json')}`
    const command = withOptions(detected, ['--reporter', 'json', '--reporter-option', report])
    return command === undefined ? undefined : { command, reports: { in: 'folder', ending: '.json' } }
  },
}

/** The options must precede the first file, so they can't be passed on to a script. */
export const node: Runner = {
  names: ['node'],
  inject: (detected, context) => {
    const { behind } = detected
    if (hasOption(detected, '--test-reporter', '--test-reporter-destination', '--watch')) return undefined
    const line = behind === undefined ? detected.command : ownLine(behind, context)
    if (line === undefined) return undefined
    const report = join(context.folder, 'report.xml')
    const edited = withOptionsAfter(line, 'node', '--test', [
      '--test-reporter=spec',
      '--test-reporter-destination=stdout',
      '--test-reporter=junit',
      `--test-reporter-destination=${report}`,
    ])
    if (edited === undefined) return undefined
    // A package manager puts the package's programs on the PATH.
    const only = (detected.only ?? []).map((file) => ` ${callWord(file)}`).join('')
    const command = behind === undefined ? edited : `export PATH="$PWD/node_modules/.bin:$PATH"; ${edited}${only}`
    return { command, reports: { in: 'folder', ending: '.xml' } }
  },
}

/** A script's own line is used only if nothing runs before or after it and npm adds nothing to it. */
function ownLine(script: string, { read }: RunnerContext): string | undefined {
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

export const playwright: Runner = {
  names: ['playwright'],
  inject: (detected, { folder }) => {
    if (hasOption(detected, '--reporter', '--list', '--ui', '--debug')) return undefined
    const command = withOptions(detected, ['--reporter=list,json'])
    if (command === undefined) return undefined
    const file = 'report.json'
    // Versions differ in which of these they read.
    const env = {
      PLAYWRIGHT_JSON_OUTPUT_FILE: join(folder, file),
      PLAYWRIGHT_JSON_OUTPUT_DIR: folder,
      PLAYWRIGHT_JSON_OUTPUT_NAME: join(folder, file),
    }
    return { command, env, reports: { in: 'folder', ending: '.json' } }
  },
}

export const bun: Runner = {
  names: ['bun'],
  inject: (detected, { folder }) => {
    if (hasOption(detected, '--reporter', '--reporter-outfile', '--watch')) return undefined
    const command = withOptions(detected, ['--reporter=junit', `--reporter-outfile=${join(folder, 'report.xml')}`])
    return command === undefined ? undefined : { command, reports: { in: 'folder', ending: '.xml' } }
  },
}

/** Options after a file belong to the file. */
export const deno: Runner = {
  names: ['deno'],
  inject: (detected, { folder }) => {
    if (detected.behind !== undefined || hasOption(detected, '--junit-path', '--reporter', '--no-run')) return undefined
    const command = withOptionsAfter(detected.command, 'deno', 'test', [`--junit-path=${join(folder, 'report.xml')}`])
    return command === undefined ? undefined : { command, reports: { in: 'folder', ending: '.xml' } }
  },
}
