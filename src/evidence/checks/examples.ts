import * as v from 'valibot'
import { count } from '../../../packages/core/src/count.ts'
import { type Example, examplesIn } from '../held-out/example-lines.ts'
import { heldFiles, keepOutput } from '../held-out/store.ts'
import { planPath } from '../plan/view.ts'
import type { CheckContext } from '../types.ts'
import { type CheckAnswer, type CheckDefinition, type CheckInput, checkOf } from './definition.ts'

const exampleSchema = v.strictObject({
  command: v.pipe(v.string(), v.trim(), v.minLength(1)),
  input: v.optional(v.string()),
  output: v.string(),
  exit: v.optional(v.pipe(v.number(), v.integer())),
})

/** Commands with the output that the user expects. They run on a claim only. */
export const examples: CheckDefinition = {
  name: 'examples',
  checksFor(input) {
    if (!input.context.claim) return []
    const found = examplesOf(input)
    if (typeof found !== 'string' && found.length === 0) return []
    return [
      checkOf('examples', (context) =>
        typeof found === 'string' ? { answer: 'unknown', detail: found } : runExamples(found, context, input.stateDir),
      ),
    ]
  },
}

const MOST_SHOWN = 3
const LONGEST = 200

interface OwnExample extends Example {
  readonly isHeld: boolean
}

/** The user's examples as they were before the first iteration, or a sentence about what is wrong with their file. */
function examplesOf({ config, context, stateDir }: CheckInput): readonly OwnExample[] | string {
  const { workspace, baseline } = context
  const held = heldFiles(stateDir)
  if (typeof held === 'string') return held
  const original = (path: string) => baseline?.read(path) ?? workspace.read(path)
  const inPlans = held.flatMap(({ lines = [] }) => examplesIn(lines.map(({ text }) => text).join('\n')))
  const plan = config.plan === undefined ? '' : (original(planPath(workspace.dir, config.plan)) ?? '')
  const path = config.evidence.examples
  const own = held.find((file) => file.path === path && file.lines === undefined)
  const file = path === undefined ? undefined : (own?.text ?? original(path))
  if (path !== undefined && file === undefined) return `There is no file ${path} with examples (evidence.examples).`
  const inFile = file === undefined ? [] : readExamples(file)
  if (inFile === undefined)
    return `${path} must be a JSON array of {"command", "output", "input"?, "exit"?} (evidence.examples).`
  const as = (list: readonly Example[], isHeld: boolean) => list.map((each) => ({ ...each, isHeld }))
  return [...as(inPlans, true), ...as(examplesIn(plan), false), ...as(inFile, own !== undefined)]
}

function readExamples(text: string): readonly Example[] | undefined {
  try {
    const parsed = v.safeParse(v.array(exampleSchema), JSON.parse(text))
    return parsed.success ? parsed.output : undefined
  } catch {
    return undefined
  }
}

/** The agent reads the detail, so it never shows a held-out example. */
async function runExamples(
  all: readonly OwnExample[],
  { workspace, deadlineMs, signal }: CheckContext,
  stateDir: string,
): Promise<CheckAnswer> {
  const wrong: { readonly example: OwnExample; readonly got: string }[] = []
  for (const example of all) {
    const { command, input, output, exit = 0 } = example
    const ran = await workspace.run(command, {
      deadlineMs,
      separate: true,
      ...(input !== undefined && { input }),
      ...(signal && { signal }),
    })
    if (ran.ended !== 'exit') return { answer: 'unknown', detail: 'An example did not finish in time.' }
    const got = (ran.stdout ?? '').trimEnd()
    if (got !== output.trimEnd() || ran.code !== exit)
      wrong.push({ example, got: ran.code === exit ? got : `${got} (exit code ${ran.code})` })
  }
  const counts = { total: all.length, passed: all.length - wrong.length, failed: wrong.length }
  const lines = wrong.map(
    ({ example: { command, output }, got }) => `${command}\n  expected: ${output}\n  printed: ${got}\n`,
  )
  if (all.some(({ isHeld }) => isHeld)) keepOutput(stateDir, 'examples.txt', lines.join(''))
  const hidden = wrong.filter(({ example }) => example.isHeld).length
  const what = all.every(({ isHeld }) => isHeld) ? 'held-out example' : 'example'
  const number = count(all.length, what)
  if (wrong.length === 0) return { answer: 'yes', detail: `${number} ${all.length === 1 ? 'passes' : 'pass'}.`, counts }
  const shown = wrong.filter(({ example }) => !example.isHeld).slice(0, MOST_SHOWN)
  const texts = shown.map(
    ({ example: { command, output }, got }) =>
      ` "${command}" prints "${got.slice(0, LONGEST)}", expected "${output.slice(0, LONGEST)}".`,
  )
  const some = hidden > 0 && hidden < all.length && what === 'example' ? `, ${hidden} of them held out` : ''
  const detail = `${wrong.length} of ${number} ${wrong.length === 1 ? 'fails' : 'fail'}${some}.${texts.join('')}`
  return { answer: 'no', detail, counts }
}
