/** In a page, this line matches any lines. */
const ANY = '...'

/** Replaces what differs between runs and machines: times, names, hashes, versions. */
export function normalized(text: string, home?: string): string {
  return (
    (home === undefined ? text : text.replaceAll(home, '/home/you'))
      .replace(/\b\d\d:\d\d:\d\d\b/g, '00:00:00')
      .replace(/\b\d{8}-\d{6}-\d+\b/g, '20260102-030405-1')
      .replace(/\b\d{4}-\d\d-\d\dT[\d:.]+Z/g, '2026-01-02T03:04:05.000Z')
      .replace(/\b\d{4}-\d\d-\d\d /g, '2026-01-02 ')
      .replace(/\b(after|in) (?:\d+m )?\d+s\b/g, '$1 0s')
      .replace(/\b(?:\d+m )?\d+s of work\b/g, '0s of work')
      .replace(/\b(test runs?) in (?:\d+m )?[\d.]+s\b/g, '$1 in 0s')
      .replace(/\b\d+ ms\b/g, '0 ms')
      .replace(/\bproject-[0-9a-f]{12}\b/g, 'project-0123456789ab')
      .replace(/\b[0-9a-f]{40}\b/g, '0123456789012345678901234567890123456789')
      .replace(/^( +ok +(?:node|git) +)\S.*$/gm, '$1its version')
      // Shown after two seconds, so only on a slow machine.
      .replace(/^(?:Running the checks|Taking the baseline) \.\.\.\n/gm, '')
      .replace(/^00:00:00 (?:iteration \d+: )?running the checks(?: for the baseline)?, .*\n/gm, '')
  )
}

/** The first line of a page's output that the program did not print there; undefined if it printed all of them. */
export function missingLine(shown: string, printed: string): string | undefined {
  const actual = normalized(printed).trimEnd().split('\n').map(trimmed)
  let at = 0
  let anywhere = false
  for (const line of normalized(shown).trimEnd().split('\n').map(trimmed)) {
    if (line.trim() === ANY) {
      anywhere = true
      continue
    }
    const found = anywhere ? actual.indexOf(line, at) : actual[at] === line ? at : -1
    if (found === -1) return line
    at = found + 1
    anywhere = false
  }
  return anywhere || at === actual.length ? undefined : `(end of output, but the program printed) ${actual[at]}`
}

export const isComplete = (shown: string): boolean => !shown.split('\n').some((line) => line.trim() === ANY)

const trimmed = (line: string): string => line.trimEnd()
