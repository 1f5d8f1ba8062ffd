const green = {
  'test_sums.py': `import pytest


class TestSums:
    @pytest.mark.parametrize("a,b,sum", [(1, 1, 2), (2, 3, 5)])
    def test_adds(self, a, b, sum):
        assert a + b == sum


def test_grüßt_世界():
    pass


@pytest.mark.skip(reason="not today")
def test_divides():
    pass


@pytest.mark.xfail
def test_expected():
    assert False
`,
}
const fails = {
  ...green,
  'test_other.py': `import pytest


@pytest.fixture
def database():
    raise OSError("no database")


def test_right():
    pass


def test_wrong():
    assert 1 == 2


def test_needs(database):
    pass
`,
}
const run = 'python3 -m pytest -p no:cacheprovider --junitxml=junit.xml'

export default {
  name: 'pytest',
  needs: ['python3'],
  prepare: 'python3 -c "import pytest"',
  run,
  reports: { xml: 'junit.xml' },
  cases: {
    passes: {
      files: green,
      expect: { passed: 3, failed: 0, skipped: 1, aside: 1, ok: true },
      expectReport: { skipped: 2, aside: undefined },
    },
    verbose: { files: green, run: `${run} -v`, reports: {}, expect: { passed: 3, failed: 0, skipped: 1, ok: true } },
    quiet: { files: green, run: `${run} -q`, reports: {}, expect: { passed: 3, failed: 0, skipped: 1, ok: true } },
    fails: { files: fails, expect: { passed: 4, failed: 2, ok: false } },
    'fails-short': {
      files: fails,
      run: `${run} -q -rA --tb=no`,
      reports: {},
      expect: { passed: 4, failed: 2, ok: false },
    },
    none: { files: { 'test_a.py': '' }, expect: { passed: 0, failed: 0, ok: null } },
    unloaded: {
      files: { ...green, 'test_broken.py': 'import not_there\n' },
      expect: { failed: 1, ok: false },
    },
    skips: {
      files: { 'test_a.py': 'import pytest\n\npytestmark = pytest.mark.skip\n\n\ndef test_one():\n    pass\n' },
      expect: { passed: 0, failed: 0, skipped: 1, ok: null },
    },
    collects: {
      files: green,
      run: 'python3 -m pytest -p no:cacheprovider --collect-only -q',
      reports: {},
      expect: { ok: null },
    },
    crashed: {
      files: {
        'conftest.py':
          'import atexit\nimport faulthandler\nimport os\n\nfaulthandler.enable()\natexit.register(os.abort)\n',
        'test_a.py': 'def test_one():\n    pass\n',
      },
      reports: {},
      expect: { passed: 1, failed: 0, ok: null },
    },
    killed: {
      files: {
        'test_slow.py': 'import time\n\n\ndef test_one():\n    pass\n\n\ndef test_slow():\n    time.sleep(600)\n',
      },
      killAfter: 4_000,
      reports: {},
      expect: { passed: 0, failed: 0, ok: null },
    },
  },
}
