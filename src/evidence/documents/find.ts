import { globMatcher } from '../../system/glob.ts'
import { changeOf } from '../artifacts/since.ts'
import type { CheckContext } from '../types.ts'
import { lackingInAdr, mayBeAdr } from './adr.ts'
import { isApi, mayBeApi } from './apis.ts'
import { type Diagram, diagramsIn, mayHoldDiagrams } from './diagrams.ts'

export interface FindOptions {
  /** Globs of what counts as a document. */
  readonly docs?: readonly string[]
  /** Globs of files that are not looked at. */
  readonly ignore?: readonly string[]
}

/** All that the workspace has in the way of documents, before anything of it is judged. */
export interface Found {
  readonly docs: readonly string[]
  /** Of these, what was added or changed since the baseline; undefined without one. */
  readonly docsChanged?: readonly string[]
  readonly adrs: readonly string[]
  /** Files that lie where decision records lie, each with what it lacks to be one. */
  readonly lacking: readonly { readonly file: string; readonly what: readonly string[] }[]
  readonly diagrams: readonly Diagram[]
  readonly apis: readonly { readonly path: string; readonly text: string }[]
}

const PROSE = '{md,mdx,markdown,rst,adoc,asciidoc,txt}'
const DOCS = [
  `**/{docs,doc,documentation,adr,adrs,decisions}/**/*.${PROSE}`,
  `{README,readme,Readme,ARCHITECTURE,architecture}*.${PROSE}`,
]
/** Somebody else's, or made to be wrong. */
const IGNORED = ['**/{node_modules,vendor,third_party,testdata,fixtures,__fixtures__,golden}/**', '.exitgate/**']
const LEAST_LETTERS = 20

export async function findDocuments(context: CheckContext, options: FindOptions): Promise<Found> {
  const { workspace, baseline } = context
  const isDoc = anyOf(options.docs ?? DOCS)
  const isIgnored = anyOf([...IGNORED, ...(options.ignore ?? [])])
  const listed = await workspace.list()
  const docs: string[] = []
  const adrs: string[] = []
  const lacking: { file: string; what: readonly string[] }[] = []
  const diagrams: Diagram[] = []
  const apis: { path: string; text: string }[] = []
  for (const file of listed) {
    const doc = isDoc(file)
    if ((!doc && !mayHoldDiagrams(file) && !mayBeApi(file)) || isIgnored(file)) continue
    const text = workspace.read(file)
    if (text === undefined) continue
    if (doc && isWritten(text)) docs.push(file)
    if (mayBeAdr(file)) {
      const what = lackingInAdr(text)
      if (what.length === 0) adrs.push(file)
      else lacking.push({ file, what })
    }
    if (mayHoldDiagrams(file)) diagrams.push(...diagramsIn(file, text))
    if (mayBeApi(file) && isApi(file, text)) apis.push({ path: file, text })
  }
  const changed = docs.filter((file) => baseline !== undefined && changeOf(file, context, listed).answer === 'yes')
  return { docs, adrs, lacking, diagrams, apis, ...(baseline !== undefined && { docsChanged: changed }) }
}

function anyOf(globs: readonly string[]): (path: string) => boolean {
  const matchers = globs.map((glob) => globMatcher(glob))
  return (path) => matchers.some((fits) => fits(path))
}

/** A document is more than its headings. */
function isWritten(text: string): boolean {
  const prose = text.replace(/<!--[\s\S]*?-->/g, '').replace(/^\s*(?:#|=).*$/gm, '')
  return (prose.match(/[\p{L}\p{N}]/gu)?.length ?? 0) >= LEAST_LETTERS
}
