/** What product code has no reason to do: change assertions, end the process, or write what a runner prints. */
const SUSPICIOUS: readonly (readonly [pattern: RegExp, what: string])[] = [
  [/\b(?:assert|expect|chai|should)(?:\.\w+)*\s*=(?!=)/, 'changes assertions'],
  [/\bObject\.(?:assign|definePropert(?:y|ies))\(\s*(?:assert|expect|chai)\b/, 'changes assertions'],
  [
    /\b(?:unittest\.TestCase|TestCase|Minitest::\w+|RSpec::[\w:]+)\b.*(?:=|\bclass_eval\b|\bdefine_method\b)/,
    'changes assertions',
  ],
  [/\b(?:RSpec|Minitest|unittest|pytest|_pytest|mocha|vitest|jest)\b/i, 'uses the test runner'],
  [/\bmacro_rules!\s*assert/, 'changes assertions'],
  [/\bdef\s+__eq__\b|\bdef\s+==\s*\(|\bfn\s+eq\s*\(/, 'defines equality'],
  [
    /\bprocess\s*\.\s*(?:exit|reallyExit|kill|abort|exitCode)\b|\bprocess\.(?:on|once)\(\s*['"](?:exit|beforeExit)/,
    'ends the process',
  ],
  [/\bos\._exit\b|\bsys\.exit\b|\batexit\b|\bos\.kill\b/, 'ends the process'],
  [/\bexit!|\bat_exit\b|\bKernel\.exit\b|\babort\b/, 'ends the process'],
  [/\bos\.Exit\(|\bsyscall\.Exit\(|\bruntime\.Goexit\(/, 'ends the process'],
  [/\bstd::process::(?:exit|abort)\b|\.init_array|\blibc::_?exit\b|#\[ctor\b/, 'ends the process'],
  [/\bSystem\.exit\(|\bRuntime\.getRuntime\(\)\.halt\(|\bEnvironment\.Exit\(/, 'ends the process'],
  [/\b(?:passed|failures|tests?)\b[^\n]*(?:ok|pass|fail)/i, 'mentions test results'],
]

const MOST_CHARACTERS = 200_000

/** Places in the changed source that could be the cause, the clearest first: `src/a.js:3 (ends the process)`. */
export function suspectsIn(paths: readonly string[], read: (path: string) => string | undefined): readonly string[] {
  const found: { readonly rank: number; readonly text: string }[] = []
  for (const path of paths) {
    const text = read(path)
    if (text === undefined || text.length > MOST_CHARACTERS) continue
    const lines = text.split('\n')
    for (const [rank, [pattern, what]] of SUSPICIOUS.entries()) {
      const line = lines.findIndex((each) => pattern.test(each))
      if (line >= 0) found.push({ rank, text: `${path}:${line + 1} (${what})` })
    }
  }
  return [...new Set(found.sort((one, other) => one.rank - other.rank).map(({ text }) => text))]
}
