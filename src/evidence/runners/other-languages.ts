import { join } from 'node:path'
import { argumentsOf, callWord, hasOption, withOptions, withOptionsAfter } from './call.ts'
import type { Runner } from './types.ts'

/** Set through the environment, so that it works inside any script; this report family contains the test files. */
export const pytest: Runner = {
  names: ['pytest'],
  inject: (detected, { folder, env }) => {
    if (hasOption(detected, '--junitxml', '--junit-xml', '--collect-only', '--co')) return undefined
    const own = [`--junitxml=${callWord(join(folder, 'report.xml'))}`, '-o', 'junit_family=xunit1']
    const given = env.PYTEST_ADDOPTS === undefined ? [] : [env.PYTEST_ADDOPTS]
    return {
      command: detected.command,
      env: { PYTEST_ADDOPTS: [...given, ...own].join(' ') },
      reports: { in: 'folder', ending: '.xml' },
    }
  },
}

/** unittest writes no report; with --verbose it prints every test by name. */
export const unittest: Runner = {
  names: ['unittest'],
  inject: (detected) => {
    const django = argumentsOf(detected).some((word) => word.endsWith('manage.py'))
    if (hasOption(detected, '-v', '--verbose', '-q', '--quiet', '--verbosity')) return undefined
    const command = withOptions(detected, django ? ['--verbosity=2'] : ['-v'])
    return command === undefined ? undefined : { command, reports: { in: 'output' } }
  },
}

/** The stream of events replaces the printed lines, and contains them. */
export const go: Runner = {
  names: ['go'],
  inject: (detected) => {
    if (detected.behind !== undefined || hasOption(detected, '-json', '-c', '-exec')) return undefined
    const command = withOptionsAfter(detected.command, 'go', 'test', ['-json'])
    return command === undefined || /\bgotestsum\b/.test(command) ? undefined : { command, reports: { in: 'output' } }
  },
}

/** Surefire and failsafe always write their reports; the project decides where. */
export const maven: Runner = {
  names: ['maven'],
  inject: ({ command }) => ({
    command,
    reports: { in: 'workspace', places: [/(?:^|\/)target\/(?:surefire|failsafe)-reports\/TEST-[^/]*\.xml$/] },
  }),
}

/** An external init script leaves the project as it is and sends its reports to us. */
export const gradle: Runner = {
  names: ['gradle'],
  inject: (detected, { folder }) => {
    if (hasOption(detected, '--dry-run', '-m', '--init-script', '-I')) return undefined
    const command = withOptions(detected, ['--init-script', join(folder, 'report.gradle')])
    if (command === undefined) return undefined
    return { command, files: { 'report.gradle': gradleScript(folder) }, reports: { in: 'folder', ending: '.xml' } }
  },
}

/** Old and new versions use different names for the same thing. Up-to-date tests run all the same. */
const gradleScript = (folder: string) => `allprojects {
  tasks.withType(Test) { task ->
    task.outputs.upToDateWhen { false }
    def place = new File(${JSON.stringify(folder)}, task.path.replaceAll('[^A-Za-z0-9]', '_'))
    def xml = task.reports.junitXml
    if (xml.hasProperty('outputLocation')) {
      xml.required.set(true)
      xml.outputLocation.set(place)
    } else {
      xml.enabled = true
      xml.destination = place
    }
  }
}
`

/** The newer test platform has other options and rejects these. */
const NEWER_DOTNET =
  /Microsoft\.Testing\.Platform|TestingPlatformDotnetTestSupport|EnableMSTestRunner|UseMicrosoftTestingPlatformRunner/

export const dotnet: Runner = {
  names: ['dotnet'],
  inject: (detected, { folder, read }) => {
    const settings = ['global.json', 'Directory.Build.props', 'Directory.Packages.props', 'dotnet.config']
    if (settings.some((path) => NEWER_DOTNET.test(read(path) ?? ''))) return undefined
    if (hasOption(detected, '--logger', '-l', '--results-directory', '-r', '--list-tests', '-t')) return undefined
    const command = withOptions(detected, ['--logger', 'trx', '--results-directory', folder])
    return command === undefined ? undefined : { command, reports: { in: 'folder', ending: '.trx' } }
  },
}

export const rspec: Runner = {
  names: ['rspec'],
  inject: (detected, { folder, env }) => {
    if (hasOption(detected, '--format', '-f', '--out', '-o', '--dry-run')) return undefined
    const options = ['--format', 'progress', '--format', 'json', '--out', join(folder, 'report.json')]
    const reports = { in: 'folder', ending: '.json' } as const
    const command = withOptions(detected, options)
    if (command !== undefined) return { command, reports }
    // Only the environment gets through rake.
    return {
      command: detected.command,
      env: { SPEC_OPTS: [env.SPEC_OPTS, ...options].filter(Boolean).join(' ') },
      reports,
    }
  },
}

/** PHPUnit, and Pest, which takes the same option. */
export const phpunit: Runner = {
  names: ['phpunit', 'pest'],
  inject: (detected, { folder }) => {
    if (hasOption(detected, '--log-junit', '--list-tests')) return undefined
    const command = withOptions(detected, ['--log-junit', join(folder, 'report.xml')])
    return command === undefined ? undefined : { command, reports: { in: 'folder', ending: '.xml' } }
  },
}

export const bats: Runner = {
  names: ['bats'],
  inject: (detected, { folder }) => {
    if (detected.behind !== undefined) return undefined
    if (hasOption(detected, '--report-formatter', '--output', '-o', '--count', '-c', '--formatter', '-F'))
      return undefined
    const program = argumentsOf(detected).find((word) => /(?:^|\/)bats$/.test(word))
    if (program === undefined) return undefined
    const options = ['--report-formatter', 'junit', '--output', folder]
    const command = withOptionsAfter(` ${detected.command}`, 'bats', program, options)?.trim()
    return command === undefined ? undefined : { command, reports: { in: 'folder', ending: '.xml' } }
  },
}

export const ctest: Runner = {
  names: ['ctest'],
  inject: (detected, { folder }) => {
    if (hasOption(detected, '--output-junit', '-N', '--show-only')) return undefined
    // By default, ctest keeps only the first lines of a program that passed.
    const whole = hasOption(detected, '--test-output-size-passed') ? [] : ['--test-output-size-passed', '1000000']
    const command = withOptions(detected, [...whole, '--output-junit', join(folder, 'report.xml')])
    return command === undefined ? undefined : { command, reports: { in: 'folder', ending: '.xml' } }
  },
}

export const dart: Runner = {
  names: ['dart'],
  inject: (detected, { folder }) => {
    if (hasOption(detected, '--file-reporter', '--machine', '--reporter', '-r')) return undefined
    const command = withOptions(detected, [`--file-reporter=json:${join(folder, 'report.json')}`])
    return command === undefined ? undefined : { command, reports: { in: 'folder', ending: '.json' } }
  },
}
