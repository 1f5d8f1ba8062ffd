import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, utimesSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { HeadAndTailFile } from '../../src/loop/agent/head-and-tail-file.ts'
import { pruneTranscripts } from '../../src/loop/agent/transcript-store.ts'
import { compile } from '../evidence/compiled.ts'
import { folder, writeFiles } from '../evidence/folders.ts'
import { callOf, place } from './agent-calls.ts'

const root = folder()
let files = 0

async function kept(maxBytes: number, pieces: readonly Buffer[]): Promise<string> {
  const file = new HeadAndTailFile(join(root, 'kept', String(files++)), maxBytes)
  for (const piece of pieces) await file.write(piece)
  await file.end()
  expect(file.problem).toBeUndefined()
  return readFileSync(file.path, 'latin1')
}

describe('a file with a size limit', () => {
  const rows: [bytes: string, maxBytes: number, content: string][] = [
    ['abcdefgh', 8, 'abcdefgh'],
    ['abcdefghi', 8, 'ab\n[1 bytes left out]\ndefghi'],
    ['abcdefghijklmnopqrstuvwxyz', 8, 'ab\n[18 bytes left out]\nuvwxyz'],
    ['abcdefgh', 1, '\n[7 bytes left out]\nh'],
    ['abc', 1000, 'abc'],
  ]
  it.each(rows)('%s in %i bytes', async (bytes, maxBytes, content) => {
    expect(await kept(maxBytes, [Buffer.from(bytes)])).toBe(content)
    expect(
      await kept(
        maxBytes,
        [...bytes].map((each) => Buffer.from(each)),
      ),
    ).toBe(content)
  })

  it('keeps the first quarter and the last three quarters, for chunks of any size', async () => {
    const pieces = fc.array(fc.uint8Array({ minLength: 1, maxLength: 40 }), { minLength: 1, maxLength: 30 })
    await fc.assert(
      fc.asyncProperty(pieces, fc.integer({ min: 1, max: 100 }), async (parts, maxBytes) => {
        const all = Buffer.concat(parts).toString('latin1')
        const head = Math.floor(maxBytes / 4)
        const left = all.length - maxBytes
        const cut = `${all.slice(0, head)}\n[${left} bytes left out]\n${all.slice(head + left)}`
        expect(
          await kept(
            maxBytes,
            parts.map((part) => Buffer.from(part)),
          ),
        ).toBe(left > 0 ? cut : all)
      }),
      { numRuns: 60 },
    )
  })

  it('is not created if nothing was written', async () => {
    const file = new HeadAndTailFile(join(root, 'nothing'), 100)
    await file.end()
    expect([existsSync(file.path), file.isEmpty, file.problem]).toEqual([false, true, undefined])
  })

  it('pauses only while the disk is slow', async () => {
    const file = new HeadAndTailFile(join(root, 'slow'), 100)
    expect(file.write(Buffer.alloc(1000))).toBeUndefined()
    const pause = file.write(Buffer.alloc(2 * 1024 * 1024))
    expect(pause).toBeInstanceOf(Promise)
    await pause
    expect(file.write(Buffer.alloc(1000))).toBeUndefined()
    await file.end()
    expect(readdirSync(root).filter((name) => name.startsWith('slow'))).toEqual(['slow'])
  })
})

const entry = compile(join(root, 'compiled'), 'src/loop/agent/run-agent.ts')
const fixture = join(import.meta.dirname, 'fixtures/agent-runner.mjs')

/** Runs an agent in a separate process, started by a line of shell code. */
function runInOwnProcess(script: string, more: Parameters<typeof callOf>[2], shell = 'exec "$@"') {
  const here = place()
  const call = callOf(here, ['sh', '-c', script], more)
  const args = ['-c', shell, 'sh', process.execPath, fixture, entry, JSON.stringify(call)]
  const done = spawnSync('sh', args, { encoding: 'utf8' })
  expect({ status: done.status, stderr: done.stderr }).toEqual({ status: 0, stderr: '' })
  const ran = JSON.parse(done.stdout) as { result: Record<string, unknown>; final: string; peakMb: number }
  return { ...ran, out: join(here.transcripts, 'r1', '1.1.out'), err: join(here.transcripts, 'r1', '1.1.err') }
}

