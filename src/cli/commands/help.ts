import type { CommandGroups, Commands, CommandWithHelp } from '../command.ts'
import { type DocPage, type DocSection, nearTopic, pageNamed, readDocs, searchDocs } from '../docs.ts'
import { InputError } from '../errors.ts'
import { overview, pageText, subcommands, wrap } from '../help.ts'
import { type Io, usesColor } from '../io.ts'
import { markdownText } from '../markdown.ts'
import { showInPager } from '../pager.ts'
import { parse } from '../parse.ts'

const OPTIONS = {}

type Resolve = (args: readonly string[]) => { readonly entry?: Commands[string] }

/** `exitgate help`: the overview, a command, a page of the docs, or the sections that match a topic. */
export const helpCommand = (groups: CommandGroups, commandIn: Resolve): CommandWithHelp => ({
  OPTIONS,
  HELP: {
    usage: ['help [COMMAND | TOPIC]'],
    about: 'Show the help of a command, or search the docs for a topic.',
    rows: [],
    more: 'The docs are part of the package, so this works offline. In a terminal, long pages open in your pager.',
    examples: ['exitgate help run', 'exitgate help hooks', 'exitgate help flaky tests'],
  },
  async run(args, io) {
    const { positionals } = parse('help', args, OPTIONS, Number.POSITIVE_INFINITY)
    if (positionals.length === 0) {
      overview(groups, io)
      io.stdout.write(`\n${topicNames(readDocs())}\n`)
      return 0
    }
    const commands: Commands = Object.assign({}, ...groups.map(([, group]) => group))
    if (positionals.join(' ') === 'lab') return subcommands('lab', commands, [], io)
    const { entry } = commandIn(positionals)
    if (entry !== undefined) {
      io.stdout.write(pageText(await entry.help()))
      return 0
    }
    await showInPager(docsText(positionals.join(' '), readDocs(), io), io)
    return 0
  },
})

const MOST_SECTIONS = 3
const MOST_OTHERS = 6
const LONGEST = 30

function docsText(topic: string, pages: readonly DocPage[], io: Io): string {
  const style = { color: usesColor(io.stdout, io.env, false) }
  const page = pageNamed(pages, topic)
  if (page !== undefined) return `${place(page.name)}\n\n${markdownText(page.text, style)}`
  const found = searchDocs(pages, topic)
  if (found.length === 0) {
    const near = nearTopic(pages, topic)
    const hint = near === undefined ? '' : ` Did you mean ${near}?`
    throw new InputError(
      `The docs have nothing about "${topic}".${hint}\n\n  ${topicNames(pages).replaceAll('\n', '\n  ')}`,
    )
  }
  const shown = found.slice(0, MOST_SECTIONS).map((section) => sectionText(section, style))
  const others = found.slice(MOST_SECTIONS, MOST_SECTIONS + MOST_OTHERS).map((section) => `  ${heading(section)}`)
  const more = others.length === 0 ? [] : [`More sections:\n${others.join('\n')}\n`]
  return [...shown, ...more, `Show the whole page with exitgate help ${found[0]?.page}.\n`].join('\n')
}

const place = (page: string): string => `docs/${page}.md`
const heading = ({ page, headings }: DocSection): string => `${page}: ${headings.at(-1)}`

function sectionText(section: DocSection, style: { readonly color: boolean }): string {
  const lines = markdownText(section.text.replace(/^#.*\n/, ''), style)
    .trimEnd()
    .split('\n')
  const rest = lines.length > LONGEST ? ['...'] : []
  return `${[bold(heading(section), style), '', ...lines.slice(0, LONGEST), ...rest].join('\n')}\n`
}

const bold = (text: string, { color }: { readonly color: boolean }): string =>
  color ? `\u001b[1m${text}\u001b[22m` : text

const topicNames = (pages: readonly DocPage[]): string =>
  wrap(`Topics: ${pages.map(({ name }) => name).join(', ')}`, 78).join('\n')
