const green = {
  'spec/sums_spec.rb': `RSpec.describe "sums" do
  context "of whole numbers" do
    [[1, 1], [2, 3]].each { |a, b| it("adds #{a} and #{b}") { expect(a + b).to eq(b + a) } }
    it("grüßt 世界") {}
  end
  xit("divides") {}
end
`,
}

export default {
  name: 'rspec',
  needs: ['rspec'],
  run: 'rspec --format documentation --format json --out report.json',
  reports: { json: 'report.json' },
  cases: {
    passes: { files: green, expect: { passed: 3, failed: 0, skipped: 1, ok: true } },
    fails: {
      files: {
        ...green,
        'spec/other_spec.rb': 'RSpec.describe "other" do\n  it("is wrong") { expect(1).to eq(2) }\nend\n',
      },
      expect: { passed: 3, failed: 1, skipped: 1, ok: false },
    },
    none: { files: { 'spec/a_spec.rb': '' }, expect: { passed: 0, failed: 0, ok: null } },
    unloaded: {
      files: { ...green, 'spec/broken_spec.rb': 'require "not_there"\n' },
      expect: { suitesFailed: 1, ok: false },
    },
    crashed: {
      files: { 'spec/a_spec.rb': 'at_exit { abort "no good end" }\nRSpec.describe("a") { it("passes") {} }\n' },
      run: 'rspec; echo "exit status $?"',
      reports: {},
      expect: { passed: 1, failed: 0, ok: null },
    },
  },
}
