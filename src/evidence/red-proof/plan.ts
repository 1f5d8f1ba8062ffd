import { type ChangedFile, isDocument, roleOf, sourceWithTests } from '../../../packages/exitgate/src/checks/sides.ts'
import type { PutFile } from '../../../packages/exitgate/src/checks/trees.ts'
import type { WithoutPlan } from '../../../packages/exitgate/src/checks/without.ts'
import { languageOf } from '../../../packages/exitgate/src/frameworks/test-files.ts'
import type { Token } from '../tampering/source/tokens-and-blocks.ts'
import { readUnit } from '../tampering/source/unit.ts'
import { testsToProve } from './tests-to-prove.ts'

export type { ChangedFile } from '../../../packages/exitgate/src/checks/sides.ts'

/** Decides what to revert, and which tests must fail then. */
export function planRedProof(changes: readonly ChangedFile[]): WithoutPlan {
  const roles = changes.map((change) => ({ change, role: roleOf(change) }))
  const testCode = roles.filter(({ role }) => role === 'test' || role === 'both').map(({ change }) => change)
  const revert: PutFile[] = []
  const notReverted: string[] = []
  for (const { change, role } of roles) {
    const isOriginal = role === 'source' || role === 'both' || (role === 'other' && isDocument(change.path))
    if (!isOriginal || isSameCode(change)) continue
    const text = role === 'both' ? oldSourceWithNewTests(change) : change.before
    if (change.wasThere && text === undefined) notReverted.push(change.path)
    // A new file with source and tests can only be split if its tests are in one block.
    else if (role === 'both' && text === undefined) notReverted.push(change.path)
    else if (role !== 'both' || text !== change.after) {
      revert.push({ path: change.path, ...(text !== undefined && { text }) })
    }
  }
  const removed = revert.filter(({ text }) => text === undefined)
  const restored = revert.filter(({ text }) => text !== undefined)
  return {
    tests: revert.length === 0 && notReverted.length === 0 ? [] : testsToProve(testCode),
    revert: [...removed, ...restored],
    notReverted,
    ...namesOnlyInChanges(revert, changes),
    testTexts: new Map(testCode.flatMap(({ path, after }) => (after === undefined ? [] : [[path, after] as const]))),
  }
}

/** Whether only comments and layout differ, which no test could notice. */
function isSameCode({ path, before, after }: ChangedFile): boolean {
  const language = languageOf(path)
  if (language === undefined || before === undefined || after === undefined) return false
  const [old, now] = [readUnit(before, language).tokens, readUnit(after, language).tokens]
  // In Python the layout is code.
  const indent = ({ first, column }: Token) => (first && language === 'python' ? column : 0)
  return (
    old.length === now.length &&
    old.every((token, i) => token.text === now[i]!.text && indent(token) === indent(now[i]!))
  )
}

/** For a file with source and tests: the old source with the new tests. */
function oldSourceWithNewTests({ wasThere, before, after }: ChangedFile): string | undefined {
  if (after === undefined) return before
  if (wasThere && before === undefined) return undefined
  return sourceWithTests(before ?? '', after)
}

const WORDS = /[\p{L}_$][\p{L}\p{N}_$]*/gu
/** Files that are imported by the name of their folder. */
const NAMELESS = /^(?:index|__init__|mod|lib|main)$/

/** The names of removed modules, and words that the restored files don't contain. */
function namesOnlyInChanges(
  revert: readonly PutFile[],
  changes: readonly ChangedFile[],
): Pick<WithoutPlan, 'newNames' | 'newModules'> {
  const [newNames, newModules] = [new Set<string>(), new Set<string>()]
  const restoredWords = new Set(revert.flatMap(({ text }) => text?.match(WORDS) ?? []))
  for (const { path, text } of revert) {
    const parts = path.split('/')
    const stem = parts.at(-1)!.replace(/\.[^.]+$/, '')
    if (text === undefined) newModules.add(NAMELESS.test(stem) ? (parts.at(-2) ?? stem) : stem)
    const after = changes.find((change) => change.path === path)?.after ?? ''
    for (const word of after.match(WORDS) ?? []) if (word.length > 1 && !restoredWords.has(word)) newNames.add(word)
  }
  return { newNames: new Set([...newNames, ...newModules]), newModules }
}
