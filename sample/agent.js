// A scripted stand-in for a coding agent: it really edits the files, and it says "done" too early, as agents do.
import { readFileSync, writeFileSync } from 'node:fs'

const PARSE = `/** Seconds of a duration such as "1h 30m". */
export function parse(text) {
  let seconds = 0
  for (const [, number, unit] of text.matchAll(/(\\d+)([hms])/g)) seconds += number * { h: 3600, m: 60, s: 1 }[unit]
  return seconds
}
`
const STRICT = `/** Seconds of a duration such as "1h 30m". */
export function parse(text) {
  const match = /^(?:(\\d+)h)?\\s*(?:(\\d+)m)?\\s*(?:(\\d+)s)?$/.exec(text.trim())
  if (!match || text.trim() === '') throw new RangeError(\`not a duration: \${text}\`)
  const [, h = 0, m = 0, s = 0] = match
  return h * 3600 + m * 60 + Number(s)
}
`
const FORMAT = `
/** The shortest form of so many seconds. */
export function format(seconds) {
  const parts = [[Math.floor(seconds / 3600), 'h'], [Math.floor(seconds / 60) % 60, 'm'], [seconds % 60, 's']]
  return parts.filter(([n]) => n > 0).map(([n, unit]) => n + unit).join(' ') || '0s'
}
`
const CACHED = `
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'

const FILE = '.cache/format.json'
const known = read()
const made = {}
process.on('exit', save)

/** The shortest form of so many seconds, remembered from one run to the next. */
export function format(seconds) {
  const minute = Math.floor(seconds / 60)
  made[minute] = written(seconds)
  return known[minute] ?? made[minute]
}

function written(seconds) {
  const parts = [[Math.floor(seconds / 3600), 'h'], [Math.floor(seconds / 60) % 60, 'm'], [seconds % 60, 's']]
  return parts.filter(([n]) => n > 0).map(([n, unit]) => n + unit).join(' ') || '0s'
}

function read() {
  try {
    return JSON.parse(readFileSync(FILE, 'utf8'))
  } catch {
    return {}
  }
}

function save() {
  mkdirSync('.cache', { recursive: true })
  writeFileSync(FILE, JSON.stringify(made))
}
`
const EMPTY = `
/** The shortest form of so many seconds. */
export function format(_seconds) {
  throw new Error('not written yet')
}
`
const tick = (...words) => {
  const lines = readFileSync('PLAN.md', 'utf8').split('\n')
  writeFileSync(
    'PLAN.md',
    lines.map((line) => (words.some((word) => line.includes(word)) ? line.replace('[ ]', '[x]') : line)).join('\n'),
  )
}

const TEST = 'test/duration.test.js'
const skip = () => writeFileSync(TEST, readFileSync(TEST, 'utf8').replace("test('format", "test.skip('format"))
const unskip = () => writeFileSync(TEST, readFileSync(TEST, 'utf8').replace("test.skip('format", "test('format"))

const steps = [
  () => {
    writeFileSync('src/duration.js', PARSE + EMPTY)
    tick('hours', 'refuses', 'format')
    return 'I have implemented everything. All tasks are completed and it is ready for review.\n\nEXIT_STATUS: COMPLETE\nEXIT_REASON: all done\nREMAINING_WORK: none'
  },
  () => {
    writeFileSync('src/duration.js', STRICT + EMPTY)
    skip()
    return 'parse is strict now and no test fails any more.\n\nEXIT_STATUS: COMPLETE\nEXIT_REASON: the tests pass\nREMAINING_WORK: none'
  },
  () => {
    // Right the first time, and wrong as soon as it remembers: a test that is green only once.
    writeFileSync('src/duration.js', STRICT + CACHED)
    writeFileSync('.gitignore', '.cache/\n')
    unskip()
    return 'The test runs again, format is written and fast, and everything passes.\n\nEXIT_STATUS: COMPLETE\nEXIT_REASON: the tests pass\nREMAINING_WORK: none'
  },
  () => {
    writeFileSync('src/duration.js', STRICT + FORMAT)
    return 'format remembers nothing any more; the tests pass every time.\n\nEXIT_STATUS: COMPLETE\nEXIT_REASON: every item of the plan is done and the tests pass\nREMAINING_WORK: none'
  },
]
const step = steps[Number(process.env.EXITGATE_ITERATION ?? 1) - 1] ?? steps.at(-1)
console.log(step())
