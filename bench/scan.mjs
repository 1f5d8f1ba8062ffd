// Reading a large transcript, compared with grep for the same words in the same file. Both are complete processes and alternate, so
// that a busy moment of the machine affects both.
import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { median, round } from './median.mjs'
import { writeStream, writeText } from './scan-corpus.mjs'

export const name = 'scan'
export const about =
  'reading a transcript as a multiple of grep on the same file (goal: at most 2 for text, 4 for events)'

const SIZE = 100e6
const ROUNDS = 7
const goals = { text: 2, stream: 4, peakMb: 150 }
const built = new URL('../dist/core.js', import.meta.url).href

export async function run({ corpus, json = false, print = json ? () => {} : console.log, library = built } = {}) {
  const { PHRASES } = await import(library)
  const words = [...new Set(PHRASES.flatMap(({ literals }) => literals))]
  const folder = mkdtempSync(join(tmpdir(), 'exitgate-scan-'))
  try {
    const { text, stream } = corpus === undefined ? generated(folder) : found(corpus)
    print('              size      grep    reader    ratio      peak')
    const figures = { goals, phrases: words.length }
    for (const [kind, file] of Object.entries({ text, stream })) {
      if (file === undefined) continue
      const measured = measure(file, words, library)
      figures[`ratio${kind === 'text' ? 'Text' : 'Stream'}`] = measured.ratio
      figures[kind] = measured
      const cells = [
        `${measured.megabytes} MB`,
        `${measured.grepMs} ms`,
        `${measured.readerMs} ms`,
        measured.ratio,
        `${measured.peakMb} MB`,
      ]
      print(`  ${kind.padEnd(8)}${cells.map((cell) => String(cell).padStart(10)).join('')}`)
    }
    const peakMb = Math.max(...[figures.text, figures.stream].filter(Boolean).map((measured) => measured.peakMb))
    const met = !(figures.ratioText > goals.text) && !(figures.ratioStream > goals.stream) && peakMb <= goals.peakMb
    return { ...figures, peakMb, met }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function generated(folder) {
  const files = { text: join(folder, 'output.txt'), stream: join(folder, 'output.jsonl') }
  writeText(files.text, SIZE)
  writeStream(files.stream, SIZE)
  return files
}

/** A file, or the largest text and the largest stream of a folder. */
function found(corpus) {
  const all = statSync(corpus).isDirectory() ? readdirSync(corpus).map((file) => join(corpus, file)) : [corpus]
  const bySize = all
    .filter((file) => statSync(file).isFile())
    .sort((one, two) => statSync(two).size - statSync(one).size)
  const isStream = (file) => /\.(jsonl|ndjson)$/.test(file)
  return { text: bySize.find((file) => !isStream(file)), stream: bySize.find(isStream) }
}

function measure(file, words, library) {
  const pattern = words.map((word) => word.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('|')
  const grepMs = []
  const readerMs = []
  let peakMb = 0
  for (let turn = -1; turn < ROUNDS; turn += 1) {
    const grep = timed('grep', ['-cE', pattern, file])
    const reader = timed(process.execPath, [fileURLToPath(import.meta.url), '--read', file, library])
    // The first turn only warms the file cache.
    if (turn < 0) continue
    grepMs.push(grep.ms)
    readerMs.push(reader.ms)
    peakMb = Math.max(peakMb, JSON.parse(reader.output).peakMb)
  }
  return {
    megabytes: round(statSync(file).size / 1e6, 0),
    grepMs: round(median(grepMs), 0),
    readerMs: round(median(readerMs), 0),
    ratio: round(median(readerMs) / median(grepMs), 2),
    peakMb: round(peakMb, 0),
  }
}

function timed(command, args) {
  const began = performance.now()
  const { status, error, stdout, stderr } = spawnSync(command, args, { encoding: 'utf8' })
  if (error || status > 1) throw new Error(`${command} failed: ${error?.message ?? stderr}`)
  return { ms: performance.now() - began, output: stdout }
}

/** The child process: reads one file like the command line does, and prints its peak memory. */
async function readOnce(file, library) {
  const { openReader } = await import(library)
  const { open } = await import('node:fs/promises')
  const reader = openReader('auto')
  const handle = await open(file, 'r')
  const buffer = Buffer.allocUnsafeSlow(1024 * 1024)
  for (let size = -1; size !== 0; ) {
    size = (await handle.read(buffer, 0, buffer.length, null)).bytesRead
    reader.write(buffer.subarray(0, size))
  }
  await handle.close()
  const { format, earlier, problems } = reader.end()
  console.log(
    JSON.stringify({ format, earlier: earlier.length, problems, peakMb: process.resourceUsage().maxRSS / 1024 }),
  )
}

const [, script, mode, file, library] = process.argv
if (script === fileURLToPath(import.meta.url)) {
  if (mode === '--read') await readOnce(file, library)
  else if (existsSync(fileURLToPath(new URL('../dist/core.js', import.meta.url))))
    console.log(JSON.stringify(await run()))
  else console.error('bench scan: dist/core.js is missing. Run npm run build first.')
}
