import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { DiffAnswer } from '../../src/reports/page/types.ts'
import { decided, started } from '../journal/samples.ts'
import { type Served, serve, stateFolder } from './watch-server.ts'
import { NAME, watchedWork } from './watched-work.ts'

const address = (more: Readonly<Record<string, string>>): string =>
  `/diff?${new URLSearchParams({ journal: NAME, run: 'r1', ...more })}`

async function asked(watch: Served, more: Readonly<Record<string, string>> = {}): Promise<DiffAnswer> {
  const { status, body } = await watch.ask(address(more), { headers: watch.bearer })
  expect(status, body).toBe(200)
  return JSON.parse(body)
}

describe('the diff of a run', () => {
  it('is there in total and by iteration, redacted and without hidden characters', async () => {
    const key = `-----BEGIN RSA PRIVATE KEY-----\nMIIB\n-----END RSA PRIVATE KEY-----`
    const { dir, work, head } = await watchedWork(
      { 'sum.js': 'export const sum = () => 0\n', 'old.txt': 'kept\nlines\n' },
      { 'sum.js': 'export const sum = () => 1\n' },
      {},
      {
        'sum.js': 'export const sum = (a, b) => a + b\n',
        'old.txt': undefined,
        'new <b>.txt': 'kept\nlines\n',
        '.env': 'TOKEN=abcdef0123456789\n',
        'key.pem': `${key}\nafter \u202e\u001b[31m\n`,
      },
    )
    const watch = await serve(dir)
    const { diff } = await asked(watch)
    expect(diff?.files).toEqual([
      { path: '.env', status: 'added', added: 1, removed: 0, hunks: '@@ -0,0 +1,1 @@\n+TOKEN=[redacted]\n' },
      {
        path: 'key.pem',
        status: 'added',
        added: 4,
        removed: 0,
        hunks: '@@ -0,0 +1,4 @@\n+[redacted] private key\n+after \u2039U+202E\u203a\n',
      },
      { path: 'new <b>.txt', from: 'old.txt', status: 'renamed', added: 0, removed: 0 },
      {
        path: 'sum.js',
        status: 'modified',
        added: 1,
        removed: 1,
        hunks: '@@ -1,1 +1,1 @@\n-export const sum = () => 0\n+export const sum = (a, b) => a + b\n',
      },
    ])
    expect(diff).not.toHaveProperty('rest')
    expect((await asked(watch, { n: '1' })).diff?.files).toEqual([
      {
        path: 'sum.js',
        status: 'modified',
        added: 1,
        removed: 1,
        hunks: '@@ -1,1 +1,1 @@\n-export const sum = () => 0\n+export const sum = () => 1\n',
      },
    ])
    expect(await asked(watch, { n: '2' })).toEqual({ why: 'This iteration changed no files.' })
    const third = await asked(watch, { n: '3' })
    expect(third.diff?.files.map(({ path, status }) => [path, status])).toEqual([
      ['.env', 'added'],
      ['key.pem', 'added'],
      ['new <b>.txt', 'renamed'],
      ['sum.js', 'modified'],
    ])
    expect(JSON.stringify(third)).not.toMatch(/abcdef0123456789|MIIB|\u202e/)

    // More than can be shown is named, with the command that shows it.
    const line = `${'x'.repeat(1000)}\n`
    for (let n = 0; n < 6; n++) writeFileSync(join(work, `large-${n}.txt`), line.repeat(1600))
    const again = await serve(dir)
    const large = (await asked(again)).diff
    expect(large?.rest).toBe(
      `1 file is too large to show here. \`git diff ${head.slice(0, 12)}\` shows what git tracks.`,
    )
    expect(large?.files.filter(({ why }) => why === 'left out, because there is too much to show')).toHaveLength(1)
  })

  it.each<[name: string, more: Readonly<Record<string, string>>]>([
    ['another run', { run: 'r2' }],
    ['a run that is a path', { run: '../../r1', n: '1' }],
    ['another journal', { journal: 'none-0123456789ab' }],
  ])('is refused for %s', async (_name, more) => {
    const { write } = stateFolder()
    const watch = await serve(write(NAME, [started({ run: 'r1' }), decided(1)]))
    expect((await watch.ask(address(more), { headers: watch.bearer })).status).toBe(404)
  })

  it.each<[n: string]>([['0'], ['-1'], ['1e9'], ['x'], ['../1'], ['4']])(
    'for iteration %s is a sentence',
    async (n) => {
      const { write, root } = stateFolder()
      const dir = write(NAME, [started({ run: 'r1' }), decided(1)])
      mkdirSync(join(dir, 'transcripts', 'r1'), { recursive: true })
      writeFileSync(join(root, 'secret'), 'diff --git x\n--- a/x\n+++ b/x\n@@ -1,1 +1,1 @@\n-a\n+b\n')
      symlinkSync(join(root, 'secret'), join(dir, 'transcripts', 'r1', '4.diff'))
      const watch = await serve(dir)
      expect(await asked(watch, { n })).toEqual({ why: 'This iteration changed no files.' })
      expect(await asked(watch)).toEqual({
        mark: expect.stringMatching(/^[0-9a-f]{16}$/),
        why: 'This run has no baseline, so there is nothing to compare the files with.',
      })
    },
  )
})
