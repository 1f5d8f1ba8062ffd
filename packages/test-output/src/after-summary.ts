/** Crashes that make any result unreliable. */
const CRASHES: readonly RegExp[] = [
  /^(?:\S+: line \d+: +\d+ |\S*sh: (?:\d+: )?)?(?:Segmentation fault|Aborted|Killed|Terminated|Bus error|Illegal instruction|Floating point exception|Trace\/breakpoint trap|Hangup|Stack overflow|segmentation fault|killed)\b.{0,300}$/,
  /\(core dumped\)/,
  /^FATAL ERROR: /,
  /heap out of memory/,
  /^Fatal Python error: /,
  /^# A fatal error has been detected by /,
  /^\[BUG\] Segmentation fault/,
  /^error: process didn't exit successfully/,
  /^terminate called /,
]

/** Uncaught errors after the runner reported success. */
const ERRORS: readonly RegExp[] = [
  /^fatal error: /,
  /^panic: /,
  /^thread '.*' (?:\(\d+\) )?panicked at /,
  /^Traceback \(most recent call last\):/,
  /^(?:node:internal|file:\/\/\/.*:\d+$)/,
  /^Uncaught (?:Error|TypeError|ReferenceError|SyntaxError|RangeError)\b/,
  /^(?:\w*Error|\w*Exception): .*(?:\n|$)/,
  /^error during close /,
  /^PHP Fatal error: /,
  /^(?:\S+: )?line \d+: syntax error/,
]

/** What the programs around the runner print when it failed. */
const FAILED_COMMANDS: readonly RegExp[] = [
  /^npm (?:ERR!|error) (?:code |Test failed|Lifecycle script|command failed|errno )/,
  /^\s*ELIFECYCLE\b/,
  /^\s*ERR_PNPM_\w+/,
  /^error Command failed with exit code [1-9]/,
  /^error: script ".*" (?:exited with code [1-9]|was terminated)/,
  /^(?:g?make|gmake)(?:\[\d+\])?: \*\*\* /,
  /^ninja: build stopped/,
  /^error: [Rr]ecipe .* failed/,
  /^task: Failed to run task/,
  /^\s*ERROR {2}run failed: /,
  /^lerna ERR! /,
  /^\s*NX {3}(?:Running target .* failed|Ran target .* failed)/,
  /^\s*[✖×] +\d+\/\d+ (?:targets )?failed/,
  /^\s*Failed: +\S+#\S+/,
  /^(?:ERROR: )?(?:Command|Process) (?:failed|exited|completed|finished) with (?:exit )?(?:code|status) [1-9]/i,
  /^\(?(?:Command|Process) exited with code [1-9]/,
  /^##\[error\]/,
  /^(?:RAW_)?EXIT(?:_?(?:CODE|STATUS))?[=: ]+[1-9]\d*\s*$/i,
  /^<returncode>[1-9]/,
  /^exit (?:status|code):? [1-9]\d*\s*$/,
  /^ERROR: .*InvocationError/,
  /^\s*evaluation failed :\(/,
  /^nox > (?:Session \S+ failed|\* \S+: (?:failed|aborted))/,
]

/** The summary reports success, but another requirement, such as coverage, was not met. */
const UNMET_REQUIREMENTS: readonly RegExp[] = [
  /^(?:ERROR|Jest|FAIL|Error)?:? ?(?:Jest: )?"?\w*"? ?[Cc]overage (?:for \w+ \([\d.]+%\) does not meet|threshold for .* not met|failure: total)/,
  /^(?:FAIL|ERROR:?) Required test coverage of /,
  /^FAIL Required test coverage/,
  /^(?:Line|Branch) coverage \([\d.]+%\) is below the expected minimum/,
  /^SimpleCov failed with exit/,
]

const LONGEST = 2_000

function first(lines: readonly string[], from: number, patterns: readonly RegExp[]): string | undefined {
  for (let at = from; at < lines.length; at += 1) {
    const line = lines[at]!
    if (line === '' || line.length > LONGEST) continue
    if (patterns.some((pattern) => pattern.test(line))) return line.trim().slice(0, 200)
  }
  return undefined
}

/**
 * Why a passing result can't be trusted: something crashed after the last summary, or a program around the runner reports a
 * failure. Not a failure by itself, because the source is not known; the exit code decides. If tests failed, a failed command is
 * expected, and only a crash matters.
 */
export function problemsAfterSummary(lines: readonly string[], last: number, failed: boolean): readonly string[] {
  const after = [...CRASHES, ...(failed ? [] : [...ERRORS, ...FAILED_COMMANDS])]
  const crash = first(lines, last + 1, after)
  const unmet = failed ? undefined : first(lines, 0, UNMET_REQUIREMENTS)
  return [
    ...(crash === undefined ? [] : [`Printed after the summary: ${crash}`]),
    ...(unmet === undefined ? [] : [`Printed by the runner: ${unmet}`]),
  ]
}
