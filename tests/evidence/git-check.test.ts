import { appendFileSync, chmodSync, mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { fileStates } from '../../src/evidence/baseline/file-states.ts'
import { sinceCommit } from '../../src/evidence/baseline/open.ts'
import { takeBaseline } from '../../src/evidence/baseline/take.ts'
import type { CallersFiles } from '../../src/evidence/callers-files.ts'
import { gitCheck } from '../../src/evidence/checks/git.ts'
import { takeGitSnapshot } from '../../src/evidence/git.ts'
import type { Baseline } from '../../src/evidence/types.ts'
import { openWorkspace } from '../../src/evidence/workspace.ts'
import { fakeWorkspace } from '../fakes/workspace.ts'
import { folder, git, repository } from './folders.ts'

const write = (dir: string, name: string, text: string) => {
  mkdirSync(dirname(join(dir, name)), { recursive: true })
  writeFileSync(join(dir, name), text)
}

type Env = Readonly<Record<string, string | undefined>>
type Shown = { readonly env?: Env; readonly about?: CallersFiles; readonly claim?: boolean }

async function ask(dir: string, baseline?: Baseline, { env = process.env, about = {}, claim = true }: Shown = {}) {
  const workspace = openWorkspace(dir, { env })
  const { files, gitOutput: output } = await fileStates(workspace)
  const snapshot = await takeGitSnapshot(workspace, { ignore: ['.exitgate/'], ...about, files, output })
  const context = { workspace, claim, tree: '', taskTexts: [], deadlineMs: 60_000 }
  const [changed, clean] = await gitCheck(snapshot).collect({ ...context, ...(baseline && { baseline }) })
  return { changed: changed!, clean: clean!, tree: snapshot.tree }
}

/** The state before the first iteration, as `run` and `next` store it. */
async function start(dir: string, { env = process.env, about = {} }: Shown = {}): Promise<Baseline> {
  const workspace = openWorkspace(dir, { env })
  const { files, gitOutput: output } = await fileStates(workspace)
  const { tree, status } = await takeGitSnapshot(workspace, { ignore: ['.exitgate/'], ...about, files, output })
  const head = typeof status === 'string' ? undefined : status.head
  const input = { workspace, commands: [], evidence: {}, tree, at: Date.now() }
  return takeBaseline({ ...input, ...(head !== undefined && { head }) }, folder())
}

const FILES = { 'src/a.js': 'a', 'test/a.test.js': 'test' }
const NO_GIT: Env = { PATH: '/nowhere' }

/** Places where git sees everything, nothing, or something else. */
const PLACES: readonly [name: string, make: () => string, env?: Env][] = [
  ['a repository', () => repository(FILES)],
  ['a repository without a commit', () => initialised(folder(FILES))],
  ['no repository', () => folder(FILES)],
  ['no git', () => folder(FILES), NO_GIT],
  ['a repository, and no git', () => repository(FILES), NO_GIT],
  ['a folder of a repository', () => join(repository(inside('part', FILES)), 'part')],
  ['an untracked folder of a repository', () => outer('part', FILES)],
  ['a folder that the repository around it ignores', () => outer('ignored', FILES)],
]
const inside = (name: string, files: Readonly<Record<string, string>>) =>
  Object.fromEntries(Object.entries(files).map(([path, text]) => [`${name}/${path}`, text]))
function initialised(dir: string): string {
  git(dir, 'init', '-q')
  return dir
}
function outer(name: string, files: Readonly<Record<string, string>>): string {
  const dir = repository({ 'other.txt': '1', '.gitignore': 'ignored/\n' })
  for (const [path, text] of Object.entries(inside(name, files))) write(dir, path, text)
  return join(dir, name)
}

type Work = readonly [name: string, work: (dir: string) => void, detail: string | undefined]
const WORK: readonly Work[] = [
  ['nothing', () => {}, undefined],
  ['the same text again', (dir) => write(dir, 'src/a.js', 'a'), undefined],
  ['an edit', (dir) => write(dir, 'src/a.js', 'b'), 'Changed: src/a.js.'],
  ['a new file', (dir) => write(dir, 'src/b.js', 'b'), 'Changed: src/b.js.'],
  ['a deleted file', (dir) => rmSync(join(dir, 'src/a.js')), 'Changed: src/a.js.'],
  ['a renamed file', (dir) => renameSync(join(dir, 'src/a.js'), join(dir, 'src/z.js')), 'Changed: src/a.js, src/z.js.'],
  [
    'a link in its place',
    (dir) => {
      rmSync(join(dir, 'src/a.js'))
      symlinkSync('../x', join(dir, 'src/a.js'))
    },
    'Changed: src/a.js.',
  ],
]

describe.each(PLACES)('changed, in %s', (_place, make, env = process.env) => {
  it.each(WORK)('%s', async (_name, work, detail) => {
    const dir = make()
    const before = await start(dir, { env })
    work(dir)
    const { changed, tree } = await ask(dir, before, { env })
    expect([changed.answer, changed.detail]).toEqual(
      detail === undefined ? ['no', 'No changes since the start.'] : ['yes', detail],
    )
    expect(tree).not.toBe('')
    expect(tree === before.tree).toBe(detail === undefined)
  })
})

it('an empty folder without git: the first file is a change', async () => {
  const dir = folder()
  const before = await start(dir)
  expect((await ask(dir, before)).changed.answer).toBe('no')
  write(dir, 'a.js', '1')
  expect((await ask(dir, before)).changed).toMatchObject({ answer: 'yes', counts: { files: 1, created: 1 } })
})

describe('what git calls a change and is not work', () => {
  const rows: readonly [name: string, make: () => string, work: (dir: string) => void][] = [
    ['git init', () => folder(FILES), (dir) => git(dir, 'init', '-q')],
    ['git init and a commit', () => folder(FILES), (dir) => commitAll(initialised(dir))],
    ['a commit of what was there', dirty, (dir) => commitAll(dir)],
    ['git add of what was there', dirty, (dir) => git(dir, 'add', '-A')],
    ['an empty commit', () => repository(FILES), (dir) => commitAll(dir)],
  ]
  it.each(rows)('%s', async (_name, make, work) => {
    const dir = make()
    const before = await start(dir)
    work(dir)
    expect((await ask(dir, before)).changed).toMatchObject({ answer: 'no', detail: 'No changes since the start.' })
  })
})
function dirty(): string {
  const dir = repository(FILES)
  write(dir, 'src/a.js', 'dirty before the run')
  write(dir, 'src/new.js', 'untracked before the run')
  return dir
}
const commitAll = (dir: string) => {
  git(dir, 'add', '-A')
  git(dir, 'commit', '-q', '--allow-empty', '-m', 'work')
}

it('the mode of a file is work where git keeps it', async () => {
  const dir = repository({ 'run.sh': 'exit 0' })
  const before = await start(dir)
  chmodSync(join(dir, 'run.sh'), 0o755)
  expect((await ask(dir, before)).changed).toMatchObject({ answer: 'yes', detail: 'Changed the mode of run.sh.' })
})

describe("the loop's own files are not the change", () => {
  const SAID = 'I looked at everything.\n\nEXIT_STATUS: COMPLETE\nREMAINING_WORK: none'
  type Row = readonly [name: string, about: (dir: string) => CallersFiles, work: (dir: string) => void, shown: string]
  const transcript =
    (path: string) =>
    (dir: string): CallersFiles => ({ loopFiles: [join(dir, path)] })
  const none = () => ({})
  const said = () => ({ said: SAID })
  const rows: readonly Row[] = [
    ['the transcript', transcript('out.txt'), (dir) => write(dir, 'out.txt', 'x'), 'out.txt'],
    [
      'one in a subfolder',
      transcript('runs/now/out.txt'),
      (dir) => write(dir, 'runs/now/out.txt', 'x'),
      'runs/now/out.txt',
    ],
    [
      'one through a link',
      transcript('now.txt'),
      (dir) => {
        write(dir, 'runs/x.txt', 'x')
        symlinkSync('runs/x.txt', join(dir, 'now.txt'))
      },
      'now.txt, runs/x.txt',
    ],
    [
      'those of earlier iterations',
      transcript('runs/3.txt'),
      (dir) => {
        for (const n of [1, 2, 3]) write(dir, `runs/${n}.txt`, `${n}`)
      },
      'runs/1.txt, runs/2.txt, runs/3.txt',
    ],
    [
      'a rotated one',
      transcript('out.txt'),
      (dir) => {
        for (const name of ['out.txt', 'out.txt.1', 'out-2.txt']) write(dir, name, name)
      },
      'out-2.txt, out.txt, out.txt.1',
    ],
    ['a log', none, (dir) => write(dir, 'out.log', 'x'), 'out.log'],
    ['a rotated log', none, (dir) => write(dir, 'logs/out.log.2', 'x'), 'logs/out.log.2'],
    ['nohup', none, (dir) => write(dir, 'nohup.out', 'x'), 'nohup.out'],
    ['a prompt that the loop writes', none, (dir) => write(dir, 'next-prompt.txt', 'x'), 'next-prompt.txt'],
    ['a prompt that was passed', transcript('todo.md'), (dir) => write(dir, 'todo.md', 'x'), 'todo.md'],
    ['a copy of the output', said, (dir) => write(dir, 'tee.txt', `started\n${SAID}\nended\n`), 'tee.txt'],
    [
      'a copy with a terminal’s line ends',
      said,
      (dir) => write(dir, 'typescript', SAID.replaceAll('\n', '\r\n')),
      'typescript',
    ],
    [
      'a copy as JSON lines',
      said,
      (dir) => write(dir, 'out.jsonl', JSON.stringify({ type: 'text', text: SAID })),
      'out.jsonl',
    ],
    ['the end of a long copy', said, (dir) => write(dir, 'long.txt', `${'x'.repeat(5_000_000)}\n${SAID}`), 'long.txt'],
    [
      'a copy of what exitgate printed',
      () => ({ run: '20261119-060348-2' }),
      (dir) => write(dir, 'tee.txt', 'run 20261119-060348-2 started\n'),
      'tee.txt',
    ],
    [
      'copies of all iterations',
      said,
      (dir) => {
        write(dir, 'runs/1.txt', 'not done')
        write(dir, 'runs/2.txt', SAID)
      },
      'runs/1.txt, runs/2.txt',
    ],
    [
      'the state folder',
      (dir) => ({ stateDir: join(dir, 'state') }),
      (dir) => write(dir, 'state/journal.jsonl', 'x'),
      'state/journal.jsonl',
    ],
  ]
  describe.each([
    ['a repository', () => repository(FILES), (_dir: string) => {}],
    ['no repository', () => folder(FILES), (_dir: string) => {}],
    ['a repository whose loop commits', () => repository(FILES), commitAll],
  ])('in %s', (_place, make, after) => {
    it.each(rows)('%s', async (_name, about, work, shown) => {
      const dir = make()
      const before = await start(dir, { about: about(dir) })
      work(dir)
      after(dir)
      const { changed } = await ask(dir, before, { about: about(dir) })
      const expected = `No changes since the start. Not counted: ${shown} (output of the loop, or its prompt).`
      expect([changed.answer, changed.detail]).toEqual(['no', expected])
      write(dir, 'src/a.js', 'work')
      const done = await ask(dir, before, { about: about(dir) })
      expect([done.changed.detail, Object.keys(done.changed.work?.files ?? {})]).toEqual([
        'Changed: src/a.js.',
        ['src/a.js'],
      ])
    })
  })

  it.each(rows)('%s does not count as progress', async (_name, about, work) => {
    const dir = repository(FILES)
    const { tree } = await ask(dir, undefined, { about: about(dir) })
    work(dir)
    expect((await ask(dir, undefined, { about: about(dir) })).tree).toBe(tree)
  })

  it('a log, prompt or other file that the project had is work', async () => {
    const dir = repository({ 'test/data.log': '1', 'PROMPT.md': '1', 'runs/1.txt': '1' })
    const before = await start(dir)
    for (const name of ['test/data.log', 'PROMPT.md', 'runs/1.txt']) appendFileSync(join(dir, name), '2')
    const { changed } = await ask(dir, before, { about: { loopFiles: [join(dir, 'runs/2.txt')] } })
    expect(changed.detail).toBe('Changed: PROMPT.md, runs/1.txt, test/data.log.')
  })

  it('the transcript is none either if the project had it', async () => {
    const dir = repository({ 'out.txt': '1' })
    const before = await start(dir)
    write(dir, 'out.txt', '2')
    expect((await ask(dir, before, { about: { loopFiles: [join(dir, 'out.txt')] } })).changed.answer).toBe('no')
  })

  it.each([
    ['a short message', 'Done.', 'Done.'],
    ['a part of the message', SAID, 'I looked at everything.'],
  ])('a file with %s is work', async (_name, message, text) => {
    const dir = repository(FILES)
    const before = await start(dir)
    write(dir, 'notes.md', text)
    expect((await ask(dir, before, { about: { said: message } })).changed.detail).toBe('Changed: notes.md.')
  })
})

describe('without a stored start', () => {
  it('the last commit is the start', async () => {
    const dir = repository(FILES)
    const workspace = openWorkspace(dir)
    const earlier = await start(dir)
    const [head, tree] = [git(dir, 'rev-parse', 'HEAD'), git(dir, 'rev-parse', 'HEAD^{tree}')]
    const since = sinceCommit(earlier as never, { head, tree })
    expect((await ask(dir, since)).changed.answer).toBe('no')
    write(dir, 'src/a.js', 'b')
    expect((await ask(dir, since)).changed).toMatchObject({ answer: 'yes', detail: 'Changed: src/a.js.' })
    expect(workspace.dir).toBe(dir)
  })

  it.each([
    ['no repository', () => folder(FILES), process.env, 'This is not a git repository.'],
    ['no git', () => repository(FILES), NO_GIT, 'git is not installed, or the directory does not exist.'],
  ] as const)('is unknown with %s', async (_name, make, env, why) => {
    const { changed, clean } = await ask(make(), undefined, { env })
    expect([changed.answer, clean.answer]).toEqual(['unknown', 'unknown'])
    expect(changed.detail).toBe(
      `${why} There is no earlier state of the files either, so exitgate can't tell what changed.`,
    )
  })

  it('is unknown in a fake without git', async () => {
    const workspace = fakeWorkspace()
    const context = { workspace, claim: true, tree: '', taskTexts: [], deadlineMs: 60_000 }
    const [changed] = await gitCheck(await takeGitSnapshot(workspace)).collect(context)
    expect(changed?.answer).toBe('unknown')
  })
})

it('a repository that is gone is not a success', async () => {
  const dir = repository(FILES)
  const before = await start(dir)
  rmSync(join(dir, '.git'), { recursive: true })
  write(dir, 'src/a.js', 'b')
  expect((await ask(dir, before)).changed).toMatchObject({ answer: 'no', detail: expect.stringContaining('is gone') })
})
