import ts from 'typescript'
import { rows as attacks } from '../../bench/redteam/classes/index.mjs'
import { compatPaths } from '../../src/compat/index.ts'
import { BASE } from '../../src/config/defaults.ts'
import { leaves } from '../../src/config/leaves.ts'
import { valueAt } from '../../src/config/merge.ts'
import { configure } from '../../src/config/project-config.ts'
import type { PresetName } from '../../src/core/config.ts'
import { emptyState } from '../../src/core/journal/reduce.ts'
import { PRESETS, policyFor } from '../../src/core/presets/index.ts'
import type { Ending, Outcome } from '../../src/core/types.ts'
import { nextSteps } from '../../src/reports/live/next-steps.ts'
import { type Source, sources } from '../source-tree.ts'

/** Text for a cell of a table. */
const cell = (text: string): string => inTable(text).replaceAll('<', '\\<')
const code = (text: string): string => `\`${inTable(text)}\``
const inTable = (text: string): string => text.replaceAll('|', '\\|').replaceAll('\n', ' ')

/** A preset's rules, files, variables and weaknesses. */
export function presetFacts(name: string): string {
  const config = configure({ preset: name as PresetName })
  const policy = policyFor(config)
  const files = compatPaths(config)
  const variables = Object.keys(PRESETS[name as PresetName].env)
  return [
    `Rules in order: ${policy.rules.map((rule) => code(rule.name)).join(', ')}.`,
    ...(files.length === 0 ? [] : [`Files: ${files.map(code).join(', ')}.`]),
    ...(variables.length === 0 ? [] : [`Variables: ${variables.map(code).join(', ')}.`]),
    ...(policy.weaker.length === 0
      ? []
      : [['Weaker than `default`:', '', ...policy.weaker.map((each) => `- ${each}`)].join('\n')]),
  ].join('\n\n')
}

/** The classes of attacks, in the words of the docs. */
const WHERE: Readonly<Record<string, string>> = {
  sandbox: 'Your files and processes',
  'home-and-path': 'What your tools read',
  processes: 'Processes that stay',
  state: 'The state folder',
  supervisor: 'exitgate itself',
  'people-only': 'Commands that only you may use',
  secrets: 'Your secrets',
}

/** What an agent can do without the sandbox, by the scripts of the red team. */
export function waysWithoutSandbox(): string {
  const known = attacks.filter(({ knownWithoutSandbox }) => knownWithoutSandbox !== undefined)
  const groups = [...new Set(known.map((row) => row.class))].map((group) => {
    const title = WHERE[group]
    if (title === undefined) throw new Error(`attacks of the class ${group} have no title`)
    const ways = known.filter((row) => row.class === group).map((row) => `  - ${row.knownWithoutSandbox}`)
    return [`- ${title}. It can`, ...new Set(ways)].join('\n')
  })
  return groups.join('\n')
}

/** What no test shows, with the sandbox or without it. */
export function limitsOfTests(): string {
  return attacks.flatMap(({ limit }) => (limit === undefined ? [] : `- ${limit}`)).join('\n')
}

/** The sections of the configuration; keys without a section are in `general`. */
export function sections(): ReadonlyMap<string, readonly string[]> {
  const rows = new Map<string, string[]>()
  for (const { path, about, kind, node, optional } of leaves().values()) {
    const section = path.includes('.') ? (path.split('.')[0] ?? '') : 'general'
    const value = valueAt(BASE, path)
    const shown = value === undefined ? '' : code(JSON.stringify(value))
    const takes = kind === 'picklist' ? (node.options ?? []).map((option) => code(option)).join(', ') : KINDS[kind]
    const line = `| ${code(path)} | ${takes}${optional ? ' or null' : ''} | ${shown} | ${cell(about)} |`
    rows.set(section, [...(rows.get(section) ?? []), line])
  }
  return rows
}

/** The keys of these sections, with their defaults. */
export function settings(names: readonly string[]): string {
  const all = sections()
  return names
    .map((name) =>
      [`## ${name}`, '', '| key | value | default | |', '|---|---|---|---|', ...(all.get(name) ?? [])].join('\n'),
    )
    .join('\n\n')
}

const KINDS: Readonly<Record<string, string>> = {
  number: 'number',
  boolean: 'true, false',
  string: 'text',
  array: 'list',
}

