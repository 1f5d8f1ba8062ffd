import { describe, expect, it } from 'vitest'
import { injectReporter } from '../../src/evidence/runners/index.ts'
import type { Detected } from '../../src/evidence/types.ts'

const detected = (runner: string, command: string, behind?: string): Detected => ({
  kind: 'test',
  command,
  cwd: '',
  runner,
  why: 'a row',
  ...(behind !== undefined && { behind }),
})
const inject = (one: Detected, files: Readonly<Record<string, string>> = {}) =>
  injectReporter(one, { folder: '/r', read: (path) => files[path], env: { PATH: '/bin' } })

type Row = readonly [runner: string, command: string, behind: string | undefined, injected: string]
const nodeOptions =
  '--test-reporter=spec --test-reporter-destination=stdout --test-reporter=junit --test-reporter-destination=/r/report.xml'
const vitestOptions = '--reporter=default --reporter=json --outputFile.json=/r/report.json'

const rows: readonly Row[] = [
  ['vitest', 'npx vitest run', undefined, `npx vitest run ${vitestOptions}`],
  ['vitest', 'npm test', 'vitest run', `npm test -- ${vitestOptions}`],
  ['vitest', 'pnpm test', 'tsc --noEmit && vitest run', `pnpm run test ${vitestOptions}`],
  ['vitest', 'yarn run test:unit', 'cross-env A=1 vitest', `yarn run test:unit ${vitestOptions}`],
  ['vitest', 'bun run test', 'vitest run', `bun run test ${vitestOptions}`],
  ['jest', 'npm test', 'jest --ci', 'npm test -- --json --outputFile=/r/report.json'],
  ['jest', 'npm test', 'react-scripts test', 'npm test -- --json --outputFile=/r/report.json'],
  ['mocha', 'npx mocha', undefined, 'npx mocha --reporter json --reporter-option output=/r/report.json'],
  ['node', 'node --test', undefined, `node --test ${nodeOptions}`],
  ['node', 'node --import tsx --test test/*.ts', undefined, `node --import tsx --test ${nodeOptions} test/*.ts`],
  ['playwright', 'npx playwright test', undefined, 'npx playwright test --reporter=list,json'],
  ['bun', 'bun test', undefined, 'bun test --reporter=junit --reporter-outfile=/r/report.xml'],
  ['deno', 'deno test -A src', undefined, 'deno test --junit-path=/r/report.xml -A src'],
  ['pytest', 'uv run pytest', undefined, 'uv run pytest'],
  ['pytest', 'npm run py', 'pytest tests | tee log', 'npm run py'],
  ['unittest', 'python3 -m unittest discover -s tests', undefined, 'python3 -m unittest discover -s tests -v'],
  ['unittest', 'python manage.py test', undefined, 'python manage.py test --verbosity=2'],
  ['go', 'go test ./...', undefined, 'go test -json ./...'],
  ['maven', './mvnw -B test', undefined, './mvnw -B test'],
  ['gradle', './gradlew test', undefined, './gradlew test --init-script /r/report.gradle'],
  ['dotnet', 'dotnet test', undefined, 'dotnet test --logger trx --results-directory /r'],
  ['rspec', 'bundle exec rspec', undefined, 'bundle exec rspec --format progress --format json --out /r/report.json'],
  ['rspec', 'npm run spec', 'rake spec', 'npm run spec'],
  ['phpunit', 'vendor/bin/phpunit', undefined, 'vendor/bin/phpunit --log-junit /r/report.xml'],
  ['phpunit', 'composer run-script test', 'phpunit', 'composer run-script test -- --log-junit /r/report.xml'],
  ['pest', 'vendor/bin/pest', undefined, 'vendor/bin/pest --log-junit /r/report.xml'],
  ['busted', 'busted', undefined, 'busted --output=TAP'],
  ['prove', 'prove -lr t', undefined, 'prove -lr t'],
  ['bats', 'bats -r tests', undefined, 'bats --report-formatter junit --output /r -r tests'],
  [
    'ctest',
    'cmake --build build && ctest --test-dir build',
    undefined,
    'cmake --build build && ctest --test-dir build --test-output-size-passed 1000000 --output-junit /r/report.xml',
  ],
  ['dart', 'flutter test', undefined, 'flutter test --file-reporter=json:/r/report.json'],
]

describe('a reporter is added', () => {
  it.each(rows)('%s: %s (%s)', (runner, command, behind, injected) => {
    expect(inject(detected(runner, command, behind))?.command).toBe(injected)
  })

  it('to a script of node:test by running its own line', () => {
    const files = { 'package.json': '{ "scripts": { "test": "node --test" } }' }
    const injection = inject(detected('node', 'npm test', 'node --test'), files)
    expect(injection?.command).toBe(`export PATH="$PWD/node_modules/.bin:$PATH"; node --test ${nodeOptions}`)
  })

  it('to existing variables', () => {
    const one = detected('pytest', 'pytest')
    const env = { PYTEST_ADDOPTS: '-x' }
    const injection = injectReporter(one, { folder: '/a b', read: () => undefined, env })
    expect(injection?.env?.PYTEST_ADDOPTS).toBe("-x --junitxml='/a b/report.xml' -o junit_family=xunit1")
  })
})

type Left = readonly [why: string, runner: string | undefined, command: string, behind?: string]
const left: readonly Left[] = [
  ['an unknown runner', undefined, 'make test'],
  ['a runner without reports', 'cargo', 'cargo test'],
  ['something runs after the runner', 'vitest', 'npm test', 'vitest run && eslint .'],
  ['the exit code is another one', 'vitest', 'npm test', 'vitest run || true'],
  ['a pipe', 'jest', 'jest | tee log'],
  ['a redirection', 'jest', 'npm test', 'jest > log'],
  ['options end before ours', 'jest', 'npm test', 'jest -- a'],
  ['a script calls a script', 'jest', 'npm test', 'npm run unit'],
  ['a manager with options of its own', 'vitest', 'pnpm -r --if-present run test', 'vitest run'],
  ['the user has a report', 'vitest', 'vitest run --reporter=json --outputFile=own.json'],
  ['the user has a reporter', 'mocha', 'mocha -R spec'],
  ['the user has a reporter', 'node', 'node --test --test-reporter=tap'],
  ['a comment', 'jest', 'jest # all of them'],
  ['in the background', 'jest', 'jest &'],
  ['a substitution', 'jest', 'jest $(cat files)'],
  ['options behind a script belong to the files', 'deno', 'deno task test', 'deno test a.ts'],
]

describe('the command is left alone', () => {
  it.each(left)('%s: %s %s (%s)', (_why, runner, command, behind?: string) => {
    expect(inject(detected(runner ?? 'nobody', command ?? '', behind))).toBeUndefined()
  })

  it('when something runs before a script of node:test', () => {
    const files = { 'package.json': '{ "scripts": { "pretest": "tsc", "test": "node --test" } }' }
    expect(inject(detected('node', 'npm test', 'node --test'), files)).toBeUndefined()
  })

  it('when a .NET project uses the newer test platform', () => {
    const files = { 'global.json': '{ "test": { "runner": "Microsoft.Testing.Platform" } }' }
    expect(inject(detected('dotnet', 'dotnet test'), files)).toBeUndefined()
  })
})
