const test = (name, body) =>
  `<?php\nuse PHPUnit\\Framework\\TestCase;\n\nfinal class ${name} extends TestCase\n{\n${body}}\n`
const green = {
  'tests/SumsTest.php': test(
    'SumsTest',
    `    /** @dataProvider sums */
    public function testAdds(int $a, int $b, int $sum): void
    {
        $this->assertSame($sum, $a + $b);
    }

    public static function sums(): array
    {
        return ['small' => [1, 1, 2], 'größer 世界' => [2, 3, 5]];
    }
`,
  ),
}
const skipped = {
  'tests/SkippedTest.php': test(
    'SkippedTest',
    "    public function testDivides(): void\n    {\n        $this->markTestSkipped('not today');\n    }\n",
  ),
}

export default {
  name: 'phpunit',
  needs: ['phpunit'],
  run: 'phpunit --do-not-cache-result --log-junit junit.xml tests',
  reports: { xml: 'junit.xml' },
  cases: {
    passes: { files: green, expect: { passed: 2, failed: 0, skipped: 0, ok: true } },
    'passes-and-skips': { files: { ...green, ...skipped }, expect: { passed: 2, failed: 0, skipped: 1, ok: true } },
    fails: {
      files: {
        ...green,
        'tests/OtherTest.php': test(
          'OtherTest',
          "    public function testWrong(): void\n    {\n        $this->assertSame(1, 2);\n    }\n\n    public function testError(): void\n    {\n        throw new Exception('no database');\n    }\n",
        ),
      },
      expect: { passed: 2, failed: 2, skipped: 0, ok: false },
    },
    testdox: {
      files: green,
      run: 'phpunit --do-not-cache-result --testdox tests',
      reports: {},
      expect: { passed: 2, failed: 0, ok: true },
    },
    none: { files: { 'tests/readme.md': 'nothing\n' }, reports: {}, expect: { passed: 0, failed: 0, ok: null } },
    skips: { files: skipped, expect: { passed: 0, failed: 0, skipped: 1, ok: null } },
    unloaded: {
      files: { ...green, 'tests/BrokenTest.php': "<?php\nrequire 'not-there.php';\n" },
      reports: {},
      expect: { ok: null },
    },
  },
}
