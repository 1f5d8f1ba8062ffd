import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { problemsOf } from '../src/config/validate.ts'
import { insideAgent } from '../src/hooks/inside-agent.ts'
import { PAGES as HELP } from './cli/help-pages.ts'
import { type Block, blocksOf, PAGES, said, textOf } from './docs/blocks.ts'
import { complaints, printed } from './docs/examples.ts'
import { alike, isWhole, notPrinted } from './docs/output.ts'
import { openSandbox, type Sandbox } from './docs/sandbox.ts'
import { root } from './source-tree.ts'

const UPDATE = process.env.UPDATE_GOLDEN === '1'
const blocks = PAGES.flatMap(blocksOf)
const has = (block: Block, word: string): boolean => block.words.includes(word)
const name = ({ page, line, language, words }: Block): string => `${page}:${line} ${[language, ...words].join(' ')}`

let opened: Sandbox | undefined
afterAll(() => opened?.remove(), 60_000)

/** The one before it is not needed any more. */
async function fresh(): Promise<Sandbox> {
  opened?.remove()
  opened = await openSandbox()
  return opened
}

/** Commands that a person must call: whoever runs the tests from within an agent is refused, as he should be. */
const PEOPLE = /exitgate (?:trust|goal|force|skip|reset|reset-breaker|pause|label|learn)\b|--force-complete/
const inside = insideAgent(process.env, process.pid)

/** What a block may be, by the words behind its language. */
const KINDS: Readonly<Record<string, readonly string[]>> = {
  sh: ['run'],
  ts: ['run'],
  json: ['config', 'file'],
  yaml: ['config', 'workflow'],
  js: ['file'],
  md: ['file'],
  text: ['output', 'prompt'],
}

/** What is wrong with how a block says that it is held to its word. */
function unheld({ notRun, words, language }: Block): string | undefined {
  if (notRun !== undefined) return notRun.length > 10 ? undefined : 'it gives no reason'
  const kinds = words.map((word) => word.split('=')[0] ?? '').filter((kind) => KINDS[language]?.includes(kind))
  return kinds.length === 1 ? undefined : `it must be one of ${KINDS[language]?.join(', ') ?? 'another language'}`
}

describe('every code block', () => {
  it('says how it is held to its word', () => {
    expect(blocks.filter(unheld).map((block) => `${name(block)}: ${unheld(block)}`)).toEqual([])
  })

  it('is run, but for a few that name their reason', () => {
    const not = blocks.filter(({ notRun }) => notRun !== undefined)
    expect(not.length).toBeLessThanOrEqual(6)
    expect(blocks.length).toBeGreaterThan(80)
  })
})

