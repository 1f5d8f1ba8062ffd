import type { Part, TextReader } from '../../../packages/test-output/src/types.ts'
import { labelled, Tests } from '../scan.ts'

const LEVEL = '(?:\\[(?:INFO|WARNING|ERROR|DEBUG)\\] |\\s*\\[junit\\] )?'
const COUNTS = 'Tests run: *\\d+, *Failures: *\\d+, *Errors: *\\d+(?:, *Skipped: *\\d+)?(?:, *Flakes: *\\d+)?'
const SUM = new RegExp(`^${LEVEL}\\s*(${COUNTS})\\s*$`)
const CLASS = new RegExp(
  `^${LEVEL}\\s*(${COUNTS}), *Time elapsed: .*?(?:<<< (?:FAILURE|ERROR)! ?)?(?:--? in (\\S+))?\\s*$`,
)
const RUNNING = new RegExp(`^${LEVEL}\\s*Running (\\S+)\\s*$`)
const HEAD = new RegExp(`^${LEVEL}\\s*T E S T S\\s*$`)
const FAILED_TEST = new RegExp(`^${LEVEL}\\s*(\\S+)(?: +-- | {2,}| )Time elapsed: .*<<< (?:FAILURE|ERROR)!\\s*$`)
const BUILD = /^\[(?:INFO|ERROR)\] BUILD (SUCCESS|FAILURE)\s*$/
const PROJECT = /^\[INFO\] (?:Scanning for projects|Building \S)/
const CRASHED =
  /The forked VM terminated without (?:saying )?properly|There was a timeout or other error in the fork|COMPILATION ERROR/

interface Sum {
  readonly at: number
  readonly counts: Record<string, number>
}

class Build {
  from = -1
  readonly sums: Sum[] = []
  classes: Sum[] = []
  readonly tests = new Tests()
  crashed: string | undefined
  project = false

  /** The total of a module covers its classes; without one (ant, a broken end) the classes are added. */
  close(at: number, counts: Record<string, number>): void {
    this.sums.push({ at, counts })
    this.classes = []
  }

  part(to: number, word: string | undefined): Part | undefined {
    const all = [...this.sums, ...this.classes]
    if (all.length === 0 && word === undefined) return undefined
    const sum = (name: string) => all.reduce((total, { counts }) => total + (counts[name] ?? 0), 0)
    const failed = sum('failures') + sum('errors')
    const skipped = sum('skipped')
    const broken = word === 'FAILURE' && failed === 0 ? 'The build failed (maven).' : this.crashed
    return {
      framework: 'surefire',
      from: this.from < 0 ? to : this.from,
      to,
      passed: Math.max(0, sum('tests run') - failed - skipped),
      failed,
      skipped,
      tests: this.tests.list(),
      wrapper: true,
      ...(broken !== undefined && { broken }),
      ...(word === undefined && this.project && { unproven: 'The end of the build is missing (maven).' }),
    }
  }
}

/** Surefire and failsafe under Maven, and the same lines from ant. */
export const maven: TextReader = {
  framework: 'surefire',
  hints: ['Tests run:', 'BUILD SUCCESS', 'BUILD FAILURE'],
  read: (lines) => {
    const parts: Part[] = []
    let build = new Build()
    for (let at = 0; at < lines.length; at += 1) {
      const line = lines[at]!
      if (PROJECT.test(line)) build.project = true
      if (build.from < 0 && (HEAD.test(line) || RUNNING.test(line) || SUM.test(line) || CLASS.test(line)))
        build.from = at
      if (CRASHED.test(line)) build.crashed ??= `${line.trim().slice(0, 150)} (maven)`
      const failed = FAILED_TEST.exec(line)
      if (failed !== null && !/^Tests$/.test(failed[1]!)) build.tests.set(failed[1]!, 'failed')
      const sum = SUM.exec(line)
      const part = sum === null ? CLASS.exec(line) : null
      if (sum !== null) build.close(at, labelled(sum[1]!))
      else if (part !== null) build.classes.push({ at, counts: labelled(part[1]!) })
      const word = BUILD.exec(line)?.[1]
      if (word === undefined) continue
      const made = build.part(at, word)
      if (made !== undefined) parts.push(made)
      build = new Build()
    }
    const last = build.part(lines.length - 1, undefined)
    return last === undefined ? parts : [...parts, { ...last, to: lastLine(build, lines.length - 1) }]
  },
}

/** What follows the last count is not part of the run. */
function lastLine(build: Build, end: number): number {
  return [...build.sums, ...build.classes].reduce((last, { at }) => Math.max(last, at), 0) || end
}
