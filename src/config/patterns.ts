import { RE2JS } from 're2js'
import { shown } from './errors.ts'

/** Patterns must run in linear time, or agent output could hang exitgate. The lists are keyed by path. */
export function patternProblems(
  lists: Readonly<Record<string, readonly string[]>>,
  sources: ReadonlyMap<string, string>,
): readonly string[] {
  const problems: string[] = []
  for (const [path, list] of Object.entries(lists)) {
    list.forEach((pattern, i) => {
      try {
        RE2JS.compile(pattern)
      } catch (thrown) {
        const why = (thrown as Error).message.replace(/^error parsing regexp: /, '')
        const allowed = 'must be a regular expression without look-around or back-references'
        problems.push(`${sources.get(path)}: "${path}[${i}]" ${allowed}, not ${shown(pattern)} (${why}).`)
      }
    })
  }
  return problems
}
