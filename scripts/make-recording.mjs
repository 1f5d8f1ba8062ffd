// `npm run screenshots`: records `exitgate demo` in a terminal as an animated SVG. No other program or service is needed to show it.
import { spawnSync } from 'node:child_process'
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const COLUMNS = 104
const ROWS = 28
const CELL = { width: 7.8, height: 18 }
const PADDING = { top: 44, side: 16, bottom: 16 }
/** Seconds: between lines, before a line that starts a step, and at the end before it starts again. */
const PACE = { line: 0.12, step: 0.9, end: 8 }
/** Colours of the terminal by SGR code. */
const CLASSES = { 1: 'b', 2: 'd', 31: 'r', 32: 'g', 33: 'y', 34: 'u', 35: 'm', 36: 'c' }

/** What the demo prints in a terminal of that size. `script` gives it one. */
function recorded(program) {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'exitgate-recording-')))
  try {
    const line = `stty cols ${COLUMNS} rows ${ROWS}; ${process.execPath} ${program} demo --plain`
    const env = {
      PATH: process.env.PATH,
      HOME: folder,
      TMPDIR: folder,
      TERM: 'xterm-256color',
      LANG: 'C.UTF-8',
      npm_command: 'exec',
    }
    const ran = spawnSync('script', ['-qec', line, '/dev/null'], { env, encoding: 'utf8' })
    if (ran.status !== 0) throw new Error(`the demo was not recorded: ${ran.error?.message ?? ran.stdout}`)
    return ran.stdout.replaceAll(folder, '/tmp').replaceAll('\r', '')
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** One printed line as cells with their class, then cut into rows as a terminal does. */
function rowsOf(line, state) {
  const cells = []
  for (const [, code, character] of line.matchAll(/\u001b\[([\d;]*)[A-Za-z]|([^\u001b])/gu)) {
    if (character !== undefined) cells.push([character, state.classes])
    else state.classes = nextClasses(state.classes, code)
  }
  // Between words, and indented like the line: easier to read than what a terminal does.
  const indent = /^(?:\d\d:\d\d:\d\d )?[ |]*/.exec(cells.map(([character]) => character).join(''))[0].length
  const rows = []
  for (let rest = cells; rows.length === 0 || rest.length > 0; ) {
    const space = rest.length <= COLUMNS ? -1 : rest.findLastIndex(([one], at) => one === ' ' && at <= COLUMNS)
    const end = rest.length <= COLUMNS ? rest.length : space > indent ? space : COLUMNS
    rows.push(rest.slice(0, end))
    const more = rest.slice(space > indent ? end + 1 : end)
    rest = more.length === 0 ? [] : [...Array.from({ length: indent }, () => [' ', '']), ...more]
  }
  return rows
}

function nextClasses(classes, code) {
  const kept = new Set(classes.split(' ').filter(Boolean))
  for (const each of code.split(';').map(Number)) {
    if (each === 0) kept.clear()
    else if (each === 22) for (const name of ['b', 'd']) kept.delete(name)
    else if (each === 39) for (const name of 'rgyumc') kept.delete(name)
    else if (CLASSES[each] !== undefined) kept.add(CLASSES[each])
  }
  return [...kept].join(' ')
}

const escaped = (text) => text.replace(/[&<>]/g, (mark) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;' })[mark])

/** Neighbouring cells of one class become one span. */
function spansOf(cells) {
  const spans = []
  for (const [character, classes] of cells) {
    if (spans.at(-1)?.classes === classes) spans.at(-1).text += character
    else spans.push({ classes, text: character })
  }
  return spans
    .map(({ classes, text }) => (classes === '' ? escaped(text) : `<tspan class="${classes}">${escaped(text)}</tspan>`))
    .join('')
}

/** Every row with the second it appears in. */
function timed(text) {
  const state = { classes: '' }
  let at = PACE.step
  return text
    .trimEnd()
    .split('\n')
    .flatMap((line) => {
      const plain = line.replace(/\u001b\[[\d;]*[A-Za-z]/g, '')
      at += /^\d\d:\d\d:\d\d|^\u2500|^Summary/.test(plain) ? PACE.step : PACE.line
      return rowsOf(line, state).map((cells) => ({ cells, at }))
    })
}

function svg(rows) {
  const total = (rows.at(-1)?.at ?? 0) + PACE.end
  const share = (at) => `${((100 * at) / total).toFixed(2)}%`
  const width = COLUMNS * CELL.width + 2 * PADDING.side
  const height = ROWS * CELL.height + PADDING.top + PADDING.bottom
  const scrolls = rows.flatMap(({ at }, n) =>
    n < ROWS ? [] : [`${share(at)}{transform:translateY(${-(n - ROWS + 1) * CELL.height}px)}`],
  )
  const last = -Math.max(0, rows.length - ROWS) * CELL.height
  const shown = rows.map(({ at }, n) => `@keyframes k${n}{0%{opacity:0}${share(at)},to{opacity:1}}`)
  const texts = rows.map(({ cells }, n) => {
    const length = (cells.length * CELL.width).toFixed(1)
    const y = ((n + 0.75) * CELL.height).toFixed(1)
    const fitted = cells.length === 0 ? '' : ` textLength="${length}"`
    return `<text class="t" style="animation-name:k${n}" y="${y}"${fitted}>${spansOf(cells)}</text>`
  })
  const size = `${width.toFixed(0)} ${height}`.split(' ')
  const label = 'exitgate demo in a terminal: three claims are rejected, the fourth is verified'
  const font = 'ui-monospace,"SF Mono",Menlo,Consolas,"DejaVu Sans Mono",monospace'
  const colours = { d: '#8b93a1', r: '#ff8a7a', g: '#6fd39b', y: '#f0c674', u: '#82b1ff', m: '#d7a6ff', c: '#76d7e0' }
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${size.join(' ')}" width="${size[0]}" height="${size[1]}"`,
    ` role="img" aria-label="${label}">`,
    '<style>',
    `text{font:13px ${font};fill:#d7dae0;white-space:pre}`,
    `.t,.s{animation-duration:${total.toFixed(2)}s;animation-timing-function:step-end;animation-iteration-count:infinite}`,
    '.s{animation-name:s}.b{font-weight:700}',
    ...Object.entries(colours).map(([name, colour]) => `.${name}{fill:${colour}}`),
    `@keyframes s{0%{transform:none}${scrolls.join('')}to{transform:translateY(${last}px)}}`,
    ...shown,
    `@media (prefers-reduced-motion:reduce){.t{animation:none}.s{animation:none;transform:translateY(${last}px)}}`,
    '</style>',
    '<rect width="100%" height="100%" rx="10" fill="#16191f"/>',
    ...[22, 42, 62].map((x) => `<circle cx="${x}" cy="20" r="6" fill="#3a404b"/>`),
    '<text x="50%" y="25" text-anchor="middle" class="d">exitgate demo</text>',
    `<svg x="${PADDING.side}" y="${PADDING.top}" width="${(COLUMNS * CELL.width).toFixed(0)}" height="${ROWS * CELL.height}">`,
    '<g class="s" xml:space="preserve">',
    ...texts,
    '</g></svg>',
    '</svg>',
    '',
  ].join('\n')
}

/** Writes the recording to a file. */
export function writeRecording(program, file) {
  writeFileSync(file, svg(timed(recorded(program))))
}
