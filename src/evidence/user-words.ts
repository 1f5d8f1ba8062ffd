import { isRemovalAsked } from '../../packages/exitgate/src/checks/removal.ts'
import { roleOf } from '../../packages/exitgate/src/checks/sides.ts'
import { isTestFile, languageOf } from '../../packages/exitgate/src/frameworks/test-files.ts'
import type { TestCase } from '../../packages/test-output/src/types.ts'
import { changedSince, viewOf } from './baseline/changed.ts'
import { changesOf } from './changes-of.ts'
import { testIndex } from './test-results/test-index.ts'
import type { CheckContext } from './types.ts'

const TEXT = /\.(?:md|markdown|txt|rst|json|ya?ml|toml)$|(?:^|\/)[^/.]+$/i
const linesOf = (text: string): readonly string[] => text.split('\n').map((line) => line.trim())

/** Prompt, task and plan as they were at the start: what the agent wrote into them are not the user's words. */
export async function wordsAtStart({ workspace, baseline, taskTexts }: CheckContext): Promise<readonly string[]> {
  if (baseline === undefined) return taskTexts
  const edited = (await changedSince(baseline, workspace))
    .filter((path) => TEXT.test(path))
    .map((path) => {
      const before = baseline.read(path) ?? ''
      const known = new Set(linesOf(before))
      return { before, added: new Set(linesOf(workspace.read(path) ?? '').filter((line) => !known.has(line))) }
    })
  return taskTexts.flatMap((text) => {
    const from = edited.filter(({ added }) => linesOf(text).some((line) => added.has(line)))
    if (from.length === 0) return [text]
    const kept = text.split('\n').filter((line) => from.every(({ added }) => !added.has(line.trim())))
    return [kept.join('\n'), ...from.map(({ before }) => before)]
  })
}

/** Whether the user asked to remove what a test checks, and it is gone from product and tests. */
export async function removals(context: CheckContext): Promise<(test: TestCase) => boolean> {
  const { workspace, baseline } = context
  if (baseline === undefined) return () => false
  const words = await wordsAtStart(context)
  const paths = await changedSince(baseline, workspace)
  const changes = changesOf(paths, context)
  const was = changes.flatMap((change) => (roleOf(change) === 'source' ? [change.before ?? ''] : []))
  const index = await testIndex(viewOf(baseline, paths), workspace.dir)
  const code = (await workspace.list()).filter((path) => languageOf(path) !== undefined || isTestFile(path))
  const hasWord = (name: string) => {
    const word = new RegExp(`(?<![\\p{L}\\p{N}_$])${name.replaceAll('$', '\\$')}(?![\\p{L}\\p{N}_$])`, 'u')
    return (text: string | undefined) => text !== undefined && text.includes(name) && word.test(text)
  }
  const isGone = (name: string) => {
    const has = hasWord(name)
    return was.some(has) && !code.some((path) => has(workspace.read(path)))
  }
  return (test) => isRemovalAsked(words, { name: test.name, body: index.bodyOf(test) }, isGone)
}
