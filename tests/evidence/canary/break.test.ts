import { describe, expect, it } from 'vitest'
import { type BrokenFiles, judgeBroken } from '../../../packages/exitgate/src/checks/broken.ts'
import type { TestCase, TestRun } from '../../../packages/test-output/src/types.ts'
import type { Strength } from '../../../src/evidence/canary/break-test.ts'
import { brokenFiles } from '../../../src/evidence/canary/choose.ts'
import { suspectsIn } from '../../../src/evidence/canary/suspects.ts'
import { withGrammars } from '../../../src/evidence/syntax/parse.ts'

const run = (tests: readonly TestCase[], more: Partial<TestRun> = {}): TestRun => {
  const those = (state: string) => tests.filter((test) => test.state === state).length
  const failed = those('failed')
  return {
    passed: those('passed'),
    failed,
    skipped: those('skipped'),
    total: tests.length,
    ok: failed === 0,
    framework: 'x',
    tests,
    ...more,
  }
}

/** The text with every test broken, always with the same random numbers. */
const broken = async (path: string, text: string, strength: Strength = 'everything'): Promise<string | undefined> => {
  const input = { files: [path], read: () => text, now: run([]), before: undefined, isFresh: () => false }
  const { files } = await withGrammars(() => brokenFiles({ ...input, strength, random: () => 0, mostFiles: 5 }))
  return files[0]?.text
}

