import { markdownBlocks } from '../checks/markdown-blocks.ts'

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
/** The language of a fence, also as MyST and Quarto write it: `{mermaid}`. */
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

/** Every diagram of a file: the blocks of a Markdown file, or the file itself. */
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

/** `::: mermaid` ... `:::`, as wikis have it. */
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

const withoutComments = (text: string) =>
  text
    .replace(/\/\*[\s\S]*?\*\//g, '')
    .replace(/^\s*(?:\/\/|'|#).*$/gm, '')
    .trim()

const isStructurizr = (text: string) => /^\s*(?:workspace|!)/.test(withoutComments(text))

const C4_ELEMENT =
  /^\s*(?:Person|System|SystemDb|SystemQueue|Container|ContainerDb|ContainerQueue|Component|ComponentDb|ComponentQueue|Deployment_Node|Node)(?:_Ext)?\s*\(/m

/** Whether a diagram is one of the C4 model, with at least one element in it. Only Mermaid's is parsed as well. */
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
