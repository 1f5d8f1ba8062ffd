import type { Ran } from '../../../packages/exitgate/src/checks/trees.ts'
import { languageOf } from '../../../packages/exitgate/src/frameworks/test-files.ts'
import type { TestRun } from '../../../packages/test-output/src/types.ts'
import { awake } from '../../system/awake-clock.ts'
import type { TestCopy } from '../red-proof/run-copy.ts'
import type { Detected } from '../types.ts'
import type { Mutant } from './choose.ts'
import type { ChangedFunction, ChangedSource } from './functions.ts'

/** `broken`: it did not compile or load, so it shows nothing. `not-run`: the time was used up. */
export type Fate = 'killed' | 'survived' | 'timed-out' | 'broken' | 'not-run'

export interface ProbedFunction {
  readonly of: ChangedFunction
  readonly mutants: readonly { readonly mutant: Mutant; readonly fate: Fate }[]
  /** The tool that ran them, if it is not ours. */
  readonly by?: 'Stryker'
  /** Not all tests saw its mutants, or it is not sure that they use this file. */
  readonly unsure?: string
}

export interface ProbeOptions {
  readonly commands: readonly Detected[]
  /** The commands limited to tests of the changed files, if there is a way to do that. */
  readonly related?: readonly Detected[] | undefined
  readonly sources: readonly ChangedSource[]
  readonly mutants: readonly Mutant[]
  readonly limitMs: number
  readonly signal?: AbortSignal | undefined
  /** Whether the tests may use output of a build instead of this file. */
  readonly mayBeBuilt: (path: string) => boolean
}

/** How much longer than the unchanged tests a mutant may take. */
const FACTOR = 3
const SLACK_MS = 5_000
/** Mutants of one function that run with all tests, if the related ones notice none. */
const AGAIN = 3

/** Why nothing could be found out. */
export class NoProbe extends Error {}

/** Runs the tests with each mutant. The unchanged tests run first and last, and have to pass both times. */
export async function probe(copy: TestCopy, options: ProbeOptions): Promise<readonly ProbedFunction[]> {
  const runs = new MutantRuns(copy, options)
  const narrow = options.related && (await runs.control(options.related))
  const first = narrow ?? (await runs.control(options.commands))
  if (first === undefined) throw new NoProbe('the tests do not pass in a copy of the project')
  const fates = new Map<Mutant, Fate>()
  for (const mutant of options.mutants) fates.set(mutant, await runs.fateOf(mutant.of.file, mutant.text, first))
  for (const mutants of doubtful(fates))
    for (const mutant of mutants) {
      const fate = await runs.fateOf(mutant.of.file, mutant.text, first)
      if (fate === 'timed-out' || fate === 'not-run') break
      fates.set(mutant, fate)
      if (fate === 'killed') break
    }

  const survivors = survivorsOf(fates)
  const all = narrow !== undefined && survivors.length > 0 ? await runs.control(options.commands) : undefined
  if (all !== undefined)
    for (const each of survivors)
      for (const mutant of each.slice(0, AGAIN)) {
        const fate = await runs.sureFateOf(mutant.of.file, mutant.text, all)
        if (fate !== 'survived') fates.set(mutant, fate)
        if (fate === 'killed') break
      }
  const unsure = new Map<string, string>()
  for (const path of new Set(survivorsOf(fates).map(([mutant]) => mutant!.of.file))) {
    if (narrow !== undefined && all === undefined) unsure.set(path, 'there was no time to run all tests')
    else if (options.mayBeBuilt(path) && !(await runs.isUsed(path, all ?? first)))
      unsure.set(path, 'the tests do not read this file, maybe because they use build output')
  }
  if ([...fates.values()].includes('killed')) await runs.confirm(first)
  return probed(fates, unsure)
}

/** The unchanged tests, which passed. */
interface Control {
  readonly run: TestRun
  readonly ms: number
  readonly commands: readonly Detected[]
}

/** Runs in one copy. After each of them, the copy has its own text again. */
class MutantRuns {
  readonly #copy: TestCopy
  readonly #options: ProbeOptions
  readonly #until: number

  constructor(copy: TestCopy, options: ProbeOptions) {
    this.#copy = copy
    this.#options = options
    this.#until = awake.now() + options.limitMs
  }

  async control(commands: readonly Detected[]): Promise<Control | undefined> {
    const started = awake.now()
    const { run } = await this.#run(commands, this.#left())
    return run?.ok === true && run.passed > 0 ? { run, ms: awake.now() - started, commands } : undefined
  }

