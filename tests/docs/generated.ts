import ts from 'typescript'
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

/** Text as a cell of a table may hold it. */
const cell = (text: string): string => inTable(text).replaceAll('<', '\\<')
const code = (text: string): string => `\`${inTable(text)}\``
const inTable = (text: string): string => text.replaceAll('|', '\\|').replaceAll('\n', ' ')

/** What a preset is made of. */
export function presetFacts(name: string): string {
  const config = configure({ preset: name as PresetName })
  const policy = policyFor(config)
  const files = compatPaths(config)
  const variables = Object.keys(PRESETS[name as PresetName].env)
  return [
    `Rules in order: ${policy.rules.map((rule) => code(rule.name)).join(', ')}.`,
    ...(files.length === 0 ? [] : [`Files: ${files.map(code).join(', ')}.`]),
    ...(variables.length === 0 ? [] : [`Variables: ${variables.map(code).join(', ')}.`]),
    ...(policy.weaker.length === 0 ? [] : [`Weaker than \`default\`: ${policy.weaker.join('; ')}.`]),
  ].join('\n\n')
}

/** Every key, section by section, with its default. */
export function configurationKeys(): string {
  const rows = new Map<string, string[]>()
  for (const { path, about, kind, node, optional } of leaves().values()) {
    const section = path.includes('.') ? (path.split('.')[0] ?? '') : ''
    const value = valueAt(BASE, path)
    const shown = value === undefined ? '' : code(JSON.stringify(value))
    const takes = kind === 'picklist' ? (node.options ?? []).map((option) => code(option)).join(', ') : KINDS[kind]
    const line = `| ${code(path)} | ${takes}${optional ? ' or null' : ''} | ${shown} | ${cell(about)} |`
    rows.set(section, [...(rows.get(section) ?? []), line])
  }
  return [...rows]
    .map(([section, lines]) =>
      [
        `## ${section === '' ? 'General' : section}`,
        '',
        '| key | value | default | |',
        '|---|---|---|---|',
        ...lines,
      ].join('\n'),
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

/** What the banner at the end of a run says that a person can do. */
export function endings(): string {
  const rows = Object.entries(ENDINGS).flatMap(([outcome, kinds]) =>
    kinds.map((ending) => {
      const numbers = { iterations: 0, startedAt: 0, endedAt: 0, total: { ms: 0, tokens: 0, usd: 0 }, killed: false }
      const words = { rule: '', reason: '', run: '20260102-030405-1', preset: 'default', missing: [] }
      const steps = nextSteps({ outcome: outcome as Outcome, ending, ...numbers, ...words }, emptyState())
      return `| ${code(`${outcome}/${ending}`)} | ${cell(steps.join('; '))} |`
    }),
  )
  return ['| ending | next |', '|---|---|', ...rows].join('\n')
}

const ROOMS: Readonly<Record<string, string>> = {
  cli: 'The command line',
  config: 'Configuration files',
  fleet: 'The fleet',
  integrations: 'Hooks in the configuration of a host',
  journal: 'The journal',
  loop: 'Runs',
}
const ERRORS = new Set(['InputError', 'ConfigError', 'JournalError', 'InstallError', 'FleetError'])

/** Every sentence with which a command can end before it has done anything, by the part of the program that says it. */
export function sentences(): string {
  const found = new Map<string, Set<string>>()
  for (const source of sources('src')) {
    const room = source.path.split('/')[1] ?? ''
    const part = ROOMS[room] ?? room
    for (const row of thrown(source)) found.set(part, (found.get(part) ?? new Set()).add(row))
  }
  return [...found]
    .map(([part, rows]) => [`### ${part}`, '', ...[...rows].map((row) => `- ${row}`)].join('\n'))
    .join('\n\n')
}

function thrown({ path, text }: Source): readonly string[] {
  const file = ts.createSourceFile(path, text, ts.ScriptTarget.ES2023, true)
  const rows: string[] = []
  const visit = (node: ts.Node): void => {
    if (ts.isNewExpression(node) && ts.isIdentifier(node.expression) && ERRORS.has(node.expression.text)) {
      const [what, number] = node.arguments ?? []
      const sentence = what === undefined ? undefined : wordsOf(what)
      // What goes on over several lines is one row of the list.
      const row = sentence?.replace(/\s*\n\s*/g, ' ')
      if (row !== undefined) rows.push(isTrouble(node.expression.text, number) ? `${row} (70)` : row)
    }
    node.forEachChild(visit)
  }
  visit(file)
  return rows
}

/** The journal's own trouble, unless it says that the request was wrong; of the fleet it is said where it is one. */
const isTrouble = (name: string, number: ts.Expression | undefined): boolean => {
  const says = (code: string): boolean => number !== undefined && ts.isNumericLiteral(number) && number.text === code
  return name === 'FleetError' ? says('70') : name === 'JournalError' && !says('64')
}

/** A sentence with names in place of its values; undefined when it is put together elsewhere. */
function wordsOf(node: ts.Expression): string | undefined {
  if (ts.isStringLiteral(node) || ts.isNoSubstitutionTemplateLiteral(node)) return node.text
  if (!ts.isTemplateExpression(node)) return undefined
  const parts = node.templateSpans.map(({ expression, literal }) => `‹${nameOf(expression)}›${literal.text}`)
  return `${node.head.text}${parts.join('')}`
}

function nameOf(node: ts.Expression): string {
  if (ts.isIdentifier(node)) return node.text
  if (ts.isPropertyAccessExpression(node)) return node.name.text
  return '...'
}
