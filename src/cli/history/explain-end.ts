import { count } from '../../../packages/core/src/count.ts'
import { foldText } from '../../../packages/core/src/fold.ts'
import { errorAdvice } from '../../agents/error-advice.ts'
import type { JournalEvent, State } from '../../core/journal/events.ts'
import { endSentence } from '../../core/policy/ending-text.ts'
import { loopState, RESUME } from '../../loop/control/place.ts'
import { plain } from '../../reports/verdict-text.ts'
import type { Io } from '../io.ts'

/**
 * The newest run has no decision to explain: it was stopped before the first one, or the agent could not run in its last iteration.
 * The last decision belongs to the run `decided`. The user asked for `run`, if any.
 */
export function lacksDecision(
  { ended, last, run: newest }: State,
  decided: string | undefined,
  run: string | undefined,
): boolean {
  if (newest === undefined || (run !== undefined && run !== newest)) return false
  return decided !== newest || (ended?.cause !== undefined && last?.at !== ended.at)
}

/** `exitgate explain` for such a run. */
export function explainEnd(dir: string, state: State, json: boolean, io: Io): number {
  const { run, ended, config, iterations } = state
  const preset = config?.preset
  const loop = ended === undefined ? loopState(dir, run) : undefined
  const crashed = loop === 'crashed'
  const advice = adviceAfter(state, loop)
  const why = ended?.cause === undefined ? 'Nothing' : 'The agent failed, so nothing'
  const about =
    ended === undefined
      ? [`Run ${run}, preset ${preset}, ${crashed ? 'crashed before its first decision' : 'has no decision yet'}.`]
      : [
          endSentence(ended),
          `Run ${run}, after ${count(iterations, 'iteration')}, preset ${preset}. ${why} was decided.`,
        ]
  const lines = [...about, '', 'What to do:', ...advice.map((step) => `  - ${step}`)]
  const shown = json
    ? JSON.stringify({ run, preset, iteration: iterations, ...ended, ...(crashed && { crashed }), advice })
    : foldText(lines.map(plain).join('\n'), io.stdout.columns)
  io.stdout.write(`${shown}\n`)
  return 0
}

function adviceAfter(state: State, loop: ReturnType<typeof loopState>): readonly string[] {
  const { ended } = state
  if (ended?.cause !== undefined) return errorAdvice(ended.cause, state)
  if (ended?.ending === 'forced') return ['`exitgate check` checks the project as it is now.']
  if (ended !== undefined || loop === 'crashed') return [RESUME]
  return [`\`exitgate ${loop === 'running' ? 'attach' : 'status'}\` shows it.`]
}

type IterationDecided = Extract<JournalEvent, { type: 'iteration.decided' }>

/** The end of a run, if this decision did not end it: for example Ctrl+C, or its folder is gone. */
export function endedLater(
  { run, ended }: State,
  before: State,
  { verdict }: IterationDecided,
): { readonly ended: NonNullable<State['ended']>; readonly sentence: string } | undefined {
  if (ended === undefined || run !== before.run) return undefined
  if (verdict.action === 'stop' && verdict.ending === ended.ending) return undefined
  return { ended, sentence: `${plain(endSentence(ended))}\n\nThe last decision before that:\n` }
}

/** There is nothing to explain. */
export function notFound(run: string | undefined, iteration: number | undefined): string {
  if (run === undefined && iteration === undefined)
    return 'No decisions here yet. Start with `exitgate run` or `exitgate check`.'
  const what = [iteration !== undefined && `iteration ${iteration}`, run !== undefined && `run ${run}`]
    .filter(Boolean)
    .join(' of ')
  return `There is no decision for ${what}. \`exitgate log\` lists all decisions.`
}
