const build =
  "apply plugin: 'java'\ndependencies { testCompile files('/usr/share/java/junit4.jar', '/usr/share/java/hamcrest-core.jar') }\n"
const test = (name, body) => `import static org.junit.Assert.*;
import org.junit.*;

public class ${name} {
${body}}
`
const green = {
  'build.gradle': build,
  'src/test/java/SumsTest.java': test(
    'SumsTest',
    '  @Test public void adds() { assertEquals(2, 1 + 1); }\n  @Ignore @Test public void divides() {}\n',
  ),
}
const logged = `${build}test { testLogging { events 'passed', 'skipped', 'failed' } }\n`

export default {
  name: 'gradle',
  needs: ['gradle', 'javac'],
  run: 'gradle --offline --no-daemon --console=plain test',
  reports: { xml: 'build/test-results/test/TEST-*.xml' },
  cases: {
    passes: { files: green, expect: { ok: null }, expectReport: { passed: 1, failed: 0, skipped: 1, ok: true } },
    logs: {
      files: { ...green, 'build.gradle': logged },
      reports: {},
      expect: { passed: 1, failed: 0, skipped: 1, ok: true },
    },
    fails: {
      files: {
        ...green,
        'src/test/java/OtherTest.java': test('OtherTest', '  @Test public void wrong() { assertEquals(1, 2); }\n'),
      },
      reports: {},
      expect: { passed: 1, failed: 1, skipped: 1, ok: false },
    },
    none: { files: { 'build.gradle': build }, reports: {}, expect: { passed: 0, failed: 0, ok: null } },
    unbuilt: {
      files: {
        ...green,
        'src/test/java/BrokenTest.java': test('BrokenTest', '  @Test public void broken() { notThere(); }\n'),
      },
      reports: {},
      expect: { ok: false },
    },
  },
}
