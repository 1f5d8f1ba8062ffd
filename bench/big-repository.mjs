// A repository of many files and commits, made with git fast-import: a minute of `git commit` in a second.
import { spawnSync } from 'node:child_process'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const TESTS_EVERY = 5

/** Fills an empty folder and returns the checked-out commit. */
export function makeRepository(dir, { files, commits }) {
  const paths = Array.from({ length: files - 6 }, (_, n) => pathOf(n))
  git(dir, ['init', '-q', '-b', 'main'])
  git(dir, ['fast-import', '--quiet', '--date-format=raw'], history(paths, commits))
  git(dir, ['reset', '-q', '--hard', 'main'])
  return git(dir, ['rev-parse', 'HEAD']).trim()
}

/** Simulates an agent's work: changed, added and deleted files, including tests, and a ticked box. */
export function doSomeWork(dir, changes) {
  for (let n = 0; n < changes; n++) writeFileSync(join(dir, pathOf(n * 17)), text(pathOf(n * 17), 'changed'))
  mkdirSync(join(dir, 'src/new'), { recursive: true })
  for (let n = 0; n < changes / 2; n++)
    writeFileSync(join(dir, `src/new/added-${n}.test.ts`), text(`added-${n}.test.ts`, n))
  rmSync(join(dir, pathOf(3)))
  writeFileSync(join(dir, 'PLAN.md'), plan(true))
}

const pathOf = (n) => `src/part-${n % 100}/module-${n}${n % TESTS_EVERY === 0 ? '.test' : ''}.ts`

function text(path, version) {
  const name = path.replace(/\W+/g, '_')
  if (!path.includes('.test.')) {
    return `export function ${name}(value: number): number {\n  // version ${version}\n  return value * ${path.length}\n}\n`.repeat(
      8,
    )
  }
  const one = (n) => `  it('counts ${n}', () => {\n    expect(${name}(${n})).toBe(${n} * 2)\n  })\n`
  return `import { expect, it } from 'vitest'\n\n// version ${version}\ndescribe('${name}', () => {\n${[1, 2, 3, 4].map(one).join('')}})\n`
}

const plan = (ticked) =>
  `# Plan\n\n${Array.from({ length: 40 }, (_, n) => `- [${n < 20 || ticked ? 'x' : ' '}] item ${n}\n`).join('')}`

/** One commit with everything, then small ones, as a fast-import stream. */
function history(paths, commits) {
  const parts = []
  const data = (content) => `data ${Buffer.byteLength(content)}\n${content}\n`
  const commit = (n, changed) => {
    parts.push(
      `commit refs/heads/main\ncommitter a <a@example.com> ${1_700_000_000 + n * 60} +0000\n${data(`step ${n}`)}`,
    )
    for (const [path, content] of changed) parts.push(`M 100644 inline ${path}\n${data(content)}`)
  }
  const scripts = { test: 'sh run-tests.sh', build: 'true', lint: 'eslint .', typecheck: 'tsc --noEmit' }
  const settings = [
    ['package.json', `${JSON.stringify({ name: 'big', scripts })}\n`],
    ['package-lock.json', '{}\n'],
    ['run-tests.sh', "printf '1..1\\nok 1 - a\\n'\n"],
    ['tsconfig.json', '{}\n'],
    ['PLAN.md', plan(false)],
    ['.gitignore', 'node_modules/\n'],
  ]
  commit(0, [...settings, ...paths.map((path) => [path, text(path, 0)])])
  for (let n = 1; n < commits; n++) {
    commit(
      n,
      Array.from({ length: 5 }, (_, k) => paths[(n * 31 + k * 997) % paths.length]).map((path) => [
        path,
        text(path, n),
      ]),
    )
  }
  return parts.join('')
}

function git(dir, args, input) {
  const done = spawnSync('git', args, { cwd: dir, encoding: 'utf8', input, maxBuffer: 1e9 })
  if (done.status !== 0) throw new Error(`git ${args[0]}: ${done.stderr || done.error?.message}`)
  return done.stdout
}