describe('a broken test', () => {
  const rows: [name: string, path: string, before: string, after: string | undefined][] = [
    [
      'gets another expected value, another result, and wrong assertions of its kind',
      'a.test.js',
      "test('a', () => {\n  assert.equal(add(1), 25)\n})\n",
      "test('a', () => {\n  { let aaaaa = 0; try { assert.equal(add(1), 20); } catch { aaaaa++; } try { assert.equal(20, 25); } catch { aaaaa++; } try { assert.equal('aaaaa', 'aaaaaz'); } catch { aaaaa++; } if (aaaaa == 3) { throw new Error('aaaaa'); } }\n})\n",
    ],
    [
      'in an object, only a value is changed',
      'a.test.js',
      "test('a', () => { t.deepEqual(f(), { a: { b: 7 } }) })\n",
      "test('a', () => { { let aaaaa = 0; try { t.deepEqual(f(), { a: { b: 0 } }); } catch { aaaaa++; } if (aaaaa == 1) { throw new Error('aaaaa'); } } })\n",
    ],
    [
      'without a block gets one',
      'a.test.js',
      "it('a', async () => expect(await f()).toBe('x'))\n",
      "it('a', async () => { let aaaaa = 0; try { expect(await f()).toBe('xaaaaa'); } catch { aaaaa++; } try { expect('xaaaaa').toBe('x'); } catch { aaaaa++; } try { expect('aaaaa').toBe('aaaaaz'); } catch { aaaaa++; } if (aaaaa == 3) { throw new Error('aaaaa'); } })\n",
    ],
    [
      'that may leave early fails at its start',
      'a.test.js',
      "it('a', () => {\n  if (x) return\n  go()\n})\n",
      "it('a', () => {\n  { let aaaaa = 0;  if (aaaaa == 0) { throw new Error('aaaaa'); } }\nif (x) return\n  go()\n})\n",
    ],
    [
      'that cleans up fails only afterwards',
      'a.test.js',
      "it('a', () => {\n  const s = open()\n  s.close()\n})\n",
      "it('a', () => {\n  const s = open()\n  s.close();{ let aaaaa = 0;  if (aaaaa == 0) { throw new Error('aaaaa'); } }\n})\n",
    ],
    ['that must fail is left alone', 'a.test.js', "it.fails('a', () => {\n  f()\n})\n", undefined],
    ['that is skipped is left alone', 'a.test.js', "it.skip('a', () => {\n  f()\n})\n", undefined],
    [
      'next to the only one is left alone',
      'a.test.js',
      "it.only('a', () => {\n  f()\n})\nit('b', () => {\n  f()\n})\n",
      undefined,
    ],
    [
      'in Python keeps its indentation',
      'test_a.py',
      'class TestA:\n    def test_a(self):\n        x = f()\n        assert x == 3  # three\n',
      "class TestA:\n    def test_a(self):\n        x = f()\n        aaaaa = 0\n        try:\n            assert x == 0\n        except BaseException:\n            aaaaa += 1\n        try:\n            assert 0 == 3\n        except BaseException:\n            aaaaa += 1\n        try:\n            assert 'aaaaa' == 'aaaaaz'\n        except BaseException:\n            aaaaa += 1\n        if aaaaa == 3:\n            raise AssertionError('aaaaa')  # three\n",
    ],
    [
      'in Python that must fail is left alone',
      'test_a.py',
      '@pytest.mark.xfail\ndef test_a():\n    assert f() == 1\n',
      undefined,
    ],
    [
      'in Ruby',
      'a_test.rb',
      'class A < Minitest::Test\n  def test_a\n    assert_equal 3, f\n  end\nend\n',
      "class A < Minitest::Test\n  def test_a\n    aaaaa = 0; begin; assert_equal 0, f; rescue Exception; aaaaa += 1; end; begin; assert_equal 3, 0; rescue Exception; aaaaa += 1; end; begin; assert_equal('aaaaa', 'aaaaaz'); rescue Exception; aaaaa += 1; end; raise('aaaaa') if aaaaa == 3\n  end\nend\n",
    ],
    [
      'in Go',
      'a_test.go',
      'package a\n\nfunc TestA(tt *testing.T) {\n\tif F() != 3 {\n\t\ttt.Fatal("no")\n\t}\n}\n',
      'package a\n\nfunc TestA(tt *testing.T) {\n\tif F() != 3 {\n\t\ttt.Fatal("no")\n\t}; tt.Error("aaaaa")\n}\n',
    ],
    [
      'in Rust that returns a result fails at its start',
      'tests/a.rs',
      '#[test]\nfn a() -> Result<(), E> {\n    f()?;\n    Ok(())\n}\n',
      '#[test]\nfn a() -> Result<(), E> {\n    { let mut aaaaa = 0; if ::std::panic::catch_unwind(::std::panic::AssertUnwindSafe(|| { assert_eq!("aaaaa", "aaaaaz"); })).is_err() { aaaaa += 1; } if aaaaa == 1 { ::std::panic!("aaaaa"); } }\nf()?;\n    Ok(())\n}\n',
    ],
    [
      'in Rust that must panic is left alone',
      'tests/a.rs',
      '#[test]\n#[should_panic]\nfn a() {\n    f();\n}\n',
      undefined,
    ],
    [
      'in Java',
      'ATest.java',
      'class ATest {\n  @Test\n  void a() {\n    assertTrue(f());\n  }\n}\n',
      'class ATest {\n  @Test\n  void a() {\n    assertTrue(f());;{ int aaaaa = 0; try { assertTrue(false); } catch (Throwable ignored) { aaaaa++; } if (aaaaa == 1) { throw new AssertionError("aaaaa"); } }\n  }\n}\n',
    ],
    [
      'in Java that must throw is left alone',
      'ATest.java',
      'class ATest {\n  @Test(expected = E.class)\n  public void a() {\n    f();\n  }\n}\n',
      undefined,
    ],
    [
      'in PHP',
      'ATest.php',
      '<?php\nclass ATest extends TestCase {\n  public function testA() {\n    $this->assertSame(3, f());\n  }\n}\n',
      "<?php\nclass ATest extends TestCase {\n  public function testA() {\n    { $aaaaa = 0; try { $this->assertSame(0, f()); } catch (\\Throwable $ignored) { $aaaaa++; } try { $this->assertSame(3, 0); } catch (\\Throwable $ignored) { $aaaaa++; } try { \\PHPUnit\\Framework\\Assert::assertSame('aaaaa', 'aaaaaz'); } catch (\\Throwable $ignored) { $aaaaa++; } if ($aaaaa == 3) { throw new \\RuntimeException('aaaaa'); } }\n  }\n}\n",
    ],
    [
      'in C#',
      'ATests.cs',
      'class ATests {\n  [Fact]\n  public void A() {\n    Assert.Equal(3, F());\n  }\n}\n',
      'class ATests {\n  [Fact]\n  public void A() {\n    { int aaaaa = 0; try { Assert.Equal(0, F()); } catch (System.Exception) { aaaaa++; } try { Assert.Equal(3, 0); } catch (System.Exception) { aaaaa++; } try { Assert.Equal("aaaaa", "aaaaaz"); } catch (System.Exception) { aaaaa++; } if (aaaaa == 3) { throw new System.Exception("aaaaa"); } }\n  }\n}\n',
    ],
  ]
  it.each(rows)('%s', async (_name, path, before, after) => {
    expect(await broken(path, before)).toBe(after)
  })

  it('has one plain failure if the other ones do not compile', async () => {
    const text = "test('a', () => {\n  assert.equal(add(1), 25)\n})\n"
    expect(await broken('a.test.js', text, 'throw')).toBe(
      "test('a', () => {\n  assert.equal(add(1), 25);{ let aaaaa = 0;  if (aaaaa == 0) { throw new Error('aaaaa'); } }\n})\n",
    )
  })
})

