import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { findPhrases } from '../src/core/signals/phrases.ts'
import { read } from '../src/core/signals/read.ts'
import type { Signals } from '../src/core/types.ts'
import { anyCharacter } from './any-character.ts'
import { transcript } from './signals/transcript.ts'

/** Number of texts for all properties together. Each property gets a share. */
const RUNS = Number(process.env.EXITGATE_FUZZ_RUNS ?? 20_000)
const TIMEOUT = 60_000 + RUNS * 20
const share = (percent: number) => ({ numRuns: Math.ceil((RUNS * percent) / 100) })

const pick = (...texts: readonly string[]) => fc.constantFrom(...texts)
const lines = (line: fc.Arbitrary<string>, maxLength = 12) =>
  fc.array(line, { maxLength }).chain((all) => pick('\n', '\r\n', '\n\n').map((end) => all.join(end)))

/** Parts of every format, intact and broken, in any order. */
const pieces = pick(
  '---RALPH_STATUS---',
  '---END_RALPH_STATUS---',
  '---PRP_PHASE_STATUS---',
  '---END_PRP_PHASE_STATUS---',
  'RALPH_STATUS:',
  '**DOYAKEN_STATUS:**',
  'GREEN_PHASE_METRICS:',
  'EXIT_STATUS: COMPLETE',
  'EXIT_STATUS: CONTINUE',
  'EXIT_SIGNAL: true',
  '**EXIT_SIGNAL:** false',
  '  PHASE_COMPLETE: true',
  'STATUS: BLOCKED',
  'REMAINING_WORK:',
  '  - item: with colon',
  'TESTS:',
  '  TOTAL: 3',
  '<promise>COMPLETE</promise>',
  '<promise>',
  '</promise>',
  '```',
  '~~~~',
  '> quoted',
  '<!--',
  '-->',
  '<example>',
  '</example>',
  '@@ -1 +1 @@',
  '\t',
  '',
  ':',
  '{A|B}',
  '{',
  '}',
  '  "EXIT_SIGNAL": true,',
  'RALPH_STATUS: {"EXIT_SIGNAL": true}',
  '---END_STATUS---',
  'not all tasks are completed?',
  'Error: x',
  '\x1b[31m',
  '\x1b]',
  '\ud83d',
  '\u200b',
)
const anyText = fc.oneof(
  fc.string({ unit: anyCharacter, maxLength: 300 }),
  fc.string({ unit: 'grapheme', maxLength: 200 }),
  lines(pieces, 25),
  lines(fc.oneof(pieces, fc.string({ maxLength: 30 })), 15),
  fc
    .array(fc.oneof(pieces, fc.string({ unit: anyCharacter, maxLength: 4 })), { maxLength: 30 })
    .map((all) => all.join('')),
)

const blocks = pick(
  'EXIT_STATUS: COMPLETE\nEXIT_REASON: all green\nREMAINING_WORK: none',
  '---RALPH_STATUS---\nSTATUS: COMPLETE\nEXIT_SIGNAL: true\n---END_RALPH_STATUS---',
  'RALPH_STATUS:\n  EXIT_SIGNAL: true',
  'RALPH_STATUS:\n{\n  "EXIT_SIGNAL": true,\n  "summary": "all {green}"\n}',
  'DOYAKEN_STATUS:\n  PHASE_COMPLETE: true\n  TESTS_STATUS: pass',
  '---PRP_PHASE_STATUS---\nPHASE: GREEN\nTESTS:\n  TOTAL: 3\nEXIT_SIGNAL: true\n---END_PRP_PHASE_STATUS---',
  '<promise>COMPLETE</promise>',
  'EXIT_SIGNAL: true',
)
/** A block with some characters removed, doubled or replaced. */
const mutated = fc
  .tuple(
    blocks,
    fc.array(fc.tuple(fc.nat(200), fc.oneof(fc.string({ unit: anyCharacter, maxLength: 2 }), pieces)), {
      maxLength: 4,
    }),
  )
  .map(([block, cuts]) =>
    cuts.reduce(
      (text, [at, more]) => text.slice(0, at % text.length) + more + text.slice((at % text.length) + 1) || more,
      block,
    ),
  )

