import { cmakeSetup, readBelow } from '../../../packages/exitgate/src/frameworks/configured-builds.ts'
import type { Detected } from '../types.ts'
import { below, type Detector, join, type Project } from './project.ts'

/** The modules that go.work lists; without it, every go.mod nearest to the top. */
export const go: Detector = (project) => {
  const work = project.read('go.work')
  const places = work === undefined ? project.roots(/^go\.mod$/) : ['']
  return places.flatMap((cwd) => {
    const file = work === undefined ? join(cwd, 'go.mod') : 'go.work'
    const modules = work === undefined ? ['./...'] : goModules(work).map((module) => `${module}/...`)
    const all = modules.join(' ') || './...'
    const why = `found ${file}`
    return [
      { kind: 'test', command: `go test ${all}`, cwd, runner: 'go', why: why + noteWithoutGoTests(project, cwd) },
      { kind: 'build', command: `go build ${all}`, cwd, why },
      goLinter(project, cwd, all, why),
    ]
  })
}

const noteWithoutGoTests = (project: Project, folder: string) =>
  project.files.some((path) => path.startsWith(folder) && path.endsWith('_test.go')) ? '' : ', no tests so far'

function goLinter(project: Project, cwd: string, all: string, why: string) {
  const settings = ['.golangci.yml', '.golangci.yaml', '.golangci.toml', '.golangci.json']
  const own = settings.find((name) => project.has(join(cwd, name)))
  if (own === undefined) return { kind: 'lint', command: `go vet ${all}`, cwd, why } as const
  return { kind: 'lint', command: 'golangci-lint run', cwd, why: `found ${join(cwd, own)}` } as const
}

/** `use ./a` and `use ( ./a ./b )`. */
function goModules(work: string): readonly string[] {
  const text = work.replace(/\/\/[^\n]*/g, '')
  const blocks = [...text.matchAll(/^\s*use\s*\(([^)]*)\)/gm)].flatMap(([, inner]) => inner!.trim().split(/\s+/))
  const single = [...text.matchAll(/^\s*use\s+([^\s(]+)/gm)].map(([, name]) => name!)
  const names = [...blocks, ...single].map((name) => name.replace(/^"|"$/g, '').replace(/\/$/, ''))
  return names.filter((name) => name !== '').map((name) => (/^[.]/.test(name) ? name : `./${name}`))
}

