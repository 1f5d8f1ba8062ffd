// Whether the hidden acceptance tests pass on a clean copy of a tree. No agent or system ever sees these tests.
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { runProcess, writeFiles } from './ground.mjs'
import { copyTree } from './tree.mjs'

const DEADLINE_MS = 30_000

/** `isDone(tree)` for the trees in `trees`; each is tested once. */
export function makeJudge(scenario, { trees, place, env }) {
  const known = new Map()
  return {
    isDone(tree) {
      if (tree === undefined) return Promise.resolve(false)
      if (!known.has(tree)) known.set(tree, accepts(scenario, { from: join(trees, tree), place, env }))
      return known.get(tree)
    },
  }
}

async function accepts({ hidden }, { from, place, env }) {
  mkdirSync(place, { recursive: true })
  const dir = mkdtempSync(join(place, 'judged-'))
  try {
    copyTree(from, dir)
    writeFiles(dir, hidden.files)
    const [file, ...args] = hidden.command
    const { code, out } = await runProcess(file, args, { cwd: dir, env, deadlineMs: DEADLINE_MS })
    // Code that ends the process at once must not count as accepted.
    return code === 0 && out.includes(hidden.says ?? '')
  } finally {
    rmSync(dir, { recursive: true, force: true })
  }
}
