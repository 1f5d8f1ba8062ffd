import { readShellLine, type Step } from '../system/shell-line.ts'

/** Commands that succeed whatever went before. */
const ALWAYS_GOOD = new Set('true : echo printf date pwd'.split(' '))
/** At the end of a pipe these report their own success, not that of what they show. */
const FILTERS = new Set('tee cat head tail grep egrep sed awk tr cut sort uniq less more ts column wc'.split(' '))

const text = ({ words }: Step) => words.join(' ')

const isGood = ({ words: [name = '', code] }: Step) =>
  ALWAYS_GOOD.has(name) || (/^(?:exit|return)$/.test(name) && code === '0')

/** `sh -c "..."`: what is written inside is what runs. */
function inner({ words }: Step): string | undefined {
  if (!/(?:^|\/)(?:ba|da|z)?sh$/.test(words[0] ?? '')) return undefined
  const at = words.findIndex((word) => /^-[a-z]*c$/.test(word))
  return at < 0 ? undefined : words[at + 1]
}

/** Only the last part of a line gives the exit code: what stands behind the last `;`, newline or `&`. */
function lastPart(steps: readonly Step[]): readonly Step[] {
  let from = 0
  for (const [at, { next }] of steps.entries())
    if ((next === ';' || next === '&') && at < steps.length - 1) from = at + 1
  return steps.slice(from)
}

/** In plain words, why the exit code of a command line says nothing about it; undefined when it does. */
export function maskedBy(line: string): string | undefined {
  const steps = readShellLine(line)
  const last = steps.at(-1)
  if (last === undefined) return undefined
  if (last.next === '&') return 'it runs in the background'
  if (steps.some(({ words }) => words[0] === 'set' && words.includes('+e'))) return '"set +e" goes on after failures'
  if (steps.some((step) => step.words[0] === 'trap' && /\bexit 0/.test(text(step)))) return 'a trap exits with 0'
  const part = lastPart(steps)
  const pipefail = steps.some(({ words }) => words[0] === 'set' && words.includes('pipefail'))

  let canFail = false
  let joint = '&&'
  let why: string | undefined
  for (const [at, step] of part.entries()) {
    if (step.next === '|') continue
    const piped = part[at - 1]?.next === '|'
    if (piped && !pipefail && FILTERS.has(step.words[0] ?? '')) {
      return `the exit code is that of "${step.words[0]}", not of what is piped into it`
    }
    if (step.words[0] === '!' && step.words.length > 1) return '"!" turns failure into success'
    const within = inner(step)
    const nested = within === undefined ? undefined : maskedBy(within)
    const fails = !isGood(step) && nested === undefined
    if (joint === '||' && canFail && !fails) why = `"|| ${text(step)}" turns every failure into success`
    canFail = joint === '||' ? canFail && fails : canFail || fails
    why ??= nested
    joint = step.next
  }
  if (canFail) return undefined
  if (why !== undefined) return why
  return steps.length > 1 ? `"${text(last)}" at the end hides the exit code of what goes before` : undefined
}
