import { type Detector, join } from './project.ts'

const FOLDERS = ['build', 'out', 'cmake-build-debug', 'cmake-build-release', '_build']

/** ctest in the folder that was configured before; else in one that is configured now. */
export const cmake: Detector = (project) =>
  project.roots(/^CMakeLists\.txt$/).flatMap((cwd) => {
    const text = project.read(join(cwd, 'CMakeLists.txt')) ?? ''
    if (
      !/\b(?:enable_testing|add_test|gtest_discover_tests|catch_discover_tests)\s*\(|include\s*\(\s*CTest/i.test(text)
    )
      return []
    const ready = FOLDERS.find((name) => project.read(join(cwd, `${name}/CMakeCache.txt`)) !== undefined)
    const folder = ready ?? 'build'
    const build = `${ready === undefined ? `cmake -S . -B ${folder} && ` : ''}cmake --build ${folder}`
    const why = `${join(cwd, 'CMakeLists.txt')} declares tests${ready === undefined ? '' : `, and ${folder} is configured`}`
    const command = `${build} && ctest --test-dir ${folder} --output-on-failure`
    return [
      { kind: 'test', command, cwd, runner: 'ctest', why },
      { kind: 'build', command: build, cwd, why },
    ]
  })