  async fateOf(path: string, text: string, by: Control): Promise<Fate> {
    const deadlineMs = Math.min(this.#left(), FACTOR * by.ms + SLACK_MS)
    if (deadlineMs < 2 * by.ms) return 'not-run'
    this.#copy.put(path, text)
    try {
      const fate = judge(by.run, await this.#run(by.commands, deadlineMs))
      return fate === 'timed-out' && this.#left() <= 0 ? 'not-run' : fate
    } finally {
      this.#copy.put(path, this.#options.sources.find((source) => source.path === path)?.text)
    }
  }

  /** A busy machine can delay tests for that long, so they have to be late twice. */
  async sureFateOf(path: string, text: string, by: Control): Promise<Fate> {
    const fate = await this.fateOf(path, text, by)
    if (fate !== 'timed-out') return fate
    const again = await this.fateOf(path, text, by)
    return again === 'not-run' ? fate : again
  }

  /** A text that no loader takes breaks the tests, if they use the file. */
  async isUsed(path: string, by: Control): Promise<boolean> {
    return (await this.sureFateOf(path, '}{', by)) !== 'survived'
  }

  /** Tests that fail after a change without meaning, or only after other runs, fail with any mutant. */
  async confirm({ commands }: Control): Promise<void> {
    const { sources } = this.#options
    for (const { path, text } of sources) this.#copy.put(path, withComment(path, text))
    if ((await this.control(commands)) !== undefined || this.#left() <= 0) return
    for (const { path, text } of sources) this.#copy.put(path, text)
    const isPassing = (await this.control(commands)) !== undefined
    if (this.#left() <= 0) return
    throw new NoProbe(
      isPassing
        ? 'the tests fail if only a comment is added to the source, so they fail with any change'
        : 'the tests no longer pass in the copy after the mutants ran, so they depend on earlier runs',
    )
  }

  async #run(commands: readonly Detected[], deadlineMs: number): Promise<Ran> {
    const ran = await this.#copy.runTests(commands, Math.max(1, deadlineMs))
    if (this.#options.signal?.aborted === true) throw new NoProbe('the run was interrupted')
    return ran
  }

  #left(): number {
    return this.#until - awake.now()
  }
}

function withComment(path: string, text: string): string {
  const language = languageOf(path)
  // After its end tag, PHP would print it.
  if (language === 'php' && text.includes('?>')) return text
  return `${text.replace(/\n$/, '')}\n${language === 'python' || language === 'ruby' ? '#' : '//'} Checked.\n`
}

/** The surviving mutants of every function of which none was noticed. */
function survivorsOf(fates: ReadonlyMap<Mutant, Fate>): readonly (readonly Mutant[])[] {
  return probed(fates, new Map())
    .filter(isUntested)
    .map(({ mutants }) => mutants.flatMap(({ mutant, fate }) => (fate === 'survived' ? [mutant] : [])))
}

/**
 * The mutants that timed out, of every function that counts as tested only because of them. A busy machine can delay tests for that
 * long. One of them that is late again is enough, so a mutant that never ends costs little.
 */
function doubtful(fates: ReadonlyMap<Mutant, Fate>): readonly (readonly Mutant[])[] {
  return probed(fates, new Map())
    .filter(({ mutants }) => mutants.every(({ fate }) => fate !== 'killed'))
    .map(({ mutants }) => mutants.flatMap(({ mutant, fate }) => (fate === 'timed-out' ? [mutant] : [])))
}

/**
 * Some of its mutants survived, and the tests noticed none, not even by taking too long. Changed constants alone show little: few
 * tests notice another timeout or text.
 */
export const isUntested = ({ mutants, unsure }: ProbedFunction): boolean =>
  unsure === undefined &&
  mutants.some(({ mutant, fate }) => fate === 'survived' && mutant.kind !== 'constant') &&
  mutants.every(({ fate }) => fate !== 'killed' && fate !== 'timed-out')

function probed(fates: ReadonlyMap<Mutant, Fate>, unsure: ReadonlyMap<string, string>): readonly ProbedFunction[] {
  return [...new Set([...fates.keys()].map(({ of }) => of))].map((of) => {
    const mutants = [...fates].flatMap(([mutant, fate]) => (mutant.of === of ? [{ mutant, fate }] : []))
    const why = unsure.get(of.file)
    const isOpen = why !== undefined && isUntested({ of, mutants })
    return { of, mutants, ...(isOpen && { unsure: why }) }
  })
}

/** What a run shows about a mutant, compared with the unchanged tests. */
export function judge(control: TestRun, { run, late, stopped }: Ran): Fate {
  if (late === true) return 'timed-out'
  if (run === undefined || stopped !== undefined) return 'broken'
  const passed = new Set(control.tests?.flatMap(({ name, state }) => (state === 'passed' ? [name] : [])))
  if (run.tests?.some(({ name, state }) => state === 'failed' && passed.has(name))) return 'killed'
  // Without names, only a run of the same tests can be compared.
  if (passed.size === 0 && run.failed > control.failed && run.total >= control.total) return 'killed'
  return run.ok === true && run.passed >= control.passed ? 'survived' : 'broken'
}
