const test = (body) => `ExUnit.start()

defmodule SumsTest do
  use ExUnit.Case

${body}end
`
const green = `  describe "whole numbers" do
    for {a, b} <- [{1, 1}, {2, 3}] do
      test "adds #{a} and #{b}", do: assert unquote(a) + unquote(b) > 0
    end
  end

  test "grüßt 世界", do: :ok

  @tag :skip
  test "divides", do: flunk()
`

export default {
  name: 'exunit',
  needs: ['elixir'],
  run: 'elixir sums_test.exs',
  env: { ERL_AFLAGS: '+fnu' },
  cases: {
    passes: { files: { 'sums_test.exs': test(green) }, expect: { passed: 3, failed: 0, skipped: 1, ok: true } },
    fails: {
      files: { 'sums_test.exs': test(`${green}\n  test "is wrong", do: assert 1 == 2\n`) },
      expect: { passed: 3, failed: 1, skipped: 1, ok: false },
    },
    excludes: {
      files: {
        'sums_test.exs': test(`${green}\n  @tag :slow\n  test "is slow", do: :ok\n`).replace(
          'start()',
          'start(exclude: [:slow])',
        ),
      },
      expect: { passed: 3, failed: 0, ok: true },
    },
    none: { files: { 'sums_test.exs': test('') }, expect: { passed: 0, failed: 0, ok: null } },
  },
}
