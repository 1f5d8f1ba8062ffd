import { type AskedTest, askedTests } from './asked.ts'
import { type ChangedFile, roleOf, sourceWithTests } from './roles.ts'

export type { AskedTest } from './asked.ts'
export type { ChangedFile } from './roles.ts'

/** What is done to one file of the copy: it gets its old text, or is removed when there was none. */
export interface TakenBack {
  readonly path: string
  readonly text?: string
}

export interface RedProofPlan {
  readonly asked: readonly AskedTest[]
  /** Removals first, so that nothing stands in the way of what comes back. */
  readonly takeBack: readonly TakenBack[]
  /** Changed code that cannot be taken back: its old content is not known, or tests and source cannot be told apart. */
  readonly stays: readonly string[]
  /** What only the changes brought: by these names a suite that does not load tells why. */
  readonly gone: ReadonlySet<string>
  /** Those of them that are modules. */
  readonly goneModules: ReadonlySet<string>
  /** Texts of the changed test code, by path. */
  readonly testTexts: ReadonlyMap<string, string>
}

/** Decides what is taken back, and which tests have to fail then. */
export function planRedProof(changes: readonly ChangedFile[]): RedProofPlan {
  const roles = changes.map((change) => ({ change, role: roleOf(change) }))
  const testCode = roles.filter(({ role }) => role === 'test' || role === 'both').map(({ change }) => change)
  const takeBack: TakenBack[] = []
  const stays: string[] = []
  for (const { change, role } of roles) {
    if (role !== 'source' && role !== 'both') continue
    const text = role === 'both' ? baselineOfBoth(change) : change.before
    if (change.wasThere && text === undefined) stays.push(change.path)
    // A new file with its own tests cannot lose the one and keep the other unless its tests stand apart.
    else if (role === 'both' && text === undefined) stays.push(change.path)
    else if (role === 'source' || text !== change.after) {
      takeBack.push({ path: change.path, ...(text !== undefined && { text }) })
    }
  }
  const removed = takeBack.filter(({ text }) => text === undefined)
  const restored = takeBack.filter(({ text }) => text !== undefined)
  return {
    asked: takeBack.length === 0 && stays.length === 0 ? [] : askedTests(testCode),
    takeBack: [...removed, ...restored],
    stays,
    ...goneNames(takeBack, changes),
    testTexts: new Map(testCode.flatMap(({ path, after }) => (after === undefined ? [] : [[path, after] as const]))),
  }
}

/** A file that carries its tests: the old source with the new tests. */
function baselineOfBoth({ wasThere, before, after }: ChangedFile): string | undefined {
  if (after === undefined) return before
  if (wasThere && before === undefined) return undefined
  return sourceWithTests(before ?? '', after)
}

const WORDS = /[\p{L}_$][\p{L}\p{N}_$]*/gu
/** Files that go by the name of their folder. */
const NAMELESS = /^(?:index|__init__|mod|lib|main)$/

/** Names of modules that are removed, and words that no longer stand in the ones that are restored. */
function goneNames(
  takeBack: readonly TakenBack[],
  changes: readonly ChangedFile[],
): Pick<RedProofPlan, 'gone' | 'goneModules'> {
  const [gone, goneModules] = [new Set<string>(), new Set<string>()]
  const left = new Set(takeBack.flatMap(({ text }) => text?.match(WORDS) ?? []))
  for (const { path, text } of takeBack) {
    const parts = path.split('/')
    const stem = parts.at(-1)!.replace(/\.[^.]+$/, '')
    if (text === undefined) goneModules.add(NAMELESS.test(stem) ? (parts.at(-2) ?? stem) : stem)
    const after = changes.find((change) => change.path === path)?.after ?? ''
    for (const word of after.match(WORDS) ?? []) if (word.length > 1 && !left.has(word)) gone.add(word)
  }
  return { gone: new Set([...gone, ...goneModules]), goneModules }
}
