import { folderOf, lineOf, nameOf, partsOf, stemOf } from './words.ts'

/** Titles of one word that stand in every other prompt: they name a test only together with its group. */
const EVERYDAY = new Set(
  'works work test tests ok basic default simple example smoke passes fails runs main all it empty valid invalid error errors'.split(
    ' ',
  ),
)

/** A file may be called a.test.js; the word alone does not speak of it. */
const LITTLE = new Set([
  '',
  ...'a an the of to in on at is it be by as and or for with i no not do if so up'.split(' '),
])

/** The user speaks of the failing tests as a whole, or wants all of them to pass: then each is the task's own. */
const COLLECTIVE: readonly RegExp[] = [
  / (?:failing|failed|broken|red) (?:\S+ ){0,2}(?:tests?|specs?|suites?|checks?) /,
  / (?:all|every|each|whole|entire|complete|full|remaining) (?:of )?(?:the |our |its )?(?:\S+ ){0,2}(?:tests?|specs?|suites?) /,
  / (?:tests?|specs?|suites?) (?:that|which) (?:\S+ ){0,2}(?:fail|fails|failing|broken|red) /,
  / (?:tests?|specs?|suites?) (?:are|is) (?:\S+ ){0,2}(?:failing|broken|red) /,
  / (?:make|get|turn|bring) (?:the |our )?(?:\S+ ){0,2}(?:tests?|specs?|suites?|ci) (?:\S+ ){0,2}(?:pass|green|work) /,
  / (?:fix|repair) (?:the |our |my |these |those )?(?:\S+ )?(?:tests?|specs?|test suites?|suite|ci) /,
]
/** "Leave the other failing tests alone" is no order to fix them. */
const SPARED = / (?:not|never|don t|ignore|leave|except|unrelated|apart|skip|without touching|other than) /

const sentences = (text: string) => text.split(/(?<=[.!?;])\s+|\n+/)

const oneOrMany = (word: string) => (word.length > 3 && word.endsWith('s') ? word.slice(0, -1) : word)
const singular = (line: string) => ` ${line.trim().split(' ').map(oneOrMany).join(' ')} `

/** Where the task's own texts name a test, by itself or together with all others; undefined when none does. */
export function taskNames(texts: readonly string[], name: string, file: string | undefined): string | undefined {
  for (const text of texts) {
    const line = lineOf(text)
    const parts = partsOf(name)
    const own = parts.filter((part) => !EVERYDAY.has(part.toLowerCase()))
    const titles = parts.length > 1 ? [...own, parts.join(' ')] : own
    const title = titles.find((part) => says(line, part))
    if (title !== undefined) return `the task names "${title}"`
    if (file !== undefined) {
      const stem = stemOf(file).map(oneOrMany).join(' ')
      if (says(line, file) || says(line, nameOf(file)) || (!LITTLE.has(stem) && singular(line).includes(` ${stem} `))) {
        return `the task names its file ${file}`
      }
      const folder = namedFolder(text, file)
      if (folder !== undefined) return `the task names the folder ${folder}`
    }
    const all = sentences(text)
      .map(lineOf)
      .find((sentence) => COLLECTIVE.some((told) => told.test(sentence)) && !SPARED.test(sentence))
    if (all !== undefined) return 'the task speaks of the failing tests as a whole'
  }
  return undefined
}

function says(line: string, phrase: string): boolean {
  const wanted = lineOf(phrase)
  return wanted.trim() !== '' && line.includes(wanted)
}

/** `tests/parser/` and `tests/parser/**` name what lies there; `tests/` alone says only where tests live. */
function namedFolder(text: string, file: string): string | undefined {
  const places = text.match(/[\w@.-]+(?:\/[\w@.*-]+)+\/?/g) ?? []
  const folders = places.map((place) => place.replace(/^\.\//, '').replace(/\/?\*.*$|\/$/, ''))
  return folders.find((folder) => folder.includes('/') && `${folderOf(file)}/`.startsWith(`${folder}/`))
}
