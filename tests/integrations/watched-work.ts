import { execFileSync } from 'node:child_process'
import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { takeBaseline } from '../../src/evidence/baseline/take.ts'
import { IterationDiffs } from '../../src/evidence/iteration-diff.ts'
import { openWorkspace } from '../../src/evidence/workspace.ts'
import { decided, started } from '../journal/samples.ts'
import { stateFolder } from './watch-server.ts'

/** The content of each file; undefined deletes it. */
type Files = Readonly<Record<string, string | undefined>>

export const NAME = 'parser-0123456789ab'

/** A journal whose run changed files: before, and after each iteration. */
export async function watchedWork(before: Files, ...iterations: readonly Files[]) {
  const { root, write } = stateFolder()
  const work = join(root, 'project')
  const put = (files: Files): void => {
    for (const [path, text] of Object.entries(files)) {
      const file = join(work, path)
      mkdirSync(dirname(file), { recursive: true })
      if (text === undefined) {
        rmSync(file)
        continue
      }
      // A comparison may read the file now, so it never sees half of it.
      writeFileSync(join(root, 'part'), text)
      renameSync(join(root, 'part'), file)
    }
  }
  const git = (...args: readonly string[]) =>
    execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@localhost', ...args], { cwd: work, encoding: 'utf8' })
  mkdirSync(work)
  put(before)
  git('init', '-q')
  git('add', '-A')
  git('commit', '-qm', 'start')
  const dir = write(NAME, [])
  const workspace = openWorkspace(work)
  const head = git('rev-parse', 'HEAD').trim()
  const baseline = await takeBaseline({ workspace, commands: [], evidence: {}, tree: '', head, at: 0 }, dir)
  const stored = join(dir, 'transcripts', 'r1')
  mkdirSync(stored, { recursive: true })
  const diffs = new IterationDiffs()
  for (const [at, files] of iterations.entries()) {
    put(files)
    const { texts } = await diffs.next(openWorkspace(work), baseline)
    if (texts.length > 0) writeFileSync(join(stored, `${at + 1}.diff`), texts.join(''))
  }
  write(NAME, [started({ run: 'r1', baselineId: baseline.id }), ...iterations.map((_files, at) => decided(at + 1))])
  return { dir, work, head, put, git, write }
}
