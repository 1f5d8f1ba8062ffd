import { count } from '../../../packages/core/src/count.ts'
import { isTestFile } from '../../../packages/exitgate/src/frameworks/test-files.ts'
import type { TestRun } from '../../../packages/test-output/src/types.ts'
import type { Evidence } from '../../core/types.ts'
import { awake } from '../../system/awake-clock.ts'
import { type HeldFile, heldFiles, keepOutput } from '../held-out/store.ts'
import { runInCopy } from '../red-proof/run-copy.ts'
import { runTestCommand } from '../runners/run.ts'
import type { CheckAnswer, CheckDefinition, CheckInput } from './definition.ts'

/** Tests that the user keeps where the agent can't see them. They run on a claim, in a copy. */
export const heldOut: CheckDefinition = {
  name: 'held-out',
  checksFor(input) {
    const { context, stateDir } = input
    const held = heldFiles(stateDir)
    const files = typeof held === 'string' ? held : held.filter(({ lines }) => lines === undefined)
    const wasHeld = context.baseline?.evidence['held-out'] !== undefined
    if (!wasHeld && typeof files !== 'string' && !files.some(({ path, text }) => isTestFile(path, text))) return []
    return [{ name: 'held-out', collect: () => collectHeldOut(files, input) }]
  },
}

async function collectHeldOut(files: readonly HeldFile[] | string, input: CheckInput): Promise<readonly Evidence[]> {
  const { claim, baseline, tree } = input.context
  const started = awake.now()
  const evidence = (found: CheckAnswer): readonly Evidence[] => [
    { check: 'held-out', ...found, ms: Math.round(awake.now() - started), tree },
  ]
  if (claim) return evidence(await runHeldOut(files, input))
  // The baseline remembers that there are some, so that they can't just disappear.
  if (baseline !== undefined) return []
  return evidence({ answer: 'unknown', detail: 'Held-out tests run when the agent says it is done.' })
}

/** The detail never names a test or a value: the agent reads it. */
async function runHeldOut(
  files: readonly HeldFile[] | string,
  { context, testCommands: commands, tests, stateDir }: CheckInput,
): Promise<CheckAnswer> {
  const unknown = (detail: string): CheckAnswer => ({ answer: 'unknown', detail })
  if (typeof files === 'string') return unknown(files)
  if (files.length === 0) return unknown('The held-out tests are gone. Someone else removed them.')
  const { workspace, deadlineMs, signal, openRoom } = context
  const { run: now } = await tests(context)
  if (now === undefined) return unknown('The held-out tests need a test command that works.')
  try {
    const ran = await runInCopy(workspace, {
      commands,
      run: runTestCommand,
      revert: files.map(({ path, text }) => ({ path, text })),
      deadlineMs,
      unnoticed: true,
      ...(signal && { signal }),
      ...(openRoom && { openRoom }),
    })
    keepOutput(stateDir, 'tests.txt', ran.output)
    if (ran.run === undefined) return unknown(`The held-out tests gave no result: ${ran.stopped ?? 'no report'}.`)
    return judge(ran.run, now)
  } catch (error) {
    return unknown(`The workspace could not be copied: ${error instanceof Error ? error.message : error}.`)
  }
}

function judge(withHeld: TestRun, now: TestRun): CheckAnswer {
  const total = withHeld.total - now.total
  const failed = Math.max(0, withHeld.failed - now.failed)
  const passed = withHeld.passed - now.passed
  const counts = { total: Math.max(total, failed), passed: Math.max(0, passed), failed }
  if (failed > 0)
    return {
      answer: 'no',
      detail: `${failed} of ${count(counts.total, 'held-out test')} ${failed === 1 ? 'fails' : 'fail'}.`,
      counts,
    }
  if (withHeld.ok === false) return { answer: 'no', detail: 'The held-out tests could not run with this work.', counts }
  if (passed <= 0)
    return { answer: 'unknown', detail: 'The held-out tests were not found by the test command.', counts }
  return { answer: 'yes', detail: `${count(passed, 'held-out test')} ${passed === 1 ? 'passes' : 'pass'}.`, counts }
}