/** Harmless text: no fence, tag, field or quote. */
const prose = pick(
  'I changed the parser and ran the suite.',
  'All tasks are completed, ready for review.',
  'Nothing else changed',
  '- a point',
  '## Summary',
  'Two files, twelve tests.',
  'The cache is keyed by name (see the notes).',
)

/** Text that looks like a claim but isn't. Each ends with a sentence, so that nothing in it ends the message. */
const noClaim = fc.oneof(
  prose,
  pick(
    'EXIT_STATUS: CONTINUE',
    'EXIT_STATUS: COMPLETED',
    'EXIT_STATUS: {COMPLETE|CONTINUE}',
    'EXIT_STATUS: COMPLETE (once the docs are there)',
    'EXIT_STATUS: COMPLETE is what I print at the end',
    'I will print EXIT_STATUS: COMPLETE then',
    '> EXIT_STATUS: COMPLETE',
    '"EXIT_STATUS: COMPLETE"',
    '+EXIT_STATUS: COMPLETE',
    '    EXIT_STATUS: COMPLETE',
    'exit_status: COMPLETE',
    'EXIT_SIGNAL: false',
    'EXIT_SIGNAL: true/false',
    'EXIT_SIGNAL: yes',
    'with `EXIT_SIGNAL: true` in it',
    'PHASE_COMPLETE: true',
    'STATUS: COMPLETE',
    'print <promise>COMPLETE</promise> when done',
    '<promise>PARTIAL</promise>',
    '<promise>...</promise>',
    'DOYAKEN_STATUS:\n  PHASE_COMPLETE: false\n',
    'DOYAKEN_STATUS:\n  PHASE_COMPLETE: true/false\n  FILES_MODIFIED: <count>\n',
    'I end with DOYAKEN_STATUS: as asked',
    'RALPH_STATUS:\n{ "EXIT_SIGNAL": "true/false" }',
    'RALPH_STATUS:\n{ "EXIT_SIGNAL": true\n',
    '{ "EXIT_SIGNAL": true }',
    '---RALPH_STATUS---\nSTATUS: IN_PROGRESS\nEXIT_SIGNAL: false\n---END_RALPH_STATUS---',
    '---RALPH_STATUS---\nSTATUS: COMPLETE | BLOCKED\nEXIT_SIGNAL: true | false\n---END_RALPH_STATUS---',
    '---RALPH_STATUS---\nTESTS_STATUS: PASSING\n---END_RALPH_STATUS---',
    '---PRP_PHASE_STATUS---\nPHASE: GREEN\nSTATUS: COMPLETE\n---END_PRP_PHASE_STATUS---',
    'GREEN_PHASE_METRICS:\n  exit_signal: true\n',
  ),
  blocks.map((block) => `The format is:\n\`\`\`\n${block}\n\`\`\``),
  blocks.map((block) => `\`\`\`\n${block}\n\`\`\`\nThat is what the prompt shows.`),
  blocks.map((block) => `<!--\n${block}\n-->`),
  blocks.map((block) => `<example>\n${block}\n</example>`),
  blocks.map((block) => block.replace(/^/gm, '> ')),
  blocks.map((block) => block.replace(/^/gm, '+')),
)

function check(signals: Signals): void {
  const { text, problems, claim, claims, source, blocks } = signals
  // Every call of `expect` takes longer than reading a short message, so there are two.
  expect(JSON.parse(JSON.stringify(signals))).toEqual(signals)
  expect({
    shortText: text.length <= 2_000,
    fewProblems: problems.length <= 20,
    // The claim has a dialect, and it is reported.
    source: claim === undefined ? source : claims[source],
    withoutBlock: Object.keys(claims).filter((name) => !blocks.includes(name)),
  }).toEqual({ shortText: true, fewProblems: true, source: claim ?? 'none', withoutBlock: [] })
}

