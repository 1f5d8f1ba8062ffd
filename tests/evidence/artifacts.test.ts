import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { type ArtifactOptions, artifactsCheck } from '../../src/evidence/checks/artifacts.ts'
import type { Baseline, CheckContext } from '../../src/evidence/types.ts'
import { openWorkspace } from '../../src/evidence/workspace.ts'
import { baselineOf } from './baseline-of.ts'
import { folder, repository } from './folders.ts'

const context = (dir: string, baseline?: Baseline): CheckContext => ({
  workspace: openWorkspace(dir),
  claim: true,
  tree: 't1',
  taskTexts: [],
  deadlineMs: 60_000,
  ...(baseline && { baseline }),
})

const start = {
  '.gitignore': 'dist/\n',
  'old.txt': 'old\n',
  'edited.txt': 'before\n',
}
const files = {
  ...start,
  'edited.txt': 'after\n',
  'new.txt': 'new\n',
  'empty.txt': '',
  'out/a.json': '{"name": "a"}',
  'image.bin': Buffer.from([0, 1, 2, 3]),
  'dist/app.js': 'console.log(1)\n',
}

type Row = [name: string, artifacts: readonly ArtifactOptions[], answer: string, says?: RegExp]
const rows: Row[] = [
  ['none configured', [], 'unknown', /No artifact/],
  ['there', [{ path: 'new.txt' }], 'yes', /1 of 1/],
  ['not there', [{ path: 'missing.txt' }], 'no', /missing\.txt does not exist/],
  ['one of two', [{ path: 'new.txt' }, { path: 'missing.txt' }], 'no', /1 of 2/],
  ['a glob', [{ path: '*.txt', minBytes: 0 }], 'yes'],
  ['a glob without a match', [{ path: '*.pdf' }], 'no', /\*\.pdf does not exist/],
  ['a folder is no file', [{ path: 'out' }], 'no', /out is not a file/],
  ['empty', [{ path: 'empty.txt' }], 'no', /empty\.txt is empty/],
  ['one empty file in a glob', [{ path: '*.txt' }], 'no', /empty\.txt is empty/],
  ['too small', [{ path: 'new.txt', minBytes: 5 }], 'no', /has 4 bytes, but needs at least 5/],
  ['just large enough', [{ path: 'new.txt', minBytes: 4 }], 'yes'],
  ['ignored but built', [{ path: 'dist/app.js' }], 'yes'],
  ['a glob in an ignored folder', [{ path: 'dist/**/*.js' }], 'yes'],
  ['out of the workspace', [{ path: '../outside.txt' }], 'no', /does not exist/],
  ['added', [{ path: 'new.txt', changed: true }], 'yes'],
  ['edited', [{ path: 'edited.txt', changed: true }], 'yes'],
  ['left alone', [{ path: 'old.txt', changed: true }], 'no', /old\.txt has not changed/],
  ['one of a glob changed', [{ path: '{old,new}.txt', changed: true }], 'yes'],
  ['ignored, so unknown', [{ path: 'dist/app.js', changed: true }], 'unknown', /Git ignores/],
  ['a binary is a file', [{ path: 'image.bin', minBytes: 4 }], 'yes'],
  [
    'no before unknown',
    [{ path: 'dist/app.js', changed: true }, { path: 'gone' }],
    'no',
    /gone does not exist.*ignores/,
  ],
]

describe('artifacts', () => {
  const dir = repository(files)
  const baseline = baselineOf(start)

  it.each(rows)('%s', async (_name, artifacts, answer, says = /./) => {
    const [evidence] = await artifactsCheck(artifacts).collect(context(dir, baseline))
    expect(evidence).toMatchObject({ check: 'artifacts', answer, detail: expect.stringMatching(says), tree: 't1' })
  })

  it('counts', async () => {
    const [evidence] = await artifactsCheck([{ path: 'new.txt' }, { path: 'gone' }]).collect(context(dir))
    expect(evidence!.counts).toEqual({ total: 2, done: 1 })
  })

  it('without a baseline, changes are unknown', async () => {
    const [evidence] = await artifactsCheck([{ path: 'new.txt', changed: true }]).collect(context(dir))
    expect(evidence).toMatchObject({ answer: 'unknown', detail: expect.stringContaining('There is no baseline') })
  })

  it('an ignored file that was not written since the start has not changed', async () => {
    const later = baselineOf(start, Date.now() + 60_000)
    const [evidence] = await artifactsCheck([{ path: 'dist/app.js', changed: true }]).collect(context(dir, later))
    expect(evidence!.answer).toBe('no')
  })

  it('a link out of the workspace is not an artifact', async () => {
    const here = folder()
    mkdirSync(join(here, 'out'))
    writeFileSync(join(here, '..', 'secret.txt'), 'x')
    symlinkSync(join(here, '..', 'secret.txt'), join(here, 'out', 'link.txt'))
    const [evidence] = await artifactsCheck([{ path: 'out/*.txt' }]).collect(context(here))
    expect(evidence).toMatchObject({ answer: 'no', detail: expect.stringContaining('is not a file') })
  })
})
