import { execFileSync, spawnSync } from 'node:child_process'
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { rolldown } from 'rolldown'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { nodeBinary } from '../../scripts/with-node.mjs'
import { missing, openAddress } from '../browser/chromium.ts'
import { type Block, blocksOf, has, PAGES } from '../docs/blocks.ts'
import { missingLine, normalized } from '../docs/output.ts'
import { writePrograms } from '../docs/scripted-programs.ts'
import { looksAway } from '../source-code.ts'
import { root } from '../source-tree.ts'
import { patience } from '../timing.ts'
import { asJavaScript, type Installed, install } from './packed.ts'

const page = ['docs/library.md', 'docs/library-core.md', 'docs/library-extend.md'].flatMap(blocksOf)
const isProgram = (block: Block): boolean => block.language === 'ts' && has(block, 'run')
const programs = page.filter(isProgram)
const printedBy = (block: Block): string => page[page.indexOf(block) + 1]?.text ?? ''

let installed: Installed
beforeAll(() => {
  installed = install()
  writePrograms(join(installed.dir, 'bin'), join(installed.dir, 'scripted'))
}, patience(240_000))
afterAll(() => installed?.remove())

/** The sample project with git, in the folder where the library is installed, with a scripted agent on the path. */
function sample(): { readonly dir: string; readonly env: Readonly<Record<string, string>> } {
  const home = mkdtempSync(join(installed.dir, 'home-'))
  const dir = join(home, 'project')
  for (const name of ['PLAN.md', 'PROMPT.md', 'package.json', 'src', 'test'])
    cpSync(join(root, 'sample', name), join(dir, name), { recursive: true })
  const bin = join(home, 'bin')
  cpSync(join(installed.dir, 'bin'), bin, { recursive: true })
  const env = {
    PATH: `${bin}:${process.env.PATH ?? ''}`,
    HOME: home,
    TMPDIR: home,
    EXITGATE_SANDBOX: 'off',
    LANG: 'C.UTF-8',
    NO_COLOR: '1',
  }
  const git = (...args: readonly string[]) =>
    execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b.c', ...args], { cwd: dir, env })
  git('init', '-q')
  git('add', '.')
  git('commit', '-qm', 'start')
  return { dir, env }
}