describe('a flood', () => {
  const MEGABYTES = 200
  const keepBytes = 8 * 1024 * 1024
  const rows: [name: string, format: string, script: string, final: RegExp][] = [
    ['of lines', 'text', `yes 'one line of words' | head -c ${MEGABYTES}000000; echo; echo LAST`, /LAST\n$/],
    ['of one line', 'auto', `head -c ${MEGABYTES}000000 /dev/zero | tr '\\0' x; echo; echo LAST`, /LAST\n$/],
    ['on both streams', 'text', `yes 'a line' | head -c ${MEGABYTES}000000 | tee /dev/stderr; echo LAST`, /LAST\n$/],
  ]
  it.each(rows)(
    '%s needs little memory and disk space',
    (_name, format, script, final) => {
      const ran = runInOwnProcess(script, { format, keepBytes })
      expect(ran.result).toMatchObject({ code: 0, ended: 'exit', problems: [] })
      expect(ran.final).toMatch(final)
      expect(ran.peakMb).toBeLessThan(200)
      expect(statSync(ran.out).size).toBeLessThan(keepBytes + 100)
      expect(readFileSync(ran.out, 'latin1')).toMatch(/\n\[\d+ bytes left out\]\n/)
      expect(readFileSync(ran.out, 'latin1')).toMatch(final)
      if (existsSync(ran.err)) expect(statSync(ran.err).size).toBeLessThan(keepBytes + 100)
    },
    300_000,
  )
})

describe('a full disk', () => {
  it('is reported once, and the agent continues', ({ skip }) => {
    skip(process.platform === 'win32', 'needs a shell that limits file sizes')
    const script = `yes 'one line of words' | head -c 30000000; echo more >&2; echo LAST; exit 6`
    // With SIGXFSZ ignored, a write beyond the limit fails as on a full disk.
    const { result, final } = runInOwnProcess(
      script,
      { keepBytes: 64 * 1024 * 1024 },
      `trap '' XFSZ; ulimit -f 2000; exec "$@"`,
    )
    expect(result).toMatchObject({ code: 6, ended: 'exit' })
    expect(result.problems).toEqual([
      expect.stringMatching(/^The agent's output could not be saved to .*1\.1\.out: EFBIG/),
    ])
    expect(final).toMatch(/LAST\n$/)
  })
})

describe('old transcripts', () => {
  it.each([
    [2, ['new', 'newer']],
    [0, []],
    [9, ['new', 'newer', 'old']],
  ])('of all but the newest %i runs are deleted', async (keepRuns, left) => {
    const dir = folder()
    for (const [at, run] of ['old', 'new', 'newer'].entries()) {
      writeFiles(dir, { [`${run}/1.1.out`]: 'x', [`${run}/1.1.err`]: 'x', [`${run}/2.1.prompt.md`]: 'x' })
      utimesSync(join(dir, run), 1000 + at, 1000 + at)
    }
    await pruneTranscripts(dir, keepRuns)
    expect(readdirSync(dir).sort()).toEqual(left)
  })

  it('are deleted, and nothing else', async () => {
    const dir = folder({
      'aim/1.1.out': 'precious',
      'all/run/notes.txt': 'mine',
      'all/run/1.2.out.part': 'x',
      'all/file': 'x',
    })
    symlinkSync(join(dir, 'aim'), join(dir, 'all', 'link'))
    await pruneTranscripts(join(dir, 'all'), 0)
    expect(readdirSync(join(dir, 'all')).sort()).toEqual(['file', 'link', 'run'])
    expect([readdirSync(join(dir, 'aim')), readdirSync(join(dir, 'all/run'))]).toEqual([['1.1.out'], ['notes.txt']])
  })

  it('may be missing', async () => {
    const dir = folder()
    mkdirSync(join(dir, 'empty'))
    await pruneTranscripts(join(dir, 'nowhere'), 3)
    await pruneTranscripts(join(dir, 'empty'), 3)
    expect(readdirSync(dir)).toEqual(['empty'])
  })
})
