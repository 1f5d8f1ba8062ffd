const list = (...tests) =>
  `cmake_minimum_required(VERSION 3.10)\nproject(sums NONE)\nenable_testing()\n${tests.map(([name, command]) => `add_test(NAME ${name} COMMAND ${command})\n`).join('')}`
const run = 'cmake -S . -B build > /dev/null && cd build && ctest --output-on-failure --output-junit ../junit.xml'
const python = {
  'test_inner.py':
    'import unittest\n\n\nclass A(unittest.TestCase):\n    def test_one(self):\n        pass\n\n    def test_two(self):\n        self.fail()\n',
}

export default {
  name: 'ctest',
  needs: ['ctest', 'cmake'],
  run,
  reports: { xml: 'junit.xml' },
  cases: {
    passes: {
      files: { 'CMakeLists.txt': list(['adds', 'true'], ['sorts', 'true']) },
      expect: { passed: 2, failed: 0, ok: true },
    },
    fails: {
      files: { 'CMakeLists.txt': list(['adds', 'true'], ['is_wrong', 'false']) },
      expect: { passed: 1, failed: 1, ok: false },
    },
    skips: {
      files: {
        'CMakeLists.txt': `${list(['adds', 'true'], ['divides', 'sh -c "exit 77"'])}set_tests_properties(divides PROPERTIES SKIP_RETURN_CODE 77)\n`,
      },
      expect: { passed: 1, failed: 0, skipped: 1, ok: true },
    },
    'unittest-inside': {
      files: {
        ...python,
        'CMakeLists.txt': list(['adds', 'true'], ['inner', 'python3 -m unittest discover -v ..']),
      },
      expect: { passed: 1, failed: 1, total: 2, ok: false },
    },
    'unittest-inside-verbose': {
      files: { ...python, 'CMakeLists.txt': list(['adds', 'true'], ['prints', 'echo "Ran 5 tests in 0.1s"']) },
      run: 'cmake -S . -B build > /dev/null && cd build && ctest -V',
      reports: {},
      expect: { passed: 2, failed: 0, total: 2, ok: true },
    },
    none: { files: { 'CMakeLists.txt': list() }, reports: {}, expect: { passed: 0, failed: 0, ok: null } },
    missing: {
      files: { 'CMakeLists.txt': list(['adds', 'true'], ['absent', './not-there']) },
      expect: { passed: 1, failed: 1, ok: false },
    },
    'times-out': {
      files: {
        'CMakeLists.txt': `${list(['adds', 'true'], ['slow', 'sleep 60'])}set_tests_properties(slow PROPERTIES TIMEOUT 1)\n`,
      },
      expect: { passed: 1, failed: 1, ok: false },
    },
  },
}
