import { findAt, is, plain, type Token } from '../source/token.ts'
import type { Marker } from './model.ts'

export interface Alias {
  readonly root: string
  readonly modifiers: readonly string[]
  markers(line: number): readonly Marker[]
}

const CHAIN = /^((?:it|test|describe|context|suite|specify)) ?((?:\. \w+ ?)*)$/

/** `const maybe = it.skip` and `const onLinux = linux ? it : it.skip`: other names for the words that declare tests. */
export function aliasesOf(tokens: readonly Token[]): Map<string, Alias> {
  const aliases = new Map<string, Alias>()
  for (let i = 0; i + 3 < tokens.length; i++) {
    if (!/^(?:const|let|var)$/.test(tokens[i]!.text) || tokens[i + 1]!.kind !== 'word' || !is(tokens[i + 2], '='))
      continue
    const end = statementEnd(tokens, i + 3)
    if (end - i > LONG) continue
    const value = plain(tokens, [i + 3, end])
    const question = findAt(tokens, [i + 3, end], (token) => is(token, '?'))
    const alias = question < 0 ? plainAlias(value) : choice(value, plain(tokens, [i + 3, question]))
    if (alias && alias.root !== tokens[i + 1]!.text) aliases.set(tokens[i + 1]!.text, alias)
    else if (alias && alias.modifiers.length > 0) aliases.set(tokens[i + 1]!.text, alias)
  }
  return aliases
}

/** No alias takes more tokens than this. */
const LONG = 30

function statementEnd(tokens: readonly Token[], from: number): number {
  const end = findAt(
    tokens,
    [from, Math.min(tokens.length, from + LONG)],
    (token, i) => is(token, ';') || (i > from && token.first && !/^[.?:]/.test(token.text)),
  )
  return end < 0 ? from + LONG : end
}

function plainAlias(value: string): Alias | undefined {
  const match = CHAIN.exec(value)
  if (!match) return undefined
  const modifiers = match[2]!.split(/[\s.]+/).filter((word) => word !== '')
  const markers = (line: number) =>
    modifiers.flatMap((word): Marker[] =>
      word === 'skip' || word === 'todo' || word === 'fixme'
        ? [{ kind: 'skip', text: value.replaceAll(' ', ''), line }]
        : word === 'only'
          ? [{ kind: 'focus', text: value.replaceAll(' ', ''), line }]
          : [],
    )
  return { root: match[1]!, modifiers, markers }
}

function choice(value: string, condition: string): Alias | undefined {
  const match = /\? (.+) : (.+)$/.exec(value)
  if (!match) return undefined
  const [yes, no] = [plainAlias(match[1]!.trim()), plainAlias(match[2]!.trim())]
  if (!yes || !no) return undefined
  const skipsWhen = yes.modifiers.includes('skip')
    ? condition
    : no.modifiers.includes('skip')
      ? `! ( ${condition} )`
      : undefined
  return {
    root: yes.root,
    modifiers: [],
    markers: (line) => (skipsWhen === undefined ? [] : [{ kind: 'skip', text: value, line, condition: skipsWhen }]),
  }
}
