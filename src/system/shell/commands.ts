import { type Command, forEachChild, type ParsedScript, parse, type SyntaxNode } from 'unbash'

/** One simple command in a line or script. */
export interface ShellCommand {
  /** The source text, on one line. */
  readonly text: string
  /** The program and its arguments without quotes. Parts that only a shell can expand stay as written. */
  readonly words: readonly string[]
  /** `NAME=value` before the program. */
  readonly assignments: readonly string[]
  /** The operator after it; `)` at the end of a group, branch, loop or function. */
  readonly next: '' | ';' | '&&' | '||' | '|' | '&' | ')'
  /** Whether it is inside a substitution, or in a script passed to another shell. */
  readonly nested: boolean
  readonly line: number
  readonly node: Command
}

/** A script with its syntax tree. */
export interface ShellScript {
  readonly source: string
  readonly tree: ParsedScript
}

/** Parses shell. Never throws: invalid text is parsed as far as possible. */
export function readShell(text: string): ShellScript {
  const source = text.replaceAll('\r\n', '\n')
  return { source, tree: parse(source) }
}

const inner = new WeakMap<Command, ShellScript | null>()
const SHELL = /^(?:.*\/)?(?:ba|da|z|k|a)?sh$/

/** The script that a command passes to another shell or to `eval`, parsed once. Undefined for other commands. */
export function innerScript(node: Command): ShellScript | undefined {
  const known = inner.get(node)
  if (known !== undefined) return known ?? undefined
  const words = wordsOf(node)
  const at = words.findIndex((word, i) => i > 0 && /^-[a-z]*c$/.test(word))
  const shell = words.findIndex((word) => SHELL.test(word))
  const text =
    words[0] === 'eval' ? words.slice(1).join(' ') : shell >= 0 && at > shell ? (words[at + 1] ?? '') : undefined
  const script = text === undefined ? null : readShell(text)
  inner.set(node, script)
  return script ?? undefined
}

/** Name and arguments without quotes. */
export function wordsOf(node: Command): string[] {
  if (node.name === undefined) return []
  const args = node.args.map((word) => (word.type === 'Word' ? word.value : word.text))
  return [nameOf(node.name), ...args]
}

/** `node_modules\.bin\jest`, as in scripts for Windows, is a path and not an escape. */
const nameOf = ({ text, value }: { readonly text: string; readonly value: string }) =>
  /^[\w.-]+(?:\\[\w.-]+)+$/.test(text) ? text.replaceAll('\\', '/') : value

/** Every simple command of a text in order, including those in substitutions and inner shells. */
export function shellCommands(text: string | ShellScript, firstLine = 1): ShellCommand[] {
  const script = typeof text === 'string' ? readShell(text) : text
  const found: ShellCommand[] = []
  collect(script, { firstLine, nested: false, depth: 0 }, found)
  return found
}

/** Limits for nested scripts, and for restarts after text that isn't shell. */
const DEEPEST = 20

interface Place {
  readonly firstLine: number
  readonly nested: boolean
  readonly depth: number
}

function collect({ source, tree }: ShellScript, { firstLine, nested, depth }: Place, found: ShellCommand[]): void {
  let counted = { pos: 0, line: firstLine }
  // Commands come in order, so every line break is counted once.
  const lineOf = (pos: number): number => {
    let { line } = counted
    for (let at = counted.pos; at < pos; at++) if (source[at] === '\n') line++
    counted = { pos: Math.max(pos, counted.pos), line }
    return counted.line
  }
  let own = source
  const visit = (node: SyntaxNode, next: ShellCommand['next'], deep: number): void => {
    if (deep > DEEPEST) return
    if (node.type === 'Script') {
      const outer = own
      own = node.source ?? own
      forEachChild(node, (child) => visit(child, '', deep + 1))
      own = outer
    } else if (node.type === 'CompoundList') {
      node.commands.forEach((child, i) => {
        visit(child, i < node.commands.length - 1 ? ';' : ')', deep)
      })
    } else if (node.type === 'Statement') {
      visit(node.command, node.background ? '&' : next, deep)
    } else if (node.type === 'AndOr' || node.type === 'Pipeline') {
      node.commands.forEach((child, i) => {
        visit(child, i < node.commands.length - 1 ? operatorOf(node.operators[i]!) : next, deep)
      })
    } else {
      if (node.type === 'Command' && (node.name !== undefined || node.prefix.length > 0)) {
        const line = lineOf(own === source ? node.pos : tree.pos)
        found.push({
          text: oneLine(own.slice(node.pos, node.end)),
          words: wordsOf(node),
          assignments: node.prefix.flatMap((each) => (each.type === 'Assignment' ? [plainAssignment(each)] : [])),
          next,
          nested: deep > 0,
          line,
          node,
        })
        const script = innerScript(node)
        if (script !== undefined && depth < DEEPEST)
          collect(script, { firstLine: line, nested: true, depth: depth + 1 }, found)
      }
      forEachChild(node, (child) => visit(child, ')', deep))
    }
  }
  tree.commands.forEach((statement, i) => {
    visit(statement, i < tree.commands.length - 1 ? ';' : '', Number(nested))
  })
  // After a parse error, continue with the next line: other shells and templates have their own syntax.
  const stopped = tree.errors?.[0]?.pos
  const next = stopped === undefined ? -1 : source.indexOf('\n', Math.max(stopped, tree.commands.at(-1)?.end ?? 0))
  if (next >= 0 && next + 1 < source.length && depth < DEEPEST)
    collect(readShell(source.slice(next + 1)), { firstLine: lineOf(next + 1), nested, depth: depth + 1 }, found)
}

const operatorOf = (operator: '&&' | '||' | '|' | '|&') => (operator === '|&' ? '|' : operator)

const plainAssignment = ({ text, name, value }: Extract<Command['prefix'][number], { type: 'Assignment' }>) =>
  value.type === 'Word' ? `${name}=${value.value}` : text

const oneLine = (text: string) => text.replace(/\\\n/g, ' ').replace(/\s+/g, ' ').trim()