describe.each(PAGES)('%s', (page) => {
  let sandbox: Sandbox | undefined
  let output: string | undefined
  const files: [string, string][] = []
  const updates: [Block, string][] = []

  for (const block of blocks.filter((each) => each.page === page && each.notRun === undefined)) {
    const file = said(block, 'file')
    if (file !== undefined)
      it(name(block), () => {
        if (block.language === 'json') JSON.parse(block.text)
        const after = blocks.slice(blocks.indexOf(block) + 1).filter((each) => each.page === page && has(each, 'run'))
        expect(after.filter(({ text }) => text.includes(file)).length, `no later block uses ${file}`).toBeGreaterThan(0)
        files.push([file, `${block.text}\n`])
      })
    if (has(block, 'config'))
      it(name(block), () => {
        expect(problemsOf(block.language === 'json' ? JSON.parse(block.text) : parse(block.text))).toEqual([])
        if (has(block, 'used')) files.push([`exitgate.config.${block.language}`, `${block.text}\n`])
      })
    if (has(block, 'workflow')) it(name(block), () => workflow(block))
    if (has(block, 'run'))
      it(name(block), { timeout: 240_000 }, async ({ skip }) => {
        output = undefined
        skip(inside !== undefined && PEOPLE.test(block.text), 'the tests run within an agent, and this is for people')
        sandbox = has(block, 'same') && sandbox !== undefined ? sandbox : await fresh()
        for (const [path, text] of files.splice(0)) sandbox.write(path, text)
        if (block.language === 'ts') {
          output = await printed(block, sandbox.dir, {
            PATH: `${sandbox.home}/bin:${process.env.PATH ?? ''}`,
            HOME: sandbox.home,
          })
          return
        }
        const ran = await (has(block, 'beside') ? sandbox.beside(block.text) : sandbox.shell(block.text))
        output = ran.output
        expect(ran, ran.output).toMatchObject({ code: Number(said(block, 'exit') ?? 0) })
      })
    if (has(block, 'output'))
      it(name(block), ({ skip }) => {
        skip(output === undefined, 'the block before it did not run')
        const actual = alike(output ?? '', sandbox?.home)
        if (UPDATE && isWhole(block.text)) updates.push([block, actual])
        else expect(notPrinted(block.text, actual), actual).toBeUndefined()
      })
    if (has(block, 'prompt'))
      it(name(block), () => {
        const known = readFileSync(join(root, 'src/core/presets/completion-protocol.ts'), 'utf8')
        for (const line of block.text.split('\n')) expect(known).toContain(line)
      })
  }

  if (UPDATE)
    it('is written anew', () => {
      let text = textOf(page)
      for (const [{ from, to, language, words }, actual] of updates.toReversed()) {
        const made = `\`\`\`${[language, ...words].join(' ')}\n${actual.trimEnd()}\n\`\`\``
        text = text.slice(0, from) + made + text.slice(to)
      }
      writeFileSync(join(root, page), text)
    })

  it('leads nowhere that is not there', () => {
    const links = [...textOf(page).matchAll(/\]\((?!https?:)([^)#\s]*)(?:#([\w-]+))?\)/g)]
    for (const [link, path = '', heading] of links) {
      const target = path === '' ? page : join(dirname(page), path)
      expect(existsSync(join(root, target)), link).toBe(true)
      if (heading !== undefined) expect(headingsOf(target), link).toContain(heading)
    }
  })

  it('names only options that the program knows', () => {
    const words = textOf(page).replace(/^```text[\s\S]*?^```/gm, '')
    for (const [, command = '', rest = ''] of words.matchAll(/exitgate ([a-z-]+)((?: [^`\n;|#]*)?)/g)) {
      const help = HELP[command]
      if (help === undefined) continue
      const known = help.includes('as in check') ? help + HELP.check : help
      const own = rest.split(/ -- |, | exitgate /)[0] ?? ''
      for (const [option] of own.matchAll(/(?<=\s)--[a-z][\w-]*/g))
        expect(`${known} --help`, `${command} ${option}`).toContain(option)
    }
  })
})

describe('the examples of the library', () => {
  it('are right by the compiler', { timeout: 240_000 }, () => {
    const examples = blocks.filter((block) => block.language === 'ts' && has(block, 'run'))
    expect(examples.length).toBeGreaterThan(3)
    expect(complaints(examples)).toEqual([])
  })
})

/** As a forge names them in addresses. */
function headingsOf(page: string): readonly string[] {
  const titles = [...textOf(page).matchAll(/^#+ (.*)$/gm)].map(([, title = '']) => title)
  return titles.map((title) =>
    title
      .toLowerCase()
      .replace(/[^\w\- ]/g, '')
      .replaceAll(' ', '-'),
  )
}

/** A workflow has a step that uses the action, with inputs that the action has. */
function workflow(block: Block): void {
  const { jobs } = parse(block.text) as { jobs: Record<string, { steps: { uses?: string; with?: object }[] }> }
  const { inputs } = parse(readFileSync(join(root, 'action.yml'), 'utf8')) as { inputs: object }
  const steps = Object.values(jobs).flatMap((job) => job.steps.filter(({ uses }) => uses?.includes('exitgate')))
  expect(steps.length).toBeGreaterThan(0)
  for (const step of steps) expect(Object.keys(inputs)).toEqual(expect.arrayContaining(Object.keys(step.with ?? {})))
}
