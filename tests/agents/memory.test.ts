import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { compile } from '../evidence/compiled.ts'

const folder = mkdtempSync(join(tmpdir(), 'exitgate-memory-'))
const reader = compile(folder, 'src/agents/reader.ts')
const feeder = join(import.meta.dirname, 'fixtures/feeder.mjs')
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** Each case runs in its own process, which prints its peak memory. */
const rows: [format: string, kind: string, megabytes: number, mostMb: number][] = [
  ['text', 'lines', 300, 150],
  ['auto', 'lines', 300, 150],
  ['text', 'one line', 300, 150],
  ['text', 'phrases everywhere', 100, 150],
  ['text', 'zeros', 100, 150],
  ['claude', 'tool results', 300, 150],
  ['auto', 'messages', 100, 150],
  ['claude', 'one endless array', 100, 150],
  // The reader buffers up to 64 MB of one event before it skips it, and the buffer grows by copying.
  ['claude', 'one endless event', 200, 300],
  ['claude', 'an endless message after text', 70, 300],
  ['claude', 'endless tool output after text', 70, 300],
]

describe('memory', () => {
  it.each(rows)('%s, %s: %i MB in less than %i MB', (format, kind, megabytes, mostMb) => {
    // Newer Node versions let garbage pile up. A small young generation keeps it out of the measurement.
    const args = ['--max-semi-space-size=2', feeder, reader, format, kind, String(megabytes)]
    const { stdout, stderr, status } = spawnSync(process.execPath, args, { encoding: 'utf8', env: {} })
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
    const { peakMb, ...read } = JSON.parse(stdout) as { peakMb: number; final: number; problems: string[] }
    expect(peakMb).toBeLessThan(mostMb)
    if (format === 'text' && kind !== 'zeros') expect(read.final).toBe(256 * 1024)
    if (kind === 'messages') expect(read.final).toBe('the last words'.length)
    if (kind === 'an endless message after text') expect(read.final).toBe(0)
    if (kind === 'endless tool output after text') expect(read.final).toBe('All done.'.length)
    if (kind === 'one endless event') expect(read.problems).toContain('1 event longer than 64 MB skipped')
  })
})
