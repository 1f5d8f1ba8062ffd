const green = {
  'test_sums.py': `import unittest


class Sums(unittest.TestCase):
    def test_adds(self):
        """Adds two numbers."""
        for a, b in [(1, 1), (2, 3)]:
            with self.subTest(a=a, b=b):
                self.assertEqual(a + b, b + a)

    def test_grüßt_世界(self):
        pass

    @unittest.skip("not today")
    def test_divides(self):
        pass

    @unittest.expectedFailure
    def test_expected(self):
        self.fail()
`,
}

export default {
  name: 'unittest',
  needs: ['python3'],
  run: 'python3 -m unittest',
  cases: {
    passes: { files: green, expect: { passed: 2, failed: 0, skipped: 1, aside: 1, total: 4, ok: true } },
    verbose: { files: green, run: 'python3 -m unittest -v', expect: { passed: 2, failed: 0, skipped: 1, ok: true } },
    fails: {
      files: {
        ...green,
        'test_other.py': `import unittest


class Other(unittest.TestCase):
    def test_right(self):
        pass

    def test_wrong(self):
        self.assertEqual(1, 2)

    def test_error(self):
        raise OSError("no database")
`,
      },
      run: 'python3 -m unittest -v',
      expect: { passed: 3, failed: 2, skipped: 1, ok: false },
    },
    none: { files: { 'a.py': '' }, expect: { passed: 0, failed: 0, ok: null } },
    unloaded: {
      files: { ...green, 'test_broken.py': 'import not_there\n' },
      expect: { failed: 1, suitesFailed: 1, ok: false },
    },
    skips: {
      files: {
        'test_a.py':
          'import unittest\n\n\n@unittest.skip("no")\nclass A(unittest.TestCase):\n    def test_one(self):\n        pass\n',
      },
      expect: { passed: 0, failed: 0, skipped: 1, ok: null },
    },
    'set-up': {
      files: {
        'test_a.py': `import unittest


class A(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        raise OSError("no database")

    def test_one(self):
        pass
`,
      },
      expect: { passed: 0, failed: 1, ok: false },
    },
    crashed: {
      files: {
        'test_a.py': `import atexit
import faulthandler
import os
import unittest

faulthandler.enable()
atexit.register(os.abort)


class A(unittest.TestCase):
    def test_one(self):
        pass
`,
      },
      expect: { passed: 1, failed: 0, ok: null },
    },
  },
}
