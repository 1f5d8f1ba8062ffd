import { markdownBlocks } from '../checks/markdown-blocks.ts'
import type { Judge } from './run-judge.ts'

export type DiagramKind = 'mermaid' | 'plantuml' | 'structurizr'

export interface Diagram {
  readonly kind: DiagramKind
  readonly file: string
  /** 1-based line of its first line. */
  readonly line: number
  readonly text: string
}

const MARKDOWN = /\.(?:md|mdx|markdown|mdown|mkd)$/i
const FILES: readonly (readonly [RegExp, DiagramKind])[] = [
  [/\.(?:mmd|mermaid)$/i, 'mermaid'],
  [/\.(?:puml|plantuml|pu|iuml|wsd)$/i, 'plantuml'],
  [/\.dsl$/i, 'structurizr'],
]
/** The language of a fence, including the MyST and Quarto form `{mermaid}`. */
const LANGUAGES: Readonly<Record<string, DiagramKind>> = {
  mermaid: 'mermaid',
  mmd: 'mermaid',
  plantuml: 'plantuml',
  puml: 'plantuml',
  'c4-plantuml': 'plantuml',
  c4plantuml: 'plantuml',
  structurizr: 'structurizr',
}

export const mayHoldDiagrams = (path: string): boolean =>
  MARKDOWN.test(path) || FILES.some(([ending]) => ending.test(path))

/** Every diagram in a file: the blocks of a Markdown file, or the file itself. */
export function diagramsIn(file: string, text: string): Diagram[] {
  const own = FILES.find(([ending]) => ending.test(file))?.[1]
  if (own !== undefined)
    return own === 'structurizr' && !isStructurizr(text) ? [] : [{ kind: own, file, line: 1, text }]
  if (!/mermaid|mmd|p(?:lant)?uml|structurizr/i.test(text)) return []
  const diagrams = markdownBlocks(text).flatMap((block): Diagram[] => {
    if (block.kind !== 'code') return []
    const language = /^[{.\s]*([\w-]+)/.exec(block.info)?.[1]?.toLowerCase() ?? ''
    const kind = Object.hasOwn(LANGUAGES, language) ? LANGUAGES[language] : undefined
    return kind === undefined ? [] : [{ kind, file, line: block.line, text: block.lines.join('\n') }]
  })
  return [...diagrams, ...colonFences(file, text)].sort((a, b) => a.line - b.line)
}

/** `::: mermaid` ... `:::`, as in wikis. */
function colonFences(file: string, text: string): Diagram[] {
  const lines = text.split(/\r\n|\n|\r/)
  const found: Diagram[] = []
  for (let at = 0; at < lines.length; at++) {
    if (!/^ {0,3}:::\s*mermaid\s*$/i.test(lines[at]!)) continue
    const end = lines.findIndex((line, index) => index > at && /^ {0,3}:::\s*$/.test(line))
    const until = end < 0 ? lines.length : end
    found.push({ kind: 'mermaid', file, line: at + 2, text: lines.slice(at + 1, until).join('\n') })
    at = until
  }
  return found
}

/** Whether a diagram is a C4 diagram with at least one element. Of these, only Mermaid diagrams are also parsed. */
export function isC4({ kind, text }: Diagram): boolean {
  if (kind === 'mermaid') {
    const body = text.replace(/^\s*---\r?\n[\s\S]*?\n---\s*$/m, '').replace(/^\s*%%.*$/gm, '')
    return /^\s*C4(?:Context|Container|Component|Dynamic|Deployment)\b/.test(body) && C4_ELEMENT.test(body)
  }
  if (kind === 'plantuml') {
    const includes =
      /^\s*!include(?:url|_once|_many)?\s+.*C4_(?:Context|Container|Component|Dynamic|Deployment|Sequence)\b/im
    return includes.test(text) && C4_ELEMENT.test(text) && /^\s*@enduml\b/m.test(text)
  }
  const body = withoutComments(text)
  const view = /^\s*(?:systemLandscape|systemContext|container|component|dynamic|deployment)\b[^\n]*\{/m
  return /^workspace\b/.test(body) && /\bmodel\s*\{/.test(body) && /\bviews\s*\{/.test(body) && view.test(body)
}

const C4_ELEMENT =
  /^\s*(?:Person|System|SystemDb|SystemQueue|Container|ContainerDb|ContainerQueue|Component|ComponentDb|ComponentQueue|Deployment_Node|Node)(?:_Ext)?\s*\(/m

const isStructurizr = (text: string) => /^\s*(?:workspace|!)/.test(withoutComments(text))

const withoutComments = (text: string) =>
  text
    .replace(/\/\*[\s\S]*?\*\//g, '')
    .replace(/^\s*(?:\/\/|'|#).*$/gm, '')
    .trim()

/** The packages it needs, and the file of the second that the first imports. */
export const MERMAID = ['mermaid', 'dompurify dist/purify.es.mjs'] as const

/** Whether each text is a diagram that Mermaid itself can parse. Runs in its own process, so it can use nothing from this file. */
export const judgeMermaid: Judge<readonly string[]> = async (load, [mermaidAt = '', purifyAt = ''], texts) => {
  // Without a DOM, the sanitiser is an empty shell that makes Mermaid fail. Nothing is rendered here, so nothing needs to be
  // sanitised: the shell gets the few functions that parsing calls.
  const { default: purify } = (await load(purifyAt)) as { default: Record<string, unknown> }
  purify.sanitize = String
  for (const name of ['addHook', 'removeHook', 'removeHooks', 'removeAllHooks', 'setConfig', 'clearConfig']) {
    purify[name] = () => {}
  }
  interface Failure {
    readonly name?: string
    readonly message?: string
    readonly hash?: { readonly loc?: { readonly first_line?: number }; readonly line?: number }
    readonly result?: { readonly parserErrors?: readonly { readonly token?: { readonly startLine?: number } }[] }
  }
  interface Parser {
    parse(text: string): Promise<unknown>
  }
  const { default: mermaid } = (await load(mermaidAt)) as { default: Parser }
  // If it rejects the simplest diagram, its results can't be trusted. This ends the process, and the answer is unknown.
  await mermaid.parse('flowchart LR\n  a["<b>x</b>"] --> b')
  // A diagram type from a separate package, which Mermaid alone does not know.
  const isForeign = (text: string) => /^(?:\s*%%[^\n]*\n)*\s*zenuml\b/.test(text)
  const results: { answer: 'yes' | 'no' | 'unknown'; line?: number; reason?: string }[] = []
  for (const text of texts) {
    if (isForeign(text)) {
      results.push({ answer: 'unknown', reason: 'zenuml is not part of Mermaid itself' })
      continue
    }
    try {
      await mermaid.parse(text)
      results.push({ answer: 'yes' })
    } catch (error) {
      const failure = (typeof error === 'object' && error !== null ? error : { message: String(error) }) as Failure
      const line = failure.hash?.loc?.first_line ?? failure.result?.parserErrors?.[0]?.token?.startLine
      // Mermaid removes front matter and comments first; after that, its line numbers don't match ours.
      const shifted = /^\s*---\s*$|^\s*%%/m.test(text)
      const known = typeof line === 'number' && line >= 1 && line <= text.split('\n').length && !shifted
      const words = String(failure.message ?? failure.name ?? 'it cannot be parsed').replace(/\s+/g, ' ')
      results.push({ answer: 'no', ...(known && { line }), reason: words.slice(0, 200) })
    }
  }
  return results
}
