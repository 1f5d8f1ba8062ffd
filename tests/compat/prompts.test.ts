import { describe, expect, it } from 'vitest'
import { configure } from '../../src/config/project-config.ts'
import type { PresetName } from '../../src/core/config.ts'
import { PRESETS, policyFor } from '../../src/core/presets/index.ts'
import { read } from '../../src/core/signals/read.ts'
import { transcript } from '../signals/transcript.ts'

const presets = Object.keys(PRESETS) as PresetName[]
const promptOf = (preset: PresetName) => policyFor(configure({ preset })).prompt

/** Ways in which an agent repeats its prompt. The reader doesn't know the prompt, so only the text itself protects. */
const echoes: [name: string, echo: (prompt: string) => string][] = [
  ['word for word', (prompt) => prompt],
  ['in a fence', (prompt) => `I was asked:\n\n\`\`\`\n${prompt}\n\`\`\`\n`],
  ['quoted', (prompt) => prompt.replace(/^/gm, '> ')],
  ['without line ends at the end', (prompt) => prompt.trimEnd()],
  ['with windows line ends', (prompt) => prompt.replaceAll('\n', '\r\n')],
  ['cut off after the block', (prompt) => prompt.split('\n').slice(0, -3).join('\n')],
]

describe.each(presets)('the prompt of %s', (preset) => {
  it.each(echoes)('is not a claim when it is repeated %s', (_name, echo) => {
    const signals = read(transcript(echo(promptOf(preset))))
    expect(signals.claim).toBeUndefined()
    expect(Object.values(signals.claims)).not.toContain(true)
    expect(signals.said.EXIT_STATUS).not.toBe('COMPLETE')
    expect(signals.said.EXIT_SIGNAL).not.toBe(true)
  })

  it('contains no completion phrases', () => {
    const completion = /^(?:cub|doyaken|ralph-done|sure|certain):/
    expect(read(transcript(promptOf(preset))).phrases.filter((phrase) => completion.test(phrase))).toEqual([])
  })

  it('gives an instruction in plain text', () => {
    expect(promptOf(preset)).toMatch(/^## .+\n/)
    expect(promptOf(preset)).not.toMatch(/(?:EXIT_STATUS|EXIT_SIGNAL|PHASE_COMPLETE): *(?:COMPLETE|true)\s*$/m)
  })
})

/** The block of each dialect's prompt, filled in as requested: then it must be a claim. */
const answers: [preset: PresetName, fill: (prompt: string) => string][] = [
  [
    'default',
    (prompt) =>
      prompt
        .replace('{COMPLETE|CONTINUE}', 'COMPLETE')
        .replace('{one sentence}', 'done')
        .replace('{none|what is left}', 'none'),
  ],
  [
    'cub',
    (prompt) =>
      prompt
        .replace('{COMPLETE|CONTINUE}', 'COMPLETE')
        .replace('{one sentence}', 'done')
        .replace('{none|what is left}', 'none'),
  ],
  [
    'doyaken',
    (prompt) =>
      prompt
        .replace('true/false', 'true')
        .replace('<count>', '3')
        .replace('pass/fail/skip/unknown', 'pass')
        .replace('high/medium/low', 'high')
        .replace('<brief description or "none">', 'none'),
  ],
  [
    'prp',
    (prompt) =>
      prompt
        .replace(/^.*<none, or.*\n/m, '  - none\n')
        .replaceAll('true|false', 'true')
        .replaceAll('<number>', '1')
        .replace('<0-100>', '100')
        .replace('<ISO-8601>', '2026-01-13T10:00:00Z')
        .replace('RED|GREEN|REFACTOR|DOCUMENT|QA', 'GREEN')
        .replace('IN_PROGRESS|BLOCKED|COMPLETE', 'COMPLETE')
        .replace('<one line>', 'go on'),
  ],
  [
    'ralph',
    (prompt) =>
      prompt
        .replace('false|true', 'true')
        .replaceAll('<number>', '1')
        .replace('IN_PROGRESS|COMPLETE|BLOCKED', 'COMPLETE')
        .replace('PASSING|FAILING|NOT_RUN', 'PASSING')
        .replace(/WORK_TYPE: .*/, 'WORK_TYPE: TESTING')
        .replace(/<one line .*>/, 'nothing'),
  ],
]

describe('an answer to the prompt', () => {
  it.each(answers)('of %s is a claim', (preset, fill) => {
    const block = fill(promptOf(preset)).split(/\n\n(?=---|EXIT_STATUS|DOYAKEN)/)[1]!
    const end = /---END_\w+---/.exec(block)
    const answer = `I did the work.\n\n${end === null ? block.split('\n\n')[0] : block.slice(0, end.index + end[0].length)}\n`
    const signals = read(transcript(answer))
    expect(signals.problems).toEqual([])
    expect(signals.claim).toBe(true)
  })
})
