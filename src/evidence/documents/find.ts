import { globMatcher } from '../../system/glob.ts'
import { changeOf } from '../baseline/changed.ts'
import { markdownBlocks } from '../checks/markdown-blocks.ts'
import type { CheckContext } from '../types.ts'
import { type Diagram, diagramsIn, mayHoldDiagrams } from './diagrams.ts'

const VERSION = /^(?:openapi|swagger)\s*:\s*(['"]?)\d/m
const JSON_VERSION = /"(?:openapi|swagger)"\s*:\s*"\d/

const mayBeApi = (path: string): boolean => /\.(?:ya?ml|json)$/i.test(path)

/** Whether a text describes an API: `openapi` or `swagger` is one of its top-level keys. */
export function isApi(path: string, text: string): boolean {
  const json = /^\s*\{/.test(text)
  if (!json) return !/\.json$/i.test(path) && VERSION.test(text)
  if (!JSON_VERSION.test(text)) return false
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && ('openapi' in value || 'swagger' in value)
  } catch {
    // Broken JSON that starts like one was meant as one. It counts, and is then reported as broken.
    return /^\s*\{\s*"(?:openapi|swagger)"/.test(text)
  }
}

const FOLDER = /(?:^|\/)(?:adrs?|decisions|architecture-decisions|architecture_decisions|architectural-decisions)\//i
/** `0001-use-postgres.md`, `adr-001-use-postgres.md`, `ADR-0001.md`, `2024-01-05-use-postgres.md`. */
const NAME = /(?:^|\/)(?:adr[-_ ]?)?\d{1,8}(?:[-_. ][^/]*)?\.(?:md|markdown|mdx)$/i
const TEMPLATE = /template|example/i

export const mayBeAdr = (path: string): boolean =>
  FOLDER.test(path) && NAME.test(path) && !TEMPLATE.test(path.slice(path.lastIndexOf('/')))

/** What an architecture decision record lacks; empty if it is complete. */
export function lackingInAdr(text: string): readonly string[] {
  const sections = sectionsOf(text)
  const hasSection = (name: RegExp) => sections.some(({ title, filled }) => name.test(title) && filled)
  const status =
    /^(?:\s*[-*+]\s*)?(?:\*\*|__)?status(?:\*\*|__)?\s*:\s*(?:\*\*|__)?\s*\S/im.test(text) || hasSection(/^status\b/i)
  return [
    ...(status ? [] : ['a status']),
    ...(hasSection(/^(?:context|problem)\b/i) ? [] : ['a context']),
    ...(hasSection(/^decision(?! drivers)\b/i) ? [] : ['a decision']),
  ]
}

interface Section {
  readonly title: string
  /** There is text under the heading or in one of its sub-sections. */
  filled: boolean
  readonly level: number
}

function sectionsOf(text: string): readonly Section[] {
  const sections: Section[] = []
  let path: Section[] = []
  for (const block of markdownBlocks(text)) {
    if (block.kind === 'heading') {
      // "2. Decision" counts as "Decision".
      const title = block.text.replace(/^[\d.\s*_]+/, '')
      path = [...path.filter(({ level }) => level < block.level), { title, filled: false, level: block.level }]
      sections.push(path.at(-1)!)
    } else for (const section of path) section.filled = true
  }
  return sections
}

export interface FindOptions {
  /** Globs of what counts as a document. */
  readonly docs?: readonly string[]
  /** Globs of files to skip. */
  readonly ignore?: readonly string[]
}

/** All documents of the workspace, before they are judged. */
export interface Found {
  readonly docs: readonly string[]
  /** Of these, what was added or changed since the baseline; undefined without one. */
  readonly docsChanged?: readonly string[]
  readonly adrs: readonly string[]
  /** Files in a folder of decision records, each with what it lacks. */
  readonly lacking: readonly { readonly file: string; readonly what: readonly string[] }[]
  readonly diagrams: readonly Diagram[]
  readonly apis: readonly { readonly path: string; readonly text: string }[]
}

const PROSE = '{md,mdx,markdown,rst,adoc,asciidoc,txt}'
const DOCS = [
  `**/{docs,doc,documentation,adr,adrs,decisions}/**/*.${PROSE}`,
  `{README,readme,Readme,ARCHITECTURE,architecture}*.${PROSE}`,
]
/** Not the project's own, or broken on purpose. */
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

/** A document has more than headings. */
function isWritten(text: string): boolean {
  const prose = text.replace(/<!--[\s\S]*?-->/g, '').replace(/^\s*(?:#|=).*$/gm, '')
  return (prose.match(/[\p{L}\p{N}]/gu)?.length ?? 0) >= LEAST_LETTERS
}