const ENDINGS: Readonly<Record<Outcome, readonly Ending[]>> = {
  completed: ['verified', 'threshold', 'forced'],
  stuck: ['breaker', 'same-task', 'stagnation', 'oscillation', 'hollow-claims'],
  aborted: ['iterations', 'time', 'cost', 'tokens', 'unverifiable', 'needs-human', 'low-confidence', 'errors', 'fatal'],
  interrupted: ['interrupt'],
}

/** The next steps that the banner at the end of a run shows. */
export function endings(): string {
  const rows = Object.entries(ENDINGS).flatMap(([outcome, kinds]) =>
    kinds.map((ending) => {
      const numbers = { iterations: 0, startedAt: 0, endedAt: 0, total: { ms: 0, tokens: 0, usd: 0 }, killed: false }
      const words = { rule: '', reason: '', run: '20260102-030405-1', preset: 'default', missing: [] }
      const steps = nextSteps({ outcome: outcome as Outcome, ending, ...numbers, ...words }, emptyState())
      return `| ${code(`${outcome}/${ending}`)} | ${steps.map(cell).join(' ')} |`
    }),
  )
  return ['| ending | next |', '|---|---|', ...rows].join('\n')
}

const MODULES: Readonly<Record<string, string>> = {
  cli: 'Command line',
  config: 'Configuration',
  fleet: 'Fleet',
  hooks: 'Hooks',
  journal: 'Journal',
  library: 'Library',
  loop: 'Runs',
  parallel: 'Parallel tasks',
}
const ERRORS = new Set(['InputError', 'ConfigError', 'JournalError', 'JournalInUse', 'InstallError', 'FleetError'])

/** Every error message with which a command can end before it has done anything, by module. */
export function messages(): string {
  const found = new Map<string, Set<string>>()
  for (const source of sources('src')) {
    const folder = source.path.split('/')[1] ?? ''
    const part = MODULES[folder] ?? folder
    for (const row of thrown(source)) found.set(part, (found.get(part) ?? new Set()).add(row))
  }
  return [...found]
    .map(([part, rows]) => [`## ${part}`, '', ...[...rows].map((row) => `- ${row}`)].join('\n'))
    .join('\n\n')
}

function thrown({ path, text }: Source): readonly string[] {
  const file = ts.createSourceFile(path, text, ts.ScriptTarget.ES2023, true)
  const rows: string[] = []
  const visit = (node: ts.Node): void => {
    if (ts.isNewExpression(node) && ts.isIdentifier(node.expression) && ERRORS.has(node.expression.text)) {
      const [what, number] = node.arguments ?? []
      const message = what === undefined ? undefined : textOf(what)
      const row = message?.replace(/\s*\n\s*/g, ' ')
      if (row !== undefined) rows.push(`${row}${codeOf(node.expression.text, number)}`)
    }
    node.forEachChild(visit)
  }
  visit(file)
  return rows
}

/** Errors of the journal end with 70 unless they say 64; errors of the fleet only if they say 70. */
const codeOf = (name: string, number: ts.Expression | undefined): string => {
  if (name === 'JournalInUse') return ' (75)'
  const given = (code: string): boolean => number !== undefined && ts.isNumericLiteral(number) && number.text === code
  return (name === 'FleetError' ? given('70') : name === 'JournalError' && !given('64')) ? ' (70)' : ''
}

/** A message with names in place of its values; undefined if it is built elsewhere. */
function textOf(node: ts.Expression): string | undefined {
  if (ts.isStringLiteral(node) || ts.isNoSubstitutionTemplateLiteral(node)) return node.text
  if (ts.isBinaryExpression(node) && node.operatorToken.kind === ts.SyntaxKind.PlusToken) {
    const [left, right] = [textOf(node.left), textOf(node.right)]
    return left === undefined || right === undefined ? undefined : left + right
  }
  if (!ts.isTemplateExpression(node)) return undefined
  const parts = node.templateSpans.map(({ expression, literal }) => `‹${nameOf(expression)}›${literal.text}`)
  return `${node.head.text}${parts.join('')}`
}

function nameOf(node: ts.Expression): string {
  if (ts.isIdentifier(node)) return node.text
  if (ts.isPropertyAccessExpression(node)) return node.name.text
  return '...'
}
