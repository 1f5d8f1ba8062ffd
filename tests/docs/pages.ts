import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { problemsOf } from '../../src/config/validate.ts'
import { insideAgent } from '../../src/hooks/inside-agent.ts'
import { root } from '../source-tree.ts'
import { patience } from '../timing.ts'
import { type Block, blocksOf, has, nameOf, optionValue, textOf } from './blocks.ts'
import { brokenLinks } from './links.ts'
import { isComplete, missingLine, normalized } from './output.ts'
import { openSandbox, type Ran, type Sandbox } from './sandbox.ts'

const UPDATE = process.env.UPDATE_GOLDEN === '1'

/** Commands that are refused inside an agent, which may be what runs these tests. */
const REFUSED_INSIDE_AGENT =
  /exitgate (?:trust|goal|hold-out|force|skip|reset|reset-breaker|pause|resume|lab label|lab learn)\b|--force-complete/
const inside = insideAgent(process.env, process.pid)

/** Runs the blocks of these pages and compares what they print with what the pages say. */
export function testPages(pages: readonly string[]): void {
  const beginnings = pages.flatMap(blocksOf).flatMap(beginningsOf)
  const repeated = new Set(beginnings.filter((lines, index) => beginnings.indexOf(lines) < index))
  describe.each(pages)('%s', (page) => testPage(page, repeated))
}

/** A run without anything that the shell replaces or keeps for the next line. */
const PLAIN_RUN = /^exitgate run(?: [\w./-]+)*$/

/** Lines of a block that may begin other blocks too: all of them, or a run on the first one. */
function beginningsOf(block: Block): readonly string[] {
  if (block.language !== 'sh' || !has(block, 'run') || has(block, 'same') || has(block, 'during-run')) return []
  const [first = ''] = block.text.split('\n')
  return [...new Set([block.text, ...(PLAIN_RUN.test(first) ? [first] : [])])]
}

/** Runs a block in a new sandbox. What other blocks begin with, too, runs once. */
async function runFresh(sandbox: Sandbox, block: Block, repeated: ReadonlySet<string>): Promise<Ran> {
  const beginning = beginningsOf(block).find((lines) => repeated.has(lines))
  if (beginning === undefined) return sandbox.shell(block.text)
  const begun = await sandbox.begin(beginning)
  const rest = block.text.slice(beginning.length)
  if (begun.code !== 0 || rest === '') return begun
  const { code, output } = await sandbox.shell(rest)
  return { code, output: begun.output + output }
}

function testPage(page: string, repeated: ReadonlySet<string>): void {
  let sandbox: Sandbox | undefined
  let output: string | undefined
  const blocks = blocksOf(page)
  const files: [string, string][] = []
  const updates: [Block, string][] = []

  for (const block of blocks.filter(({ notRun }) => notRun === undefined)) {
    const file = optionValue(block, 'file')
    if (file !== undefined)
      it(nameOf(block), () => {
        if (block.language === 'json') JSON.parse(block.text)
        const after = blocks.slice(blocks.indexOf(block) + 1).filter((each) => has(each, 'run'))
        expect(after.filter(({ text }) => text.includes(file)).length, `no later block uses ${file}`).toBeGreaterThan(0)
        files.push([file, `${block.text}\n`])
      })
    if (has(block, 'config'))
      it(nameOf(block), () => {
        expect(problemsOf(block.language === 'json' ? JSON.parse(block.text) : parse(block.text))).toEqual([])
        if (has(block, 'used')) files.push([`exitgate.config.${block.language}`, `${block.text}\n`])
      })
    if (has(block, 'workflow')) it(nameOf(block), () => workflow(block))
    if (has(block, 'run'))
      it(nameOf(block), { timeout: patience(240_000) }, async ({ skip }) => {
        output = undefined
        skip(
          inside !== undefined && REFUSED_INSIDE_AGENT.test(block.text),
          'the tests run inside an agent, where this command is refused',
        )
        const before = has(block, 'same') ? sandbox : undefined
        sandbox = before ?? (await openSandbox())
        const added = files.splice(0)
        for (const [path, text] of added) sandbox.write(path, text)
        const ran = await (block.language === 'ts'
          ? sandbox.program(block.text)
          : has(block, 'during-run')
            ? sandbox.duringRun(block.text)
            : before === undefined && added.length === 0
              ? runFresh(sandbox, block, repeated)
              : sandbox.shell(block.text))
        output = ran.output
        expect(ran, ran.output).toMatchObject({ code: Number(optionValue(block, 'exit') ?? 0) })
      })
    if (has(block, 'output'))
      it(nameOf(block), ({ skip }) => {
        skip(output === undefined, 'the block before it did not run')
        const actual = normalized(output ?? '', sandbox?.home)
        if (UPDATE && isComplete(block.text)) updates.push([block, actual])
        else expect(missingLine(block.text, actual), actual).toBeUndefined()
      })
    if (has(block, 'prompt'))
      it(nameOf(block), () => {
        const known = readFileSync(join(root, 'src/core/presets/completion-protocol.ts'), 'utf8')
        for (const line of block.text.split('\n')) expect(known).toContain(line)
      })
  }

  if (UPDATE)
    it('gets its new outputs', () => {
      let text = textOf(page)
      for (const [{ from, to, language, options }, actual] of updates.toReversed()) {
        const made = `\`\`\`${[language, ...options].join(' ')}\n${actual.trimEnd()}\n\`\`\``
        text = text.slice(0, from) + made + text.slice(to)
      }
      writeFileSync(join(root, page), text)
    })

  it('has no broken links', () => {
    expect(brokenLinks(page)).toEqual([])
  })
}

/** A workflow has a step that uses the action, with inputs that the action has. */
function workflow(block: Block): void {
  const { jobs } = parse(block.text) as { jobs: Record<string, { steps: { uses?: string; with?: object }[] }> }
  const { inputs } = parse(readFileSync(join(root, 'action.yml'), 'utf8')) as { inputs: object }
  const steps = Object.values(jobs).flatMap((job) => job.steps.filter(({ uses }) => uses?.includes('exitgate')))
  expect(steps.length).toBeGreaterThan(0)
  for (const step of steps) expect(Object.keys(inputs)).toEqual(expect.arrayContaining(Object.keys(step.with ?? {})))
}
