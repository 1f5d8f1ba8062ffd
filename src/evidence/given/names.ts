/** Names that people and older tools use for checks and counts, and our name for each. */

/** Ignores case and separators: `testsTotal`, `tests_total`, `tests-total` and `tests.total` are one name. */
export const normalizeName = (name: string): string => name.toLowerCase().replace(/[^a-z0-9]/g, '')

/** Names that would reach an object's prototype. */
export const isUnsafe = (name: string): boolean => ['__proto__', 'constructor', 'prototype'].includes(name)

const CHECKS: Readonly<Record<string, readonly string[]>> = {
  tests: ['test', 'tests_pass', 'tests_passing', 'tests_passed', 'tests_ok'],
  build: ['build_ok', 'build_pass', 'build_passes', 'build_succeeds'],
  lint: ['lint_ok', 'lint_clean'],
  typecheck: ['types', 'types_ok', 'typecheck_ok'],
  changed: ['git_changed', 'has_changes', 'files_changed'],
  clean: ['clean_git', 'git_clean', 'clean_tree'],
  checklist: ['plan', 'roadmap', 'fix_plan', 'stories', 'plan_complete', 'plans_complete'],
  criteria: ['acceptance_criteria', 'acceptance_criteria_met', 'criteria_met'],
  'task-done': ['done_file', 'task_in_done'],
  artifacts: ['artefacts'],
  documents: ['docs', 'documentation'],
  tampering: [],
  proven: ['red_proof'],
  'baseline-tests': [],
  'special-cased': [],
  mutation: ['mutation_testing'],
  examples: [],
  'held-out': [],
  review: [],
  flakes: ['flaky'],
  quality: [],
}

const COUNTS: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  tests: {
    total: ['tests_total', 'total_tests', 'tests_generated', 'tests_count', 'generated', 'count'],
    passed: ['pass', 'passing', 'tests_passed', 'tests_passing'],
    failed: ['fail', 'failing', 'failures', 'tests_failed', 'tests_failing'],
    skipped: ['skip', 'tests_skipped'],
    excused: ['tests_excused', 'known_failures'],
    greenRuns: ['green_runs', 'consecutive_green_runs', 'consecutive_green', 'consecutive_runs'],
  },
  criteria: {
    total: ['criteria_count', 'criteria_total', 'count'],
    met: ['covered', 'criteria_covered', 'criteria_met'],
  },
  checklist: {
    total: ['items', 'tasks', 'plan_total'],
    done: ['completed', 'complete', 'checked', 'ticked'],
    open: ['remaining', 'unchecked', 'incomplete'],
  },
  documents: {
    docs: ['documents', 'docs_generated', 'docs_count', 'docs_total'],
    diagrams: ['diagrams_total', 'diagram_count'],
    diagramsValid: ['valid_diagrams'],
    allDiagramsValid: [],
    adr: ['has_adr', 'adrs'],
    c4: ['has_c4', 'has_c4_diagrams'],
  },
  proven: { proves: [], vacuous: [], couldNotRun: [], required: [] },
  mutation: { mutants: [], killed: [], survived: [], untested: [] },
  review: { blocking: ['blocking_issues'], approved: ['verdict'] },
  quality: {
    complexity: ['complexity_score'],
    duplication: ['duplication_count'],
    patterns: ['patterns_applied'],
  },
}

/** Most names are canonical; the others are collected when the first of them is needed. */
function onFirstUse<T>(make: () => T): () => T {
  let made: T | undefined
  return () => {
    made ??= make()
    return made
  }
}

const checkByAlias = onFirstUse(
  () =>
    new Map(
      Object.entries(CHECKS).flatMap(([check, aliases]) =>
        [check, ...aliases].map((alias) => [normalizeName(alias), check] as const),
      ),
    ),
)
const countByAlias = onFirstUse(
  () =>
    new Map(
      Object.entries(COUNTS).map(([check, counts]) => [
        check,
        new Map(
          Object.entries(counts).flatMap(([count, aliases]) =>
            [count, ...aliases].map((alias) => [normalizeName(alias), count] as const),
          ),
        ),
      ]),
    ),
)

/** The canonical name of a check; undefined if there is none of that name. */
export function checkName(name: string): string | undefined {
  if (Object.hasOwn(CHECKS, name)) return name
  const command = /^commands?[:.](.+)$/i.exec(name)
  return command === null ? checkByAlias().get(normalizeName(name)) : `command:${command[1]}`
}

/** Names that identify their check: `criteria_count` does, `total` does not. */
const SELF_EXPLANATORY =
  /tests|greenruns|criteria|docs|diagram|adr|c4|blockingissues|verdict|complexity|duplication|patterns/

/** Where a count belongs: to the check it is listed under, or to the check that its own name identifies. */
export function countName(name: string, under: string | undefined): { check: string; count: string } | undefined {
  if (under !== undefined && Object.hasOwn(COUNTS[under] ?? {}, name)) return { check: under, count: name }
  const folded = normalizeName(name)
  const own = under === undefined ? undefined : countByAlias().get(under)?.get(folded)
  if (under !== undefined && own !== undefined) return { check: under, count: own }
  if (!SELF_EXPLANATORY.test(folded)) return undefined
  const elsewhere = [...countByAlias()].filter(([, counts]) => counts.has(folded))
  if (elsewhere.length !== 1) return undefined
  const [check, counts] = elsewhere[0]!
  return { check, count: counts.get(folded)! }
}
