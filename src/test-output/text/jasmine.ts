import { closingLine, number, outOf } from '../closing-line.ts'
import type { TextReader } from '../types.ts'

const specs = closingLine(
  'jasmine',
  [' specs, ', ' spec, '],
  [
    {
      pattern: /^(\d+) specs?, (\d+) failures?(?:, (\d+) pending specs?)?\s*$/,
      counts: (match) => outOf(number(match[1]), number(match[2]), number(match[3])),
    },
  ],
)

/** A focused run proves nothing about the specs that it left out. */
export const jasmine: TextReader = {
  ...specs,
  read: (lines) => {
    const focused = lines.some((line) => /^Incomplete: (?:fit|focused|No specs)/.test(line))
    const unproven = 'The run was incomplete (jasmine).'
    return specs.read(lines).map((part) => (focused ? { ...part, unproven } : part))
  },
}
