const main = '#define CATCH_CONFIG_MAIN\n#include <catch2/catch.hpp>\n'
const build = 'g++ -std=c++14 -O0 -o tests main.cpp && ./tests'

export default {
  name: 'catch2',
  needs: ['g++'],
  prepare: 'test -f /usr/include/catch2/catch.hpp',
  run: `${build} --reporter console`,
  cases: {
    passes: {
      files: {
        'main.cpp': `${main}TEST_CASE("adds") { REQUIRE(1 + 1 == 2); }\nTEST_CASE("greets") { REQUIRE(true); }\n`,
      },
      expect: { passed: 2, failed: 0, ok: true },
    },
    fails: {
      files: {
        'main.cpp': `${main}TEST_CASE("adds") { REQUIRE(1 + 1 == 2); }\nTEST_CASE("wrong") { REQUIRE(1 == 2); }\n`,
      },
      run: `${build}; ./tests --reporter junit > junit.xml`,
      reports: { xml: 'junit.xml' },
      expect: { passed: 1, failed: 1, ok: false },
    },
    none: { files: { 'main.cpp': main }, expect: { passed: 0, failed: 0, ok: null } },
  },
}
