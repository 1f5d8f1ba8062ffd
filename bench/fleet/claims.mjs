// Measures the function workers use to claim a task, for different queue lengths.
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { rolldown } from 'rolldown'
import { median } from '../median.mjs'

const project = fileURLToPath(new URL('../..', import.meta.url))
const CLAIMS = 90

/** Source modules that are not part of the public API. The file is inside the project so that its imports resolve. */
export async function withParts(work) {
  const cache = join(project, 'node_modules', '.cache')
  mkdirSync(cache, { recursive: true })
  const dir = mkdtempSync(join(cache, 'exitgate-bench-fleet-'))
  try {
    const names = {
      claim: 'claim.ts',
      connect: 'database/connect.ts',
      migrate: 'database/migrate.ts',
      submit: 'submit.ts',
    }
    const bundle = await rolldown({
      input: Object.fromEntries(Object.entries(names).map(([name, file]) => [name, join(project, 'src/fleet', file)])),
      platform: 'node',
      external: (id) => id.startsWith('node:') || (!id.startsWith('.') && !id.startsWith('/')),
    })
    await bundle.write({ dir, format: 'esm', entryFileNames: '[name].mjs', chunkFileNames: 'shared-[name].mjs' })
    await bundle.close()
    const parts = await Promise.all(
      Object.keys(names).map((name) => import(pathToFileURL(join(dir, `${name}.mjs`)).href)),
    )
    return await work(Object.assign({}, ...parts))
  } finally {
    rmSync(dir, { recursive: true, force: true })
  }
}

/** Milliseconds of the median claim, and of submitting that many tasks. */
export async function claimsAmong(queued, url, { claim, connect, submit }) {
  const tasks = Array.from({ length: queued }, (_, i) => ({
    id: `t${i}`,
    prompt: 'Do it.',
    title: `t${i}`,
    after: [],
    priority: i % 7,
    limits: {},
    repository: `https://git.example.org/${i % 20}.git`,
  }))
  const began = performance.now()
  await submit(url, { tasks, limits: {} }, { queue: 'bench' })
  const submitMs = performance.now() - began
  const database = await connect(url)
  const times = []
  try {
    await database.query('ANALYZE exitgate.tasks')
    for (let i = 0; i < CLAIMS; i++) {
      const start = performance.now()
      if ((await claim(database, 'bench', 'nobody')) === undefined) throw new Error('a claim found nothing')
      times.push(performance.now() - start)
    }
  } finally {
    await database.close()
  }
  return { queued, claimMs: median(times), submitMs }
}
