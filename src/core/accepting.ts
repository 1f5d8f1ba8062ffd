import type { AcceptedFinding, EvidenceSet, OpenFinding } from './types.ts'

/** Without letters and digits that look alike. */
export const PLAIN_LETTERS = 'ABCDEFGHJKMNPQRSTUVWXYZ23456789'
const SHORT = 5
/** Enough letters that an agent can't make another finding with the same ones. */
const LONG = 20

/** The letters of a key, which is a hash in hex. */
function lettersOf(key: string): string {
  let rest = BigInt(`0x${key.slice(0, 40) || '0'}`)
  let letters = ''
  for (const base = BigInt(PLAIN_LETTERS.length); letters.length < LONG; rest /= base)
    letters += PLAIN_LETTERS[Number(rest % base)]
  return letters
}

/** The id that people read and type. */
export const findingId = (key: string): string => lettersOf(key).slice(0, SHORT)

/** What the user can accept now: the findings of the latest evidence, each once. */
export function openFindings(evidence: EvidenceSet = {}): readonly OpenFinding[] {
  const all = Object.values(evidence).flatMap(({ findings = [] }) => findings)
  return [...new Map(all.map((finding) => [finding.key, finding])).values()]
}

/** One line for each id. Findings that belong to another one share its id and follow it. */
export const listedFindings = (evidence: EvidenceSet = {}): readonly OpenFinding[] => eachIdOnce(openFindings(evidence))

/** Changes to the tests among them. A failing test is the agent's to fix. */
export const changesToDecide = (evidence: EvidenceSet = {}): readonly OpenFinding[] =>
  listedFindings(evidence).filter(({ kind }) => kind !== 'test-failing')

export function eachIdOnce(open: readonly OpenFinding[]): readonly OpenFinding[] {
  return open.filter(({ id, key }) => isOwn(id, key) || !open.some((other) => other.id === id && isOwn(id, other.key)))
}

export const acceptedFindings = (evidence: EvidenceSet = {}): readonly AcceptedFinding[] => {
  const all = Object.values(evidence).flatMap(({ accepted = [] }) => accepted)
  return [...new Map(all.map((finding) => [finding.key, finding])).values()]
}

const isOwn = (id: string, key: string): boolean => lettersOf(key).startsWith(id)

/** The findings with these ids, or a sentence about what is wrong with them. */
export function chooseFindings(open: readonly OpenFinding[], ids: readonly string[]): readonly OpenFinding[] | string {
  const chosen = new Map<string, OpenFinding>()
  for (const given of ids) {
    const id = given.trim().toUpperCase()
    const named = open.filter((finding) => finding.id === id || (id.length >= SHORT && isOwn(id, finding.key)))
    const own = named.filter(({ key }) => isOwn(id, key))
    if (named.length === 0) return unknownId(given, open)
    if (own.length > 1)
      return `${id} stands for ${own.length} findings. Use the longer ids: ${own.map(({ key, detail }) => `${lettersOf(key)} (${detail})`).join(', ')}`
    for (const finding of own.length > 0 && id.length > SHORT ? own : named) chosen.set(finding.key, finding)
  }
  return [...chosen.values()]
}

function unknownId(id: string, open: readonly OpenFinding[]): string {
  const known = [...new Set(open.map((finding) => finding.id))]
  if (known.length === 0) return `There is no finding ${id}: nothing waits for your decision. See exitgate explain.`
  return `There is no finding ${id}. Findings that you can accept now: ${known.join(', ')}. See exitgate explain.`
}

/** Where a finding is and what it is, in one line. */
export const findingText = ({ file, line, detail }: OpenFinding): string =>
  `${file === undefined ? '' : `${file}${line === undefined ? '' : `:${line}`}: `}${detail}`

/**
 * For the agent, after the lines that name findings. Otherwise an agent whose task is to change a test would fight the check.
 */
export function userDecides(findings: readonly string[], lines: readonly string[]): readonly string[] {
  const shown = findings.filter((id) => lines.some((line) => line.includes(`(${id})`)))
  if (shown.length === 0) return []
  const which = `${shown.slice(0, 5).join(', ')}${shown.length > 5 ? ' and others' : ''}`
  return [
    `The user must decide about ${which}. Undo such a change if the task doesn't ask for it. If the task asks for it, leave it as it is,`,
    "say so, and report as usual: the user decides. Don't look for another way around it.",
  ]
}
