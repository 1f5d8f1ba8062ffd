const green = {
  'test_sums.rb': `require "minitest/autorun"

class TestSums < Minitest::Test
  def test_adds
    assert_equal 2, 1 + 1
  end

  def test_greets_世界
  end

  def test_divides
    skip "not today"
  end
end
`,
}

export default {
  name: 'minitest',
  needs: ['ruby'],
  prepare: 'ruby -e "require \'minitest\'"',
  run: 'ruby test_sums.rb --verbose',
  cases: {
    passes: { files: green, expect: { passed: 2, failed: 0, skipped: 1, ok: true } },
    fails: {
      files: {
        'test_sums.rb': `${green['test_sums.rb']}
class TestOther < Minitest::Test
  def test_wrong
    assert_equal 1, 2
  end

  def test_error
    raise "no database"
  end
end
`,
      },
      run: 'ruby test_sums.rb',
      expect: { passed: 2, failed: 2, skipped: 1, ok: false },
    },
    none: { files: { 'test_sums.rb': 'require "minitest/autorun"\n' }, expect: { passed: 0, failed: 0, ok: null } },
    unloaded: { files: { 'test_sums.rb': 'require "minitest/autorun"\nrequire "not_there"\n' }, expect: { ok: null } },
  },
}
