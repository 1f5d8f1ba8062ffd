import { count } from '../../../packages/core/src/count.ts'
import type { Answer, Evidence } from '../../core/types.ts'
import { isC4, judgeMermaid, MERMAID } from '../documents/diagrams.ts'
import { type FindOptions, type Found, findDocuments } from '../documents/find.ts'
import { judgeOpenApi, OPENAPI } from '../documents/openapi.ts'
import { installed, type Judge, type Judgement, runJudge } from '../documents/run-judge.ts'
import type { Check, CheckContext } from '../types.ts'
import { type CheckDefinition, checkOf } from './definition.ts'

export interface DocumentsOptions extends FindOptions {
  /** Required and absent is `no`; `false` waives it; if unset, absence makes the answer `unknown`. */
  readonly needs?: {
    readonly docs?: number
    readonly diagrams?: boolean
    readonly adr?: boolean
    readonly c4?: boolean
    readonly apis?: boolean
  }
  /** Where to look for Mermaid and the OpenAPI validator; next to exitgate itself by default. */
  readonly from?: string
}

interface Flaw {
  readonly answer: Exclude<Answer, 'yes'>
  readonly sentence: string
}
type Judgements = readonly Judgement[]

const NAMED = 5

export const documents: CheckDefinition = {
  name: 'documents',
  checksFor({ config, policy: { documents: needs } }) {
    if (needs !== undefined) return [documentsCheck({ needs })]
    return config.evidence.documents ? [documentsCheck()] : []
  },
}

/** The `documents` check: which documents exist, and are their diagrams and API descriptions valid? */
export function documentsCheck(options: DocumentsOptions = {}): Check {
  return checkOf('documents', async (context) => judgeAll(await findDocuments(context, options), context, options))
}

async function judgeAll(
  found: Found,
  context: CheckContext,
  options: DocumentsOptions,
): Promise<Pick<Evidence, 'answer' | 'detail' | 'counts'>> {
  const mermaid = found.diagrams.filter(({ kind }) => kind === 'mermaid')
  const [diagrams, apis] = await Promise.all([
    judgeOrReason(
      judgeMermaid,
      MERMAID,
      mermaid.length,
      mermaid.map(({ text }) => text),
      context,
      options.from,
    ),
    judgeOrReason(
      judgeOpenApi,
      OPENAPI,
      found.apis.length,
      { dir: context.workspace.dir, files: found.apis },
      context,
      options.from,
    ),
  ])
  const places = { diagrams: mermaid, apis: found.apis.map(({ path }) => ({ file: path, line: 1 })) }
  const broken = new Set(typeof diagrams === 'string' ? [] : mermaid.filter((_, at) => diagrams[at]?.answer === 'no'))
  const counts = {
    docs: found.docs.length,
    ...(found.docsChanged !== undefined && { docsChanged: found.docsChanged.length }),
    diagrams: mermaid.length,
    ...valid('diagramsValid', diagrams),
    adr: found.adrs.length,
    c4: found.diagrams.filter((diagram) => isC4(diagram) && !broken.has(diagram)).length,
    apis: found.apis.length,
    ...valid('apisValid', apis),
  }
  const flaws = [
    ...flawsOf('The diagram', diagrams, places.diagrams),
    ...flawsOf('The API', apis, places.apis),
    ...missing(counts, options.needs ?? {}),
  ]
  const answer = flaws.some((flaw) => flaw.answer === 'no') ? 'no' : flaws.length > 0 ? 'unknown' : 'yes'
  return { answer, detail: [summary(counts), ...named(flaws), ...remarks(found)].join(' '), counts }
}

/** One result for each, or the reason why there are none. No process is started if there is nothing to check. */
async function judgeOrReason<Input>(
  judge: Judge<Input>,
  packages: readonly string[],
  total: number,
  input: Input,
  { workspace, deadlineMs, signal }: CheckContext,
  from: string | undefined,
): Promise<Judgements | string> {
  if (total === 0) return []
  const name = packages[0]!
  const addresses = installed(packages, from)
  if (addresses === undefined) return `${name} is not installed next to exitgate. Run npm install ${name}.`
  const result = await runJudge(judge, addresses, input, workspace, { deadlineMs, ...(signal && { signal }) })
  return typeof result === 'string' ? `${name} gave no result: ${result}.` : result
}

