// Creates the two large transcripts of the scan bench: always the same bytes, with lines as agents print them.
import { closeSync, openSync, writeSync } from 'node:fs'

const WORDS =
  'the parser now reads every token of a stream and keeps its line number so that later steps know where a value came from while the index module exports one function which takes the options checks them once and hands them on to the loop that runs until the state settles'.split(
    ' ',
  )
const FILES = ['src/parser/tokens.ts', 'src/loop/step.ts', 'tests/parser.test.ts', 'lib/server/routes.js', 'README.md']
const PHRASES = [
  'All tasks are completed.',
  'The implementation is finished and ready for review.',
  'I think this might need another look, but it should work.',
  'Error: expected 3 items, got 2',
  'Nothing left to do here; everything is done.',
  'Should I go on with the second part?',
]

/** A linear congruential generator, so that the numbers are always the same. */
function chance(seed) {
  let state = seed
  return (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return Math.floor((state / 4294967296) * below)
  }
}

const LINES = [
  (pick) => sentence(pick),
  (pick) => sentence(pick),
  (pick) => `    const value${pick(99)} = await read(path, { limit: ${pick(9999)}, depth: ${pick(9)} })`,
  (pick) => `  at Object.step (${FILES[pick(FILES.length)]}:${pick(400)}:${pick(80)})`,
  (pick) => ` ✓ ${FILES[pick(FILES.length)]} (${pick(40)} tests) ${pick(900)}ms`,
  (pick) => `+  return rows.filter((row) => row.id !== ${pick(999)}).map(({ name }) => name.trim())`,
  (pick) =>
    `[${String(pick(24)).padStart(2, '0')}:${String(pick(60)).padStart(2, '0')}] worker ${pick(8)}: ${sentence(pick)}`,
]

function sentence(pick) {
  const words = Array.from({ length: 6 + pick(12) }, () => WORDS[pick(WORDS.length)])
  return `${words.join(' ')}.`
}

function line(pick) {
  return pick(400) === 0 ? PHRASES[pick(PHRASES.length)] : LINES[pick(LINES.length)](pick)
}

function lines(pick, count) {
  return Array.from({ length: count }, () => line(pick)).join('\n')
}

/** Creates a few blocks and writes them repeatedly, because creating every line would take longer than the bench. */
function write(path, bytes, first, block, last) {
  const pick = chance(7)
  const blocks = Array.from({ length: 12 }, () => Buffer.from(block(pick)))
  const file = openSync(path, 'w')
  let written = writeSync(file, first)
  while (written < bytes) written += writeSync(file, blocks[pick(blocks.length)])
  writeSync(file, last)
  closeSync(file)
}

export function writeText(path, bytes) {
  write(
    path,
    bytes,
    '',
    (pick) => `${lines(pick, 12_000)}\n`,
    'All three steps are in place.\n\nEXIT_STATUS: COMPLETE\n',
  )
}

export function writeStream(path, bytes) {
  const session = '0b54ac3e-7f2d-4c1b-9d55-1c2f4e6a8b90'
  const event = (value) => `${JSON.stringify(value)}\n`
  const message = (pick, id, content) =>
    event({
      type: 'assistant',
      message: {
        id,
        type: 'message',
        role: 'assistant',
        model: 'a-model',
        content: [content],
        stop_reason: null,
        stop_sequence: null,
        usage: {
          input_tokens: pick(900),
          cache_creation_input_tokens: 0,
          cache_read_input_tokens: pick(9999),
          output_tokens: 1,
        },
      },
      parent_tool_use_id: null,
      session_id: session,
      uuid: `${pick(1e9)}-${pick(1e9)}`,
    })
  const turn = (pick) => {
    const id = `toolu_${pick(1e9)}`
    const own = `msg_${pick(1e9)}`
    const [name, input] =
      pick(3) === 0
        ? ['Write', { file_path: FILES[pick(FILES.length)], content: lines(pick, 10 + pick(60)) }]
        : ['Bash', { command: `npm test -- ${FILES[pick(FILES.length)]}`, description: sentence(pick) }]
    const result = {
      tool_use_id: id,
      type: 'tool_result',
      content: lines(pick, 5 + pick(120)),
      is_error: pick(12) === 0,
    }
    return [
      message(pick, own, { type: 'text', text: lines(pick, 1 + pick(8)) }),
      message(pick, own, { type: 'tool_use', id, name, input }),
      event({
        type: 'user',
        message: { role: 'user', content: [result] },
        parent_tool_use_id: null,
        session_id: session,
      }),
    ].join('')
  }
  const pick = chance(3)
  const words = 'All three steps are in place.\n\nEXIT_STATUS: COMPLETE\n'
  const result = {
    type: 'result',
    subtype: 'success',
    is_error: false,
    duration_ms: 3_600_000,
    num_turns: 900,
    result: words,
    session_id: session,
    total_cost_usd: 12.5,
    usage: {
      input_tokens: 90_000,
      cache_creation_input_tokens: 0,
      cache_read_input_tokens: 8_000_000,
      output_tokens: 70_000,
    },
    permission_denials: [],
  }
  write(
    path,
    bytes,
    event({ type: 'system', subtype: 'init', session_id: session, tools: ['Bash', 'Write'], model: 'a-model' }),
    (each) => Array.from({ length: 90 }, () => turn(each)).join(''),
    message(pick, 'msg_last', { type: 'text', text: words }) + event(result),
  )
}
