import { count } from '../../../core/src/count.ts'
import type { TestRun } from '../../../test-output/src/types.ts'
import { type Language, languageOf } from '../frameworks/test-files.ts'
import type { BrokenResult } from './broken.ts'
import { isDocument } from './sides.ts'
import type { PutFile, RunTree } from './trees.ts'
import type { JudgedTest, TestToProve } from './without.ts'

/**
 * What such commands can prove: that they fail without the change. A file that stays as the agent wrote it has to be the reason, or
 * they failed before the run.
 */
export function commandsToProve(
  own: TestRun,
  failedBefore: (name: string) => boolean,
  hasNewTests: boolean,
): readonly TestToProve[] {
  return (own.tests ?? []).flatMap(({ name, state }): readonly TestToProve[] => {
    const kind = failedBefore(name) ? 'fixed' : 'changed'
    return state === 'passed' && (kind === 'fixed' || hasNewTests) ? [{ file: '', groups: [], name, kind }] : []
  })
}

/** Run D where nothing reports tests: the changed code does nothing, or a test fails at its end. */
export interface CommandBreaks {
  /** The changed functions emptied, or else the changed files. */
  readonly emptied: () => Promise<readonly PutFile[]>
  /** The files of the agent's tests and of the scripts that start them, with a failure at the end. */
  readonly failing: readonly PutFile[]
  /** Everything as it was before the run, with such a failure. */
  readonly failingBefore: readonly PutFile[]
  /** The task asks for documents or settings, which no command may notice. */
  readonly isOptional: boolean
}

/**
 * Can the command fail at all? What C has shown needs no other run. A failure at the end of the tests shows that the new code lets them
 * run to their end. Where the old code doesn't either, this shows nothing.
 */
export async function tryCommand(
  { emptied, failing, failingBefore, isOptional }: CommandBreaks,
  judged: readonly JudgedTest[],
  run: RunTree,
  deadlineMs: number,
): Promise<BrokenResult> {
  const result = (state: BrokenResult['state'], why?: string): BrokenResult => ({
    state,
    failed: 0,
    passed: [],
    of: 'command',
    ...(why !== undefined && { why }),
  })
  const stateWith = async (put: readonly PutFile[]) => {
    const { run: found, stopped } = await run({ experiment: 'broken', put, deadlineMs })
    return stopped !== undefined || found === undefined ? 'unclear' : found.ok === true ? 'passes' : 'fails'
  }
  if (!judged.some(({ failed }) => failed)) {
    const put = await emptied()
    const state = put.length === 0 ? 'unclear' : await stateWith(put)
    if (state !== 'fails' && isOptional) return result('none', 'the task asks for no behavior')
    if (state === 'unclear') return result('disarmed', 'Nothing shows that the test command can fail.')
    if (state === 'passes')
      return result(
        'disarmed',
        `The test command passes even if the change does nothing: exitgate emptied the changed code in ${count(put.length, 'file')}, and its exit code is still 0. Add a test of the change.`,
      )
  }
  if (failing.length > 0 && (await stateWith(failing)) === 'passes' && (await stateWith(failingBefore)) === 'fails')
    return result(
      'disarmed',
      'The tests end before their last line: exitgate added a failure there, and the exit code is still 0. Before the run it was not. Remove what ends the process early.',
    )
  return result('armed')
}

/** A last line that fails. */
const FAILURE: Readonly<Partial<Record<Language | 'shell' | 'perl' | 'lua', string>>> = {
  javascript: "throw new Error('not reached')",
  python: "raise RuntimeError('not reached')",
  ruby: "raise 'not reached'",
  php: "throw new Exception('not reached');",
  shell: 'exit 1',
  perl: "die 'not reached';",
  lua: "error('not reached')",
}
const OTHERS: readonly (readonly [RegExp, keyof typeof FAILURE])[] = [
  [/\.(?:sh|bash|zsh|ksh)$/, 'shell'],
  [/\.(?:pl|t)$/, 'perl'],
  [/\.lua$/, 'lua'],
]

/** These files with a failure at their end, as far as their language is known. */
export const failingIn = (paths: readonly string[], read: (path: string) => string | undefined): readonly PutFile[] =>
  [...new Set(paths)].flatMap((path) => {
    const line = FAILURE[languageOf(path) ?? OTHERS.find(([pattern]) => pattern.test(path))?.[1] ?? 'go']
    const text = line && read(path)
    return text === undefined ? [] : [{ path, text: `${text.replace(/\n?$/, '\n')}${line}\n` }]
  })

/** Files without a reader: they are empty then, and documents too. */
export const emptiedFiles = (changed: readonly string[]): readonly PutFile[] =>
  changed
    .filter((path) => isDocument(path) || languageOf(path) !== undefined || /\.\w+$/.test(path))
    .map((path) => ({ path, text: '' }))

const TOKENS = /[\p{L}_$][\p{L}\p{N}_$]*|\s+|[^\p{L}_$\s]+/gu
const WORD = /^[\p{L}_$]/u
const wordsIn = (texts: readonly (string | undefined)[]): ReadonlySet<string> =>
  new Set(texts.flatMap((text) => text?.match(TOKENS) ?? []).filter((token) => WORD.test(token)))

/**
 * Whether these texts differ only in names that the product renamed. Each old name is gone from the changed product files, each new one
 * is new there, and they are paired one to one. It needs no reader of the language.
 */
export function isOnlyRenamed(
  tests: readonly { readonly before?: string; readonly after?: string }[],
  product: readonly { readonly before?: string; readonly after?: string }[],
): boolean {
  const was = wordsIn(product.map(({ before }) => before))
  const is = wordsIn(product.map(({ after }) => after))
  const [newOf, oldOf] = [new Map<string, string>(), new Map<string, string>()]
  return tests.every(({ before, after }) => {
    const [old, now] = [before?.match(TOKENS) ?? [], after?.match(TOKENS) ?? []]
    return (
      old.length === now.length &&
      old.every((token, i) => {
        const other = now[i]!
        // A name in a text, such as that of a file, may stay.
        if (token === other) return true
        if (!WORD.test(token) || !WORD.test(other)) return false
        if (newOf.get(token) === other) return true
        if (newOf.has(token) || oldOf.has(other)) return false
        newOf.set(token, other)
        oldOf.set(other, token)
        return was.has(token) && !is.has(token) && is.has(other) && !was.has(other)
      })
    )
  })
}