/** How many are valid; left out if that is unknown for one of them and none is known to be invalid. */
function valid(name: string, judgements: Judgements | string): Record<string, number> {
  if (typeof judgements === 'string') return {}
  const open =
    judgements.some(({ answer }) => answer === 'unknown') && !judgements.some(({ answer }) => answer === 'no')
  return open ? {} : { [name]: judgements.filter(({ answer }) => answer === 'yes').length }
}

function flawsOf(
  what: string,
  judgements: Judgements | string,
  places: readonly { readonly file: string; readonly line: number }[],
): Flaw[] {
  if (typeof judgements === 'string')
    return [{ answer: 'unknown', sentence: `${what}s were not checked: ${judgements}` }]
  return places.flatMap(({ file, line }, at): Flaw[] => {
    const judgement = judgements[at] ?? { answer: 'unknown', reason: 'there is no result for it' }
    if (judgement.answer === 'yes') return []
    const place = `${file}:${line + (judgement.line ?? 1) - 1}`
    const verb = judgement.answer === 'no' ? 'is not valid' : 'was not checked'
    return [
      { answer: judgement.answer, sentence: `${what} in ${place} ${verb}: ${judgement.reason ?? 'no reason given'}.` },
    ]
  })
}

function missing(counts: Readonly<Record<string, number>>, needs: NonNullable<DocumentsOptions['needs']>): Flaw[] {
  const flaws: Flaw[] = []
  const docs = counts.docs ?? 0
  if (docs < (needs.docs ?? 1)) {
    const sentence = docs === 0 ? 'No documents found.' : `${docs} of ${needs.docs} required documents found.`
    flaws.push({ answer: needs.docs === undefined ? 'unknown' : 'no', sentence })
  }
  const words = { diagrams: 'Mermaid diagrams', adr: 'ADRs', c4: 'C4 diagrams', apis: 'OpenAPI files' } as const
  for (const name of ['diagrams', 'adr', 'c4', 'apis'] as const) {
    const need = needs[name] ?? (name === 'apis' ? false : undefined)
    if (counts[name] === 0 && need !== false) {
      flaws.push({ answer: need === true ? 'no' : 'unknown', sentence: `No ${words[name]} found.` })
    }
  }
  return flaws
}

function summary(counts: Readonly<Record<string, number>>): string {
  const { docs = 0, adr = 0, c4 = 0, diagrams = 0, diagramsValid, apis = 0, apisValid } = counts
  const valid = (total: number, good?: number) => (total === 0 ? '' : ` (${good ?? 'unknown number'} valid)`)
  return [
    count(docs, 'document'),
    count(adr, 'ADR'),
    count(c4, 'C4 diagram'),
    count(diagrams, 'diagram') + valid(diagrams, diagramsValid),
    `${count(apis, 'API')}${valid(apis, apisValid)}.`,
  ].join(', ')
}

function named(flaws: readonly Flaw[]): string[] {
  const sorted = [...flaws].sort((a, b) => Number(b.answer === 'no') - Number(a.answer === 'no'))
  const more = flaws.length > NAMED ? [`And ${flaws.length - NAMED} more.`] : []
  return [...sorted.slice(0, NAMED).map(({ sentence }) => sentence), ...more]
}

function remarks({ lacking, diagrams }: Found): string[] {
  const unparsed = diagrams.filter(({ kind }) => kind !== 'mermaid').length
  return [
    ...lacking
      .slice(0, NAMED)
      .map(({ file, what }) => `${file} lacks ${what.join(' and ')}, so it is not counted as an ADR.`),
    ...(unparsed > 0 ? [`${count(unparsed, 'PlantUML or Structurizr diagram')} counted but not parsed.`] : []),
  ]
}