describe('reading any agent output', () => {
  it('never throws and returns valid signals', { timeout: TIMEOUT }, () => {
    const options = fc.record({ prompt: anyText, promise: pick('COMPLETE', 'DONE') }, { requiredKeys: [] })
    fc.assert(
      fc.property(fc.oneof(anyText, mutated), options, fc.boolean(), (final, reading, finished) => {
        check(read(transcript(final, { finished }), reading))
      }),
      share(40),
    )
  })

  it('accepts any tool call, field and earlier line', { timeout: TIMEOUT }, () => {
    const scalar = fc.oneof(
      fc.boolean(),
      fc.integer(),
      fc.string({ unit: anyCharacter, maxLength: 12 }),
      pick('complete', 'continue', 'BLOCKED'),
    )
    const record = fc.dictionary(
      fc.oneof(pick('status', 'signal', 'exit_signal', '__proto__', 'constructor'), fc.string()),
      scalar,
      { maxKeys: 5 },
    )
    fc.assert(
      fc.property(
        fc.array(record, { maxLength: 3 }),
        record,
        fc.array(anyText, { maxLength: 4 }),
        (toolSignals, fields, earlier) => {
          check(read(transcript('', { toolSignals, fields, earlier })))
        },
      ),
      share(10),
    )
  })

  it('never returns yes without a well-formed block', { timeout: TIMEOUT }, () => {
    fc.assert(
      fc.property(fc.array(noClaim, { maxLength: 8 }), pick('\n', '\n\n', '\r\n\r\n'), (parts, gap) => {
        const final = [...parts.flatMap((part) => [part, 'And so on.']), 'I go on tomorrow.'].join(gap)
        expect(read(transcript(final)).claim).not.toBe(true)
      }),
      share(25),
    )
  })

  it('random words never claim', { timeout: TIMEOUT }, () => {
    const words = anyText.filter((text) => !/EXIT|PHASE|STATUS|promise/i.test(text))
    fc.assert(
      fc.property(words, (final) => {
        expect(read(transcript(final))).not.toHaveProperty('claim')
      }),
      share(10),
    )
  })

  it('always reads a well-formed block at the end of prose', { timeout: TIMEOUT }, () => {
    fc.assert(
      fc.property(lines(prose), blocks, fc.boolean(), (before, block, fenced) => {
        const signals = read(transcript(`${before}\n\n${fenced ? `\`\`\`\n${block}\n\`\`\`` : block}\n`))
        expect(signals.claim).toBe(true)
        expect(signals.vetoes).toEqual([])
      }),
      share(4),
    )
  })

  it('a no at the end of the message always wins', { timeout: TIMEOUT }, () => {
    const no = pick(
      'EXIT_STATUS: CONTINUE',
      'EXIT_SIGNAL: false',
      'DOYAKEN_STATUS:\n  PHASE_COMPLETE: false',
      'REMAINING_WORK: the docs',
    )
    fc.assert(
      fc.property(fc.array(fc.oneof(prose, blocks), { maxLength: 6 }), no, (parts, last) => {
        expect(read(transcript([...parts, 'Hm.', last].join('\n\n'))).vetoes.length).toBeGreaterThan(0)
      }),
      share(4),
    )
  })

  it('an echoed prompt claims nothing', { timeout: TIMEOUT }, () => {
    fc.assert(
      fc.property(lines(prose, 4), blocks, lines(prose, 4), (before, block, after) => {
        const prompt = `Do the work.\n${before}\nWhen it is done:\n${block}\n${after}\nThank you.`
        expect(read(transcript(`${prompt}\n\nI start now.`), { prompt }).claim).toBeUndefined()
      }),
      share(4),
    )
  })

  it('phrases never throw, and every name is in the table', { timeout: TIMEOUT }, () => {
    fc.assert(
      fc.property(fc.array(anyText, { maxLength: 4 }), (texts) => {
        const found = findPhrases(texts)
        expect(new Set(found).size).toBe(found.length)
      }),
      share(3),
    )
  })
})