describe('the packed library', () => {
  /** One compiler run for all files, because the declarations take most of its time. */
  let complaints: readonly string[]
  const about = (file: RegExp) => complaints.filter((complaint) => file.test(complaint))
  const examples = PAGES.flatMap(blocksOf).filter(isProgram)
  beforeAll(() => {
    const files = examples.map(({ page, line, text }) =>
      installed.write(`${basename(page, '.md')}-${line}.ts`, `${text}\nexport {}\n`),
    )
    const keys = readFileSync(join(root, 'tests/api/fixtures/evidence-keys.txt'), 'utf8')
    complaints = installed.complaints([...files, installed.write('keys-of-evidence.ts', keys)])
  }, patience(240_000))

  it('compiles with every program in the guide, under strict', () => {
    expect(programs.length).toBeGreaterThan(5)
    expect(about(/^library/)).toEqual([])
  })

  it('compiles with the programs in all other pages', () => {
    expect(examples.length).toBeGreaterThan(programs.length)
    expect(about(/^(?!library|keys-of-evidence)/)).toEqual([])
  })

  it('types the keys of evidence: a misspelled one does not compile', () => {
    expect(about(/^keys-of-evidence/)).toEqual([])
  })

  it('has no any in its declarations', () => {
    const dist = join(installed.dir, 'node_modules/exitgate/dist')
    const declarations = readdirSync(dist).filter((name) => name.endsWith('.d.ts'))
    expect(declarations.length).toBeGreaterThan(6)
    const found = declarations.flatMap((path) => looksAway({ path, text: readFileSync(join(dist, path), 'utf8') }))
    expect(found).toEqual([])
  })

  it('keeps node: out of exitgate/core', () => {
    const dist = join(installed.dir, 'node_modules/exitgate/dist')
    const seen = new Set<string>()
    const visit = (file: string): void => {
      if (seen.has(file)) return
      seen.add(file)
      const text = readFileSync(join(dist, file), 'utf8')
      // Not `import(...)`: your own patterns need RE2JS, which is loaded with the first of them.
      for (const [, target = ''] of text.matchAll(/(?:from|import)\s*["']([^"']+)["']/g)) {
        expect(target, `in ${file}`).toMatch(/^\.\//)
        visit(target.slice(2))
      }
    }
    visit('core.js')
  })

  it('gives an agent the exit_signal tool with run.mcp', { timeout: patience(240_000) }, () => {
    const { dir, env } = sample()
    const program = `import { run } from 'exitgate'
const running = run({ dir: '.', agent: 'claude', prompt: 'Go.', limits: { iterations: 1 }, run: { mcp: true } })
console.log((await running.result).ending)
`
    try {
      const claude = join(dir, '..', 'bin', 'claude')
      writeFileSync(claude, '#!/bin/sh\nprintf "%s\\n" "$@" > "$HOME/arguments"\n', { mode: 0o755 })
      writeFileSync(join(dir, '..', 'program.mjs'), program)
      const ran = spawnSync(process.execPath, [join(dir, '..', 'program.mjs')], { cwd: dir, env, encoding: 'utf8' })
      expect(ran.stderr).toBe('')
      const [server] = /[^"\s]+cli\.cjs/.exec(readFileSync(join(dir, '..', 'arguments'), 'utf8')) ?? ['']
      const hello = { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} }
      const asked = spawnSync(process.execPath, [server, 'mcp'], {
        ...{ cwd: dir, env, encoding: 'utf8' as const, input: `${JSON.stringify(hello)}\n` },
      })
      expect(asked.stdout).toContain('exit_signal')
    } finally {
      rmSync(join(dir, '..'), { recursive: true, force: true })
    }
  })
})

describe.each(['20', '22', '24'])('on Node %s', (major) => {
  let node: { readonly path?: string; readonly skipped?: string }
  beforeAll(async () => {
    node = await nodeBinary(major)
  }, patience(240_000))

  it.for(programs)('$page:$line prints what the guide says', { timeout: patience(240_000) }, (block, { skip }) => {
    skip(node.path === undefined, node.skipped ?? 'this Node is not here')
    const { dir, env } = sample()
    try {
      writeFileSync(join(dir, '..', 'program.mjs'), asJavaScript(block.text))
      const ran = spawnSync(node.path ?? '', [join(dir, '..', 'program.mjs')], { cwd: dir, env, encoding: 'utf8' })
      expect(ran.stderr).toBe('')
      expect(missingLine(printedBy(block), normalized(ran.stdout, env.HOME)), ran.stdout).toBeUndefined()
    } finally {
      rmSync(join(dir, '..'), { recursive: true, force: true })
    }
  })

  const config = page.find(({ language }) => language === 'js')
  const cli = () => join(installed.dir, 'node_modules/exitgate/dist/cli/cli.cjs')

  it('loads exitgate.config.mjs, runs its check and keeps it for the run', { timeout: patience(240_000) }, ({
    skip,
  }) => {
    skip(node.path === undefined, node.skipped ?? 'this Node is not here')
    const { dir, env } = sample()
    const check = () =>
      spawnSync(node.path ?? '', [cli(), 'check', '--transcript', '-', '--json'], {
        ...{ cwd: dir, env, encoding: 'utf8' as const, input: 'EXIT_STATUS: COMPLETE\n' },
      })
    try {
      writeFileSync(join(dir, 'exitgate.config.mjs'), config?.text ?? '')
      const first = check()
      expect(first.stderr).toBe('')
      const { preset, evidence } = JSON.parse(first.stdout) as {
        readonly preset: string
        readonly evidence: Readonly<Record<string, { readonly answer: string; readonly detail: string }>>
      }
      expect(preset).toBe('careful')
      expect(evidence.changelog).toMatchObject({ answer: 'no', detail: 'CHANGELOG.md is missing.' })
      const explain = () =>
        spawnSync(node.path ?? '', [cli(), 'explain', '--json'], { cwd: dir, env, encoding: 'utf8' })
      expect(JSON.parse(explain().stdout)).toMatchObject({ preset: 'careful', same: true })
      writeFileSync(join(dir, 'exitgate.config.mjs'), (config?.text ?? '').replace('!== undefined', '=== undefined'))
      const second = check()
      expect([second.status, second.stdout]).toEqual([64, ''])
      expect(second.stderr).toMatch(
        /exitgate\.config\.mjs has changed since the run started, and it was not executed\./,
      )
      const { status, stdout } = explain()
      expect([status, JSON.parse(stdout).preset]).toEqual([1, 'careful'])
    } finally {
      rmSync(join(dir, '..'), { recursive: true, force: true })
    }
  })

  it('loads exitgate.config.ts, or explains what to do instead', { timeout: patience(240_000) }, ({ skip }) => {
    skip(node.path === undefined, node.skipped ?? 'this Node is not here')
    const { dir, env } = sample()
    try {
      const typed = (config?.text ?? '').replace(
        '({ iteration }) =>',
        '({ iteration }: { readonly iteration: number }) =>',
      )
      expect(typed).not.toBe(config?.text)
      writeFileSync(join(dir, 'exitgate.config.ts'), typed)
      const { type: _type, ...manifest } = JSON.parse(readFileSync(join(dir, 'package.json'), 'utf8'))
      writeFileSync(join(dir, 'package.json'), JSON.stringify({ ...manifest, type: 'module' }))
      const ran = spawnSync(node.path ?? '', [cli(), 'config', 'preset'], { cwd: dir, env, encoding: 'utf8' })
      if (major === '20') {
        expect(ran.status).toBe(64)
        expect(ran.stderr).toMatch(
          /can't run TypeScript\. Use Node 22\.18 or newer, or remove the types and rename the file to exitgate\.config\.mjs\./,
        )
      } else expect([ran.stderr, ran.stdout]).toEqual(['', 'preset  careful  exitgate.config.ts\n'])
    } finally {
      rmSync(join(dir, '..'), { recursive: true, force: true })
    }
  })
})

/** Bundled for a browser, where an import from Node is an error. */
async function bundled(text: string): Promise<string> {
  const input = installed.write('program.mjs', asJavaScript(text))
  const bundle = await rolldown({ input, platform: 'browser' })
  const { output } = await bundle.generate({ format: 'iife' })
  await bundle.close()
  expect(output[0].imports).toEqual([])
  return output[0].code
}

describe('exitgate/core in a browser', () => {
  const program = page.find((block) => has(block, 'browser'))

  it('decides like in Node', { timeout: patience(120_000) }, async ({ skip }) => {
    skip(missing !== undefined, missing ?? '')
    const code = await bundled(program?.text ?? '')
    const html = join(installed.dir, 'page.html')
    writeFileSync(
      html,
      `<!doctype html><meta charset="utf-8"><script>${code.replaceAll('</script', '<\\/script')}</script>`,
    )
    const { trouble } = await openAddress(pathToFileURL(html).href)
    const expected = printedBy(program!).split('\n')
    expect(trouble).toEqual(expected.map((line) => `console: ${line}`))
  })
})
