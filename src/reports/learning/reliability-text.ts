import type { Bin } from '../../learning/brier.ts'

const WIDTH = 20

/** What was said against what was so, a line for each tenth: on a straight line both columns would be alike. */
export function reliabilityText(bins: readonly Bin[]): string {
  const lines = bins.map(({ from, to, n, said, was }) => {
    const bar = '#'.repeat(Math.round(was * WIDTH)).padEnd(WIDTH, '.')
    const range = `${percent(from)}-${percent(to)} %`.padStart(9)
    return `  ${range}  said ${number(said)}, was ${number(was)}  ${bar}  ${n} ${n === 1 ? 'run' : 'runs'}`
  })
  return `${lines.join('\n')}\n`
}

const percent = (share: number): number => Math.round(share * 100)
const number = (share: number): string => String(percent(share)).padStart(3)
