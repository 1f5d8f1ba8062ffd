import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { nearest } from '../../packages/core/src/nearest.ts'

export interface DocSection {
  readonly page: string
  /** Its heading, after the headings it is under. */
  readonly headings: readonly string[]
  /** Markdown, with its heading. */
  readonly text: string
}

export interface DocPage {
  readonly name: string
  readonly title: string
  readonly text: string
  readonly sections: readonly DocSection[]
}

/** The pages that ship with the package. Sources and built program are equally deep in it. */
export function readDocs(folder = fileURLToPath(new URL('../../docs', import.meta.url))): readonly DocPage[] {
  const files = readdirSync(folder).filter((file) => file.endsWith('.md'))
  return files.sort().map((file) => pageOf(file.slice(0, -'.md'.length), readFileSync(`${folder}/${file}`, 'utf8')))
}

function pageOf(name: string, text: string): DocPage {
  const sections: DocSection[] = []
  let headings: readonly string[] = []
  let lines: string[] = []
  let fenced = false
  const finish = (): void => {
    if (lines.join('').trim() !== '') sections.push({ page: name, headings, text: lines.join('\n') })
    lines = []
  }
  for (const line of text.split('\n')) {
    if (line.startsWith('```')) fenced = !fenced
    const [, marks = '', title = ''] = (!fenced && /^(#{1,4}) (.*)/.exec(line)) || []
    if (marks !== '') {
      finish()
      headings = [...headings.slice(0, marks.length - 1), title]
    }
    lines.push(line)
  }
  finish()
  return { name, title: sections[0]?.headings[0] ?? name, text, sections }
}

/** The page with this name or title. */
export function pageNamed(pages: readonly DocPage[], topic: string): DocPage | undefined {
  const wanted = plainWord(topic)
  return pages.find(({ name, title }) => [name, title].some((each) => plainWord(each) === wanted))
}

/** "CI", "recipe" and "Why was my claim rejected?" find `ci`, `recipes` and the page with that title. */
const plainWord = (text: string): string =>
  text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]/gu, '')
    .replace(/s$/, '')

const STOP_WORDS = new Set(
  'a an and are can do does for from how i in is it my of on or the to what when why with'.split(' '),
)
const HEADING_WEIGHT = 8
const PAGE_WEIGHT = 4

/** The sections that contain every word of the topic, the best first. */
export function searchDocs(pages: readonly DocPage[], topic: string): readonly DocSection[] {
  const words = wordsOf(topic)
  const wanted = words.filter((word) => !STOP_WORDS.has(word))
  if (wanted.length === 0) return []
  const titles = new Map(pages.map(({ name, title }) => [name, wordsOf(`${name} ${title}`)]))
  return pages
    .flatMap(({ sections }) => sections)
    .map((section) => ({ section, score: scoreOf(section, titles.get(section.page) ?? [], wanted) }))
    .filter(({ score }) => score > Number.NEGATIVE_INFINITY)
    .sort((a, b) => b.score - a.score)
    .map(({ section }) => section)
}

function scoreOf({ headings, text }: DocSection, title: readonly string[], wanted: readonly string[]): number {
  const heading = wordsOf(headings.at(-1) ?? '')
  const body = wordsOf(text)
  let score = 0
  for (const word of wanted) {
    const times = body.filter((each) => isSame(each, word)).length
    const inTitle = title.some((each) => isSame(each, word))
    if (times === 0 && !inTitle) return Number.NEGATIVE_INFINITY
    const inHeading = heading.some((each) => isSame(each, word))
    score += (inHeading ? HEADING_WEIGHT : 0) + (inTitle ? PAGE_WEIGHT : 0) + Math.log2(1 + times)
  }
  // Of two sections, the shorter one is more about the topic.
  return score - Math.min(2, body.length / 500)
}

const wordsOf = (text: string): readonly string[] => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []

/** Endings don't count: "hooks" finds "hook", and "permission" finds "permissions". */
const isSame = (a: string, b: string): boolean => stem(a) === stem(b)
const stem = (word: string): string =>
  word.length > 4 ? word.replace(/(?:ies|es|s|ed|ing|e|y)$/, '') : word.replace(/s$/, '')

/** A page name or a word of a heading that is close to the topic. */
export function nearTopic(pages: readonly DocPage[], topic: string): string | undefined {
  const headings = pages.flatMap(({ sections }) => sections.flatMap(({ headings: all }) => wordsOf(all.at(-1) ?? '')))
  return nearest(topic, [...pages.map(({ name }) => name), ...headings.filter((word) => !STOP_WORDS.has(word))])
}
