import type { IndexEntry, WorkManifest } from './types.ts'

/** Runs git with an index. Its input is NUL-terminated. */
export type FillGit = (args: readonly string[], input?: readonly string[]) => Promise<string>

const line = ({ mode, oid, stage, path }: IndexEntry): string => `${mode} ${oid} ${stage}\t${path}`

/**
 * Rebuilds the agent's index. Git itself rejects paths outside the working tree or inside `.git`. The same step runs before
 * publishing, so that nothing is published that can't be restored.
 */
export async function fillIndex(git: FillGit, { head, staged }: WorkManifest): Promise<void> {
  await git(['read-tree', head ?? '--empty'])
  if (staged.length === 0) return
  const conflicts = new Set(staged.filter(({ stage }) => stage > 0).map(({ path }) => path))
  const resolved = staged.filter(({ stage, path }) => stage === 0 && !conflicts.has(path))
  const zeroOid = '0'.repeat(staged[0]?.oid.length ?? 40)
  await git(
    ['update-index', '-z', '--index-info'],
    [
      ...resolved.filter(({ mode }) => mode === '0').map(line),
      ...[...conflicts].map((path) => `0 ${zeroOid}\t${path}`),
      ...resolved.filter(({ mode }) => mode !== '0').map(line),
      ...staged.filter(({ stage }) => stage > 0).map(line),
    ],
  )
}
