import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'

export const name = 'tampering-memory'
export const about = 'memory for a change of 1,000 test files of 200 lines; the goal is 250 MB'

const FILES = 1000
const here = fileURLToPath(import.meta.url)

/** In its own process, so that its peak memory is that of this work alone. */
export async function run({ print }) {
  const { megabytes, ms } = JSON.parse(execFileSync(process.execPath, [here], { encoding: 'utf8' }))
  print(`  ${FILES} changed test files   ${megabytes} MB at most   ${ms} ms`)
  return { files: FILES, megabytes, ms }
}

function testFile(i, edited) {
  const lines = ["import { expect, it } from 'vitest'", `import { thing${i} } from '../src/thing${i}.js'`]
  for (let n = 0; lines.length < 195; n++) {
    lines.push(
      `it('does number ${n} of ${i}', () => {`,
      `  const result = thing${i}.compute({ a: ${n}, b: 'text ${n}', c: [${n}, ${i}] })`,
      `  expect(result.sum).toBe(${n + i}${edited && n === 3 ? 1 : ''})`,
      `  expect(result.name).toEqual('text ${n}')`,
      '  expect(result.list).toHaveLength(2)',
      '})',
      '',
    )
  }
  return `${lines.join('\n')}\n`
}

function tree(edited) {
  const files = new Map(Array.from({ length: FILES }, (_, i) => [`test/thing${i}.test.js`, testFile(i, edited)]))
  return { paths: [...files.keys()], read: (path) => files.get(path) }
}

if (process.argv[1] === here) {
  const { findTampering } = await import('./library.mjs')
  const [before, after] = [tree(false), tree(true)]
  const started = performance.now()
  await findTampering(before, after)
  const ms = Math.round(performance.now() - started)
  console.log(JSON.stringify({ megabytes: Math.round(process.resourceUsage().maxRSS / 1024), ms }))
}
