import { type ChildProcess, spawn } from 'node:child_process'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { openJournal } from '../../src/journal/log.ts'
import { readEvents, verifyJournal } from '../../src/journal/read.ts'
import { patience } from '../timing.ts'
import { compileJournal } from './compiled.ts'
import { tempFolder } from './samples.ts'

const KILLS = 40
const writer = join(import.meta.dirname, 'fixtures/writer.mjs')

describe('kill -9', () => {
  it(`loses nothing that was acknowledged, ${KILLS} times in a row`, { timeout: patience(120_000) }, async () => {
    const root = tempFolder()
    const room = compileJournal(join(root, 'room'))
    const dir = join(root, 'journal')
    let acknowledged = 0
    for (let kill = 0; kill < KILLS; kill++) {
      // Every fourth writer is killed while it starts: while locking, reading or repairing the tail.
      const enough = kill % 4 === 1 ? 0 : 2 + (kill % 5)
      const printed = await untilKilled(spawn(process.execPath, [writer, room, dir], { env: {} }), enough)
      if (printed > 0) {
        expect(printed).toBeGreaterThan(acknowledged)
        acknowledged = printed
      }
      expect(Number(lastNumber(dir))).toBeGreaterThanOrEqual(acknowledged)
    }
    expect(acknowledged).toBeGreaterThan(KILLS)

    const journal = openJournal(dir)
    journal.close()
    const written: string[] = []
    for (const event of readEvents(dir)) if (event.type === 'note') written.push(event.text.replace(/ \.+$/, ''))
    const last = Number(lastNumber(dir))
    const groups = Array.from({ length: last }, (_, i) => i + 1)
    expect(written).toEqual(groups.flatMap((n) => Array.from({ length: 1 + (n % 3) }, (_, i) => `${n} ${i}`)))
    // One more group may be on disk: it was written before its number was printed.
    expect(last - acknowledged).toBeLessThanOrEqual(1)
    expect(verifyJournal(dir)).toMatchObject({ ok: true, events: written.length })
  })
})

/** Kills a writer some time after it acknowledged a number of groups. Returns the last acknowledged number. */
function untilKilled(child: ChildProcess, enough: number): Promise<number> {
  return new Promise((resolve, reject) => {
    let out = ''
    let faults = ''
    if (enough === 0) setTimeout(() => child.kill('SIGKILL'), 40 + Math.random() * 80)
    child.stdout?.on('data', (chunk) => {
      out += chunk
      if (enough > 0 && out.split('\n').length > enough) setTimeout(() => child.kill('SIGKILL'), Math.random() * 10)
    })
    child.stderr?.on('data', (chunk) => {
      faults += chunk
    })
    child.on('error', reject)
    child.on('close', (_code, signal) => {
      const numbers = out.split('\n').slice(0, -1)
      if (signal === 'SIGKILL') resolve(Number(numbers.at(-1) ?? 0))
      else reject(new Error(`the writer ended by itself: ${faults}`))
    })
  })
}

function lastNumber(dir: string): string {
  for (const event of readEvents(dir, { last: 1 })) if (event.type === 'note') return event.text.split(' ')[0] ?? ''
  return '0'
}
