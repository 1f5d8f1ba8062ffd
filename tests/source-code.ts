import { dirname, posix } from 'node:path'
import ts from 'typescript'
import type { Source } from './source-tree.ts'

/** Every module a file names, static, dynamic or as a type; relative ones as paths from the root of the repository. */
export function importsOf(source: Source): readonly string[] {
  const { path, text } = source
  const known = importsOfSource.get(source)
  if (known !== undefined) return known
  const { importedFiles } = ts.preProcessFile(text, true, true)
  const imports = importedFiles.map(({ fileName }) =>
    fileName.startsWith('.') ? posix.join(dirname(path), fileName) : fileName,
  )
  importsOfSource.set(source, imports)
  return imports
}
const importsOfSource = new WeakMap<Source, readonly string[]>()

const worldly = new Set([
  'process',
  'Buffer',
  'performance',
  'fetch',
  'require',
  'setTimeout',
  'setInterval',
  'setImmediate',
])
const worldlyMembers = new Set(['Date.now', 'Math.random', 'crypto.randomUUID', 'crypto.getRandomValues'])
const WORLDLY = new RegExp(`\\b(?:${[...worldly, 'Date', 'Math', 'crypto', 'meta', 'target'].join('|')})\\b`)

/** Where a source reaches for a clock, for chance or for its surroundings, as `line: expression`. */
export function reachesOut(source: Source): string[] {
  return find(source, WORLDLY, (node) => {
    if (ts.isPropertyAccessExpression(node)) {
      if (ts.isIdentifier(node.expression) && worldlyMembers.has(`${node.expression.text}.${node.name.text}`))
        return true
      return node.expression.kind === ts.SyntaxKind.MetaProperty
    }
    if (ts.isNewExpression(node)) return named(node.expression, 'Date') && (node.arguments?.length ?? 0) === 0
    if (ts.isCallExpression(node)) return named(node.expression, 'Date')
    return ts.isIdentifier(node) && worldly.has(node.text) && isFree(node)
  })
}

/** `any`, and comments that tell the compiler to look away. */
export function looksAway(source: Source): string[] {
  const comments = [...source.text.matchAll(/@ts-(ignore|nocheck|expect-error)/g)].map(
    ({ index }) => `${source.text.slice(0, index).split('\n').length}: @ts comment`,
  )
  return [...find(source, /\bany\b/, (node) => node.kind === ts.SyntaxKind.AnyKeyword), ...comments]
}

const outcomes = new Set(['completed', 'stuck', 'aborted', 'interrupted'])
/** A key, perhaps with a comment after it. */
const NUMBERED = new RegExp(`\\b(?:${[...outcomes].join('|')})\\b['"]?\\s*[:/]`)

/** A table from outcomes to numbers. */
export function numbersOutcomes(source: Source): string[] {
  return find(source, NUMBERED, (node) => {
    if (!ts.isObjectLiteralExpression(node)) return false
    const numbered = node.properties.filter(
      (property) =>
        ts.isPropertyAssignment(property) &&
        outcomes.has(property.name.getText().replace(/['"]/g, '')) &&
        ts.isNumericLiteral(property.initializer),
    )
    return numbered.length > 1
  })
}

/** `process.exit` and `process.exitCode`. */
export function endsProcess(source: Source): string[] {
  return find(
    source,
    /process[\s\S]*exit/,
    (node) =>
      ts.isPropertyAccessExpression(node) &&
      named(node.expression, 'process') &&
      (node.name.text === 'exit' || node.name.text === 'exitCode'),
  )
}

/** The same with the number written on the spot. */
export function endsProcessWithLiteral(source: Source): string[] {
  return find(source, /process[\s\S]*exit/, (node) => {
    if (ts.isCallExpression(node)) {
      return node.expression.getText() === 'process.exit' && node.arguments.some((value) => ts.isNumericLiteral(value))
    }
    if (!ts.isBinaryExpression(node) || node.operatorToken.kind !== ts.SyntaxKind.EqualsToken) return false
    return node.left.getText() === 'process.exitCode' && ts.isNumericLiteral(node.right)
  })
}

/** An escaped letter, which could hide a word. */
const ESCAPED = /\\u(?:\{0*|00)[4-7]/

/** Parsing takes almost all the time, and most files lack the `words` without which there is nothing to find. */
function find({ path, text }: Source, words: RegExp, wanted: (node: ts.Node) => boolean): string[] {
  if (!words.test(text) && !ESCAPED.test(text)) return []
  const file = ts.createSourceFile(path, text, ts.ScriptTarget.ES2023, true)
  const found: string[] = []
  const visit = (node: ts.Node): void => {
    if (wanted(node)) {
      const { line } = file.getLineAndCharacterOfPosition(node.getStart())
      found.push(`${line + 1}: ${node.getText().split('\n')[0]}`)
    }
    node.forEachChild(visit)
  }
  visit(file)
  return found
}

function named(node: ts.Node, name: string): boolean {
  return ts.isIdentifier(node) && node.text === name
}

/** The word itself, not a member, key, parameter or type of that name. */
function isFree(node: ts.Identifier): boolean {
  const parent = node.parent
  if (ts.isPropertyAccessExpression(parent)) return parent.expression === node
  if (ts.isQualifiedName(parent) || ts.isTypeReferenceNode(parent)) return false
  const isName = 'name' in parent && parent.name === node
  return !isName || ts.isShorthandPropertyAssignment(parent)
}

/** Groups of files that import each other, directly or around corners (Tarjan's strongly connected components). */
export function cycles(files: readonly Source[]): string[][] {
  const targets = new Map(files.map((file) => [file.path, importsOf(file)] as const))
  const order = new Map<string, number>()
  const low = new Map<string, number>()
  const stack: string[] = []
  const found: string[][] = []
  const visit = (path: string): void => {
    order.set(path, order.size)
    low.set(path, order.get(path)!)
    stack.push(path)
    for (const target of targets.get(path) ?? []) {
      if (!targets.has(target)) continue
      if (!order.has(target)) visit(target)
      if (stack.includes(target)) low.set(path, Math.min(low.get(path)!, low.get(target)!))
    }
    if (low.get(path) !== order.get(path)) return
    const group = stack.splice(stack.indexOf(path)).sort()
    if (group.length > 1) found.push(group)
  }
  for (const { path } of files) if (!order.has(path)) visit(path)
  return found
}
