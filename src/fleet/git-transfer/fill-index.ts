import type { IndexEntry, WorkManifest } from './types.ts'

/** git with an index; what it is given are words that end in a zero byte. */
export type FillGit = (args: readonly string[], input?: readonly string[]) => Promise<string>

const line = ({ mode, oid, stage, path }: IndexEntry): string => `${mode} ${oid} ${stage}\t${path}`

/**
 * Makes an index as the agent's was. Git takes only paths that lie in the working tree and not in `.git`, whatever the agent's index
 * and commits hold; it is done before work is published too, so that what cannot be restored is not published either.
 */
export async function fillIndex(git: FillGit, { head, staged }: WorkManifest): Promise<void> {
  await git(['read-tree', head ?? '--empty'])
  if (staged.length === 0) return
  const conflicts = new Set(staged.filter(({ stage }) => stage > 0).map(({ path }) => path))
  const whole = staged.filter(({ stage, path }) => stage === 0 && !conflicts.has(path))
  const none = '0'.repeat(staged[0]?.oid.length ?? 40)
  await git(
    ['update-index', '-z', '--index-info'],
    [
      ...whole.filter(({ mode }) => mode === '0').map(line),
      ...[...conflicts].map((path) => `0 ${none}\t${path}`),
      ...whole.filter(({ mode }) => mode !== '0').map(line),
      ...staged.filter(({ stage }) => stage > 0).map(line),
    ],
  )
}
