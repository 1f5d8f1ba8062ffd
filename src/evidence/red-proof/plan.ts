import { type AskedTest, askedTests } from './asked.ts'
import { type ChangedFile, roleOf, sourceWithTests } from './roles.ts'

export type { AskedTest } from './asked.ts'
export type { ChangedFile } from './roles.ts'

/** How one file of the copy is reverted: it gets its old text, or is removed if it is new. */
export interface TakenBack {
  readonly path: string
  readonly text?: string
}

export interface RedProofPlan {
  readonly asked: readonly AskedTest[]
  /** Removals first, so that a new file can't block an old folder. */
  readonly takeBack: readonly TakenBack[]
  /** Changed code that can't be reverted: its old content is unknown, or it mixes tests and source. */
  readonly stays: readonly string[]
  /** Names that only the changes add. If a suite doesn't load without them, the error mentions one. */
  readonly gone: ReadonlySet<string>
  /** The modules among them. */
  readonly goneModules: ReadonlySet<string>
  /** Texts of the changed test code, by path. */
  readonly testTexts: ReadonlyMap<string, string>
}

/** Decides what to revert, and which tests must fail then. */
export function planRedProof(changes: readonly ChangedFile[]): RedProofPlan {
  const roles = changes.map((change) => ({ change, role: roleOf(change) }))
  const testCode = roles.filter(({ role }) => role === 'test' || role === 'both').map(({ change }) => change)
  const takeBack: TakenBack[] = []
  const stays: string[] = []
  for (const { change, role } of roles) {
    if (role !== 'source' && role !== 'both') continue
    const text = role === 'both' ? baselineOfBoth(change) : change.before
    if (change.wasThere && text === undefined) stays.push(change.path)
    // A new file with source and tests can only be split if its tests are in one block.
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

/** For a file with source and tests: the old source with the new tests. */
function baselineOfBoth({ wasThere, before, after }: ChangedFile): string | undefined {
  if (after === undefined) return before
  if (wasThere && before === undefined) return undefined
  return sourceWithTests(before ?? '', after)
}

const WORDS = /[\p{L}_$][\p{L}\p{N}_$]*/gu
/** Files that are imported by the name of their folder. */
const NAMELESS = /^(?:index|__init__|mod|lib|main)$/

/** The names of removed modules, and words that the restored files don't contain. */
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
