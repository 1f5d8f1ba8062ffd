import type { Judge } from './child.ts'

/** The packages it needs, and the file of the second that the first one imports. */
export const MERMAID = ['mermaid', 'dompurify dist/purify.es.mjs'] as const

/** Whether each text is a diagram, as Mermaid itself parses it. Runs in a process of its own: nothing from outside it. */
export const judgeMermaid: Judge<readonly string[]> = async (load, [mermaidAt = '', purifyAt = ''], texts) => {
  // Without a DOM the sanitiser is an empty shell that Mermaid trips over. Nothing is rendered here, so nothing needs to
  // be sanitised: the shell gets the few functions that are called while parsing.
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
  // What refuses the simplest of diagrams is not to be trusted with others; this ends the process, and nothing is known.
  await mermaid.parse('flowchart LR\n  a["<b>x</b>"] --> b')
  // A diagram type that comes as a package of its own: Mermaid alone cannot know it.
  const isForeign = (text: string) => /^(?:\s*%%[^\n]*\n)*\s*zenuml\b/.test(text)
  const opinions: { answer: 'yes' | 'no' | 'unknown'; line?: number; said?: string }[] = []
  for (const text of texts) {
    if (isForeign(text)) {
      opinions.push({ answer: 'unknown', said: 'zenuml is not part of Mermaid itself' })
      continue
    }
    try {
      await mermaid.parse(text)
      opinions.push({ answer: 'yes' })
    } catch (error) {
      const failure = (typeof error === 'object' && error !== null ? error : { message: String(error) }) as Failure
      const line = failure.hash?.loc?.first_line ?? failure.result?.parserErrors?.[0]?.token?.startLine
      // Mermaid takes front matter and comments out first; after that its lines are not ours any more.
      const shifted = /^\s*---\s*$|^\s*%%/m.test(text)
      const known = typeof line === 'number' && line >= 1 && line <= text.split('\n').length && !shifted
      const words = String(failure.message ?? failure.name ?? 'it cannot be parsed').replace(/\s+/g, ' ')
      opinions.push({ answer: 'no', ...(known && { line }), said: words.slice(0, 200) })
    }
  }
  return opinions
}
