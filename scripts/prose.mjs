import { readFileSync } from 'node:fs'
import ts from 'typescript'

/**
 * The English in a file: comments, messages (strings of three words or more) and test titles of code, paragraphs of Markdown.
 * A value in a template is shown as ‹›.
 *
 * @typedef {{ kind: 'comment' | 'message' | 'title' | 'paragraph' | 'heading', line: number, text: string, start: number, end: number }} Prose
 * @returns {Prose[]}
 */
export function proseIn(file, source = readFileSync(file, 'utf8')) {
  return file.endsWith('.md') ? proseInMarkdown(source) : proseInCode(file, source)
}

const TITLES = /^(?:it|test|describe)$/
const SQL = /^\s*(?:SELECT|INSERT|UPDATE|DELETE|CREATE|ALTER|GRANT|WITH|DROP|REVOKE)\b/
const DIRECTIVE = /^\s*(?:biome-ignore|@ts-|knip-ignore|c8 ignore|#!)/

function proseInCode(file, source) {
  const tree = ts.createSourceFile(file, source, ts.ScriptTarget.Latest, true)
  const isTest = /(?:^|\/)tests\//.test(file)
  const found = commentsIn(source, tree)
  const add = (kind, node, text) =>
    found.push({ kind, line: lineAt(tree, node.getStart(tree)), text, start: node.getStart(tree), end: node.getEnd() })
  const visit = (node) => {
    if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node) || ts.isTaggedTemplateExpression(node)) return
    const isTitle = isTest && isTitleOf(node)
    if (isTitle || !isTest) {
      if (ts.isStringLiteral(node) || ts.isNoSubstitutionTemplateLiteral(node)) {
        if (isProse(node.text)) add(isTitle ? 'title' : 'message', node, node.text)
      } else if (ts.isTemplateExpression(node)) {
        const text = node.head.text + node.templateSpans.map(({ literal }) => `‹›${literal.text}`).join('')
        if (isProse(text.replaceAll('‹›', ' '))) add(isTitle ? 'title' : 'message', node, text)
      }
    }
    ts.forEachChild(node, visit)
  }
  visit(tree)
  return found.sort((one, two) => one.start - two.start)
}

/** The first argument of `it`, `test` or `describe`, also of `it.each(rows)`. */
function isTitleOf(node) {
  const call = node.parent
  if (!call || !ts.isCallExpression(call) || call.arguments[0] !== node) return false
  let called = call.expression
  while (ts.isCallExpression(called) || ts.isPropertyAccessExpression(called)) called = called.expression
  return ts.isIdentifier(called) && TITLES.test(called.text)
}

const isProse = (text) => (text.match(/[a-z]{2,}/gi)?.length ?? 0) >= 3 && /[a-z] +[a-z]/i.test(text) && !SQL.test(text)

const lineAt = (tree, at) => tree.getLineAndCharacterOfPosition(at).line + 1

function commentsIn(source, tree) {
  const ranges = new Map()
  const collect = (node) => {
    for (const range of [
      ...(ts.getLeadingCommentRanges(source, node.getFullStart()) ?? []),
      ...(ts.getTrailingCommentRanges(source, node.getEnd()) ?? []),
    ])
      ranges.set(range.pos, range)
    for (const child of node.getChildren(tree)) if (child.kind !== ts.SyntaxKind.JSDocComment) collect(child)
  }
  collect(tree)
  const found = []
  for (const { pos, end, kind } of [...ranges.values()].sort((one, two) => one.pos - two.pos)) {
    const raw = source.slice(pos, end)
    const text =
      kind === ts.SyntaxKind.SingleLineCommentTrivia
        ? raw.slice(2).trim()
        : raw
            .slice(2, -2)
            .replace(/^\*/, '')
            .replace(/^[ \t]*\*[ \t]?/gm, '')
            .trim()
    if (DIRECTIVE.test(text) || text === '') continue
    const last = found.at(-1)
    // Lines of // that follow one another are one comment.
    if (
      last?.slashes &&
      kind === ts.SyntaxKind.SingleLineCommentTrivia &&
      /^\n[ \t]*$/.test(source.slice(last.end, pos))
    ) {
      last.text += ` ${text}`
      last.end = end
    } else
      found.push({ kind: 'comment', line: lineAt(tree, pos), text, start: pos, end, slashes: raw.startsWith('//') })
  }
  return found.map(({ slashes: _, ...comment }) => ({ ...comment, text: comment.text.replace(/\s*\n\s*/g, ' ') }))
}

function proseInMarkdown(source) {
  const found = []
  let [fenced, start, block] = [false, 0, []]
  const flush = () => {
    const text = plain(block.join(' '))
    if (isProse(text)) found.push({ kind: 'paragraph', line: start, text, start: 0, end: 0 })
    block = []
  }
  for (const [index, line] of source.split('\n').entries()) {
    const isFence = /^\s*(?:```|~~~)/.test(line)
    if (isFence) fenced = !fenced
    const heading = /^#{1,6} (.*)/.exec(line)
    const isRow = /^\s*\|/.test(line)
    if (fenced || isFence || heading || isRow || /^\s*(?:[-*+]|\d+\.) /.test(line) || line.trim() === '') flush()
    if (fenced || isFence || line.trim() === '' || /^(?: {4,}|<)/.test(line) || /^\s*\|[\s:|-]+\|\s*$/.test(line))
      continue
    if (heading) found.push({ kind: 'heading', line: index + 1, text: plain(heading[1]), start: 0, end: 0 })
    else if (isRow)
      for (const cell of line.split(/(?<!\\)\|/).map(plain)) {
        if (isProse(cell)) found.push({ kind: 'paragraph', line: index + 1, text: cell, start: 0, end: 0 })
      }
    else {
      if (block.length === 0) start = index + 1
      block.push(line.trim().replace(/^(?:[-*+]|\d+\.|>) +/, ''))
    }
  }
  flush()
  return found
}

/** Without code, addresses and emphasis: what is left is read as English. */
const plain = (text) =>
  text
    .replace(/`[^`]*`/g, '‹›')
    .replace(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replace(/<[^>]+>/g, '')
    .replace(/[*_]{1,2}(\S(?:.*?\S)?)[*_]{1,2}/g, '$1')
    .trim()