/** Cargo, with nextest if it is configured. */
export const rust: Detector = (project) =>
  project.roots(/^Cargo\.toml$/).flatMap((cwd) => {
    const file = join(cwd, 'Cargo.toml')
    const text = project.read(file) ?? ''
    const workspace = /^\[workspace\]/m.test(text) ? ' --workspace' : ''
    const why = workspace === '' ? `found ${file}` : `${file} is a workspace`
    const settings = join(cwd, '.config/nextest.toml')
    const nextest = project.has(settings)
    const lints = ['clippy.toml', '.clippy.toml'].some((name) => project.has(join(cwd, name)))
    return [
      nextest
        ? {
            kind: 'test',
            command: `cargo nextest run${workspace}`,
            cwd,
            runner: 'nextest',
            why: `found ${settings}`,
          }
        : { kind: 'test', command: `cargo test${workspace}`, cwd, runner: 'cargo', why },
      { kind: 'build', command: `cargo build${workspace} --all-targets`, cwd, why },
      ...(lints || /^\[(?:workspace\.)?lints/m.test(text)
        ? [
            {
              kind: 'lint',
              command: `cargo clippy${workspace} --all-targets`,
              cwd,
              why: 'clippy is configured here',
            } as const,
          ]
        : []),
    ]
  })

export const maven: Detector = (project) =>
  project.roots(/^pom\.xml$/).flatMap((cwd): readonly Detected[] => {
    const mvn = wrapperOr(project, cwd, 'mvnw', 'mvn', 'mvnw.cmd')
    const why = `found ${join(cwd, 'pom.xml')}${mvn === 'mvn' ? '' : ' with its wrapper'}`
    return [
      { kind: 'test', command: `${mvn} -B test`, cwd, runner: 'maven', why },
      { kind: 'build', command: `${mvn} -B -DskipTests package`, cwd, why },
    ]
  })

export const gradle: Detector = (project) =>
  project.roots(/^(?:build|settings)\.gradle(?:\.kts)?$/).flatMap((cwd): readonly Detected[] => {
    const gradlew = wrapperOr(project, cwd, 'gradlew', 'gradle', 'gradlew.bat')
    const names = ['build.gradle', 'build.gradle.kts', 'settings.gradle', 'settings.gradle.kts']
    const file = names.map((name) => join(cwd, name)).find((path) => project.has(path))
    const why = `found ${file}${gradlew === 'gradle' ? '' : ' with its wrapper'}`
    return [
      { kind: 'test', command: `${gradlew} test`, cwd, runner: 'gradle', why },
      { kind: 'build', command: `${gradlew} assemble`, cwd, why },
    ]
  })

/** The wrapper in the folder, which brings the right version; without one, the installed program. */
function wrapperOr(project: Project, folder: string, wrapper: string, program: string, windows: string): string {
  if (!project.has(join(folder, wrapper))) return program
  return project.platform === 'win32' ? windows : `./${wrapper}`
}

/** A solution; without one, the projects nearest to the top. Several in one folder must be named. */
export const dotnet: Detector = (project) => {
  const solutions = project.roots(/\.slnx?$/)
  const places = solutions.length > 0 ? solutions : project.roots(/\.(?:cs|fs|vb)proj$/)
  const kind = solutions.length > 0 ? /^[^/]+\.slnx?$/ : /^[^/]+\.(?:cs|fs|vb)proj$/
  return places.flatMap((cwd): readonly Detected[] => {
    const files = below(project, cwd).filter((path) => kind.test(path))
    const tests = files.length > 1 ? files.filter((path) => /tests?\./i.test(path)) : files
    const named = (tests.length > 0 ? tests : files).slice(0, 1)
    const argument = files.length > 1 ? ` ${quoted(named[0]!)}` : ''
    const why = `found ${join(cwd, named[0]!)}`
    return [
      { kind: 'test', command: `dotnet test${argument}`, cwd, runner: 'dotnet', why },
      { kind: 'build', command: `dotnet build${argument}`, cwd, why },
    ]
  })
}

const quoted = (name: string) => (/^[\w.-]+$/.test(name) ? name : `"${name}"`)

const CMAKE_FOLDERS = ['build', 'out', 'cmake-build-debug', 'cmake-build-release', '_build']

/** ctest in the folder that was already configured, if there is one. Configuring it again changes nothing. */
export const cmake: Detector = (project) =>
  project.roots(/^CMakeLists\.txt$/).flatMap((cwd) => {
    const text = project.read(join(cwd, 'CMakeLists.txt')) ?? ''
    if (
      !/\b(?:enable_testing|add_test|gtest_discover_tests|catch_discover_tests)\s*\(|include\s*\(\s*CTest/i.test(text)
    )
      return []
    const ready = CMAKE_FOLDERS.find((name) => project.read(join(cwd, `${name}/CMakeCache.txt`)) !== undefined)
    const folder = ready ?? 'build'
    const lists = below(project, cwd).filter((path) => /(?:^|\/)CMakeLists\.txt$/.test(path))
    const build = `${cmakeSetup(readBelow(project, cwd), lists, folder)} && cmake --build ${folder}`
    const why = `${join(cwd, 'CMakeLists.txt')} declares tests${ready === undefined ? '' : `, already configured in ${folder}`}`
    const command = `${build} && ctest --test-dir ${folder} --output-on-failure`
    return [
      { kind: 'test', command, cwd, runner: 'ctest', why },
      { kind: 'build', command: build, cwd, why },
    ]
  })
