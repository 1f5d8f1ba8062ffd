import { type OwnAnswer, type OwnCheck, ownPartsOf } from '../../core/own-parts.ts'
import type { Answer, Evidence } from '../../core/types.ts'
import type { Check } from '../types.ts'
import type { CheckDefinition } from './definition.ts'

/** The checks that the project defines in code. */
export const own: CheckDefinition = {
  name: 'own',
  checksFor: ({ config }) => ownPartsOf(config).checks.map(ownCheck),
}

/** Runs like any other check: with the same workspace handle and the same deadline. */
function ownCheck({ name, run }: OwnCheck): Check {
  return {
    name,
    async collect({ workspace, claim, deadlineMs, signal = new AbortController().signal, tree }) {
      const started = performance.now()
      const given = await run({
        dir: workspace.dir,
        claim,
        read: (path) => workspace.read(path),
        async run(command) {
          const { code, output } = await workspace.run(command, { deadlineMs, signal })
          return { code, output }
        },
        signal,
      })
      return [{ ...evidenceOf(name, given), ms: Math.round(performance.now() - started), tree }]
    },
  }
}

function evidenceOf(check: string, given: OwnAnswer): Omit<Evidence, 'ms' | 'tree'> {
  const { answer, detail, counts } = typeof given === 'object' ? given : { answer: given }
  const checked = answerOf(answer)
  return {
    check,
    answer: checked,
    detail: detail ?? DEFAULT_DETAIL[checked],
    ...(counts === undefined ? {} : { counts }),
  }
}

/** Only a clear yes counts: a check in plain JavaScript can return anything. */
function answerOf(answer: boolean | Answer): Answer {
  if (answer === true || answer === 'yes') return 'yes'
  return answer === false || answer === 'no' ? 'no' : 'unknown'
}

const DEFAULT_DETAIL: Readonly<Record<Answer, string>> = {
  yes: 'The check passed.',
  no: 'The check failed.',
  unknown: 'The check could not answer.',
}
