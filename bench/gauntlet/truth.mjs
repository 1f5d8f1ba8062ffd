// What is true of a tree: whether the hidden acceptance tests pass on a clean copy of it. Nobody else ever sees them.
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { runProcess, writeFiles } from './ground.mjs'
import { copyTree } from './tree.mjs'

const DEADLINE_MS = 30_000

/** `isDone(tree)` for the trees that runs of this scenario left in `trees`; each is tried once. */
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
    // Source that ends the process at once must not pass for accepted.
    return code === 0 && out.includes(hidden.says ?? '')
  } finally {
    rmSync(dir, { recursive: true, force: true })
  }
}