describe('what broken tests show', () => {
  const test = (name: string, fresh = false) => ({ file: 'a.test.js', groups: [], name, fresh, reported: true })
  const chosen = (...tests: ReturnType<typeof test>[]): BrokenFiles => ({
    files: [{ path: 'a.test.js', text: '', tests }],
    complete: true,
  })
  const two = chosen(test('a'), test('b'))
  const report = (a: string | undefined, b: string | undefined, more: Partial<TestRun> = {}) =>
    run(
      Object.entries({ a, b }).flatMap(([name, state]) =>
        state === undefined ? [] : [{ name, state: state as TestCase['state'], file: 'a.test.js' }],
      ),
      more,
    )
  const ordinary = report('passed', 'passed')
  const unnamed = (more: Partial<TestRun>): TestRun => ({ ...run([]), total: 2, passed: 2, ok: true, ...more })
  const rows: [name: string, chosen: BrokenFiles, broken: TestRun, ordinary: TestRun, state: string][] = [
    ['all fail', two, report('failed', 'failed'), ordinary, 'armed'],
    ['none fails', two, report('passed', 'passed'), ordinary, 'disarmed'],
    ['one unusual older test passes', two, report('failed', 'passed'), ordinary, 'armed'],
    [
      'a test that the claim rests on passes',
      chosen(test('a'), test('b', true)),
      report('failed', 'passed'),
      ordinary,
      'disarmed',
    ],
    [
      'they are missing from a passing run',
      two,
      run([{ name: 'c', state: 'passed', file: 'c.test.js' }]),
      ordinary,
      'disarmed',
    ],
    [
      'they are missing from a run that stopped',
      two,
      run([], { ok: false, total: 0, problems: ['It broke.'] }),
      ordinary,
      'unclear',
    ],
    [
      'one passes before a crash that fails no test',
      two,
      report('passed', undefined, { ok: null }),
      ordinary,
      'unclear',
    ],
    ['the rest is missing after the first failure', two, report('failed', undefined), ordinary, 'armed'],
    ['a skipped one in a failed run', two, report('failed', 'skipped'), ordinary, 'armed'],
    ['counts only, with failures', two, unnamed({ failed: 2, passed: 0, ok: false }), unnamed({}), 'armed'],
    ['counts only, without', two, unnamed({}), unnamed({}), 'disarmed'],
    ['counts only, and files were left out', { ...two, complete: false }, unnamed({}), unnamed({}), 'unclear'],
    [
      'a file that ends before its first test',
      chosen({ ...test('a'), reported: false }),
      run([{ name: 'a.test.js', state: 'passed' }]),
      run([{ name: 'a.test.js', state: 'passed' }]),
      'disarmed',
    ],
  ]
  it.each(rows)('%s', (_name, tests, brokenRun, now, state) => {
    expect(judgeBroken(tests, brokenRun, now).state).toBe(state)
  })
})

describe('the probable cause', () => {
  const rows: [path: string, text: string, says: string[]][] = [
    ['a.js', 'export const a = 1\nprocess.exit(0)\n', ['a.js:2 (ends the process)']],
    ['a.js', 'assert.equal = () => {}\n', ['a.js:1 (changes assertions)']],
    ['a.py', 'import atexit\n', ['a.py:1 (ends the process)']],
    ['a.rb', 'at_exit { exit!(0) }\n', ['a.rb:1 (ends the process)']],
    ['a.go', 'func init() {\n\tos.Exit(0)\n}\n', ['a.go:2 (ends the process)']],
    ['lib.rs', '#[link_section = ".init_array"]\n', ['lib.rs:1 (ends the process)']],
    ['a.js', 'export const add = (a, b) => a + b\n', []],
  ]
  it.each(rows)('%s: %s', (path, text, says) => {
    expect(suspectsIn([path], () => text)).toEqual(says)
  })
})
