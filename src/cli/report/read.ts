import { basename } from 'node:path'
import { readEvents } from '../../journal/read.ts'
import { reportModel } from '../../reports/page/model.ts'
import type { Report } from '../../reports/page/types.ts'
import { secretValues } from '../../system/environment.ts'
import { redact } from '../../system/redact.ts'
import { InputError } from '../errors.ts'
import { learnedIn } from '../learning/learned.ts'
import { outputsIn } from './outputs.ts'

/** One run of the journal in that folder, without what looks like a secret: reports are made to be handed on. */
export function readReport(dir: string, workspace: string, run: string | undefined, bytes = 0): Report {
  const secrets = secretValues(process.env)
  const report = reportModel(readEvents(dir), {
    ...(run === undefined ? {} : { run }),
    project: basename(workspace),
    hide: (text) => redact(text, secrets),
    outputOf: outputsIn(dir, bytes),
    learned: (name) => learnedIn(dir, name),
  })
  if (report !== undefined) return report
  throw new InputError(
    run === undefined
      ? 'nothing has been recorded here yet; exitgate run or exitgate check begins a run'
      : `there is no run ${run} here; exitgate history lists them`,
  )
}
