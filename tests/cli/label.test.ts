import { execFileSync } from 'node:child_process'
import { existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { EventInput } from '../../src/core/journal/events.ts'
import type { Evidence, Work } from '../../src/core/types.ts'
import { openJournal } from '../../src/journal/log.ts'
import { readEvents, readJournal } from '../../src/journal/read.ts'
import { DONE as DECIDED, decided, observation, started } from '../journal/samples.ts'
import { DONE, GREEN, project } from './run-cli.ts'

async function withRuns(many: number) {
  const work = project({ 'said.txt': DONE, 'green.json': GREEN })
  for (let n = 0; n < many; n++)
    await work.run(['check', '--transcript', 'said.txt', '--evidence', 'green.json', '--new-run'])
  const { dir } = (await work.run(['state', '--json'])).json as { dir: string }
  return {
    ...work,
    journal: dir,
    names: [...readEvents(dir)].flatMap((event) => (event.type === 'run.started' ? [event.run] : [])),
  }
}

describe('label', () => {
  it("records and shows the user's label", async () => {
    const work = await withRuns(2)
    const [first = '', last = ''] = work.names
    expect(await work.run(['label', 'last', 'good'])).toMatchObject({
      code: 0,
      stdout: `Labelled run ${last} good.\n`,
    })
    const bad = await work.run(['label', first, 'bad', '--reason', 'the export is empty', '--by', 'Ann', '--json'])
    expect(bad.json).toEqual({ run: first, label: 'bad', by: 'Ann', reason: 'the export is empty' })
    const { stdout } = await work.run(['label', '--list'])
    expect(stdout.split('\n')).toEqual([
      expect.stringMatching(new RegExp(`^${first} +completed/\\S+ +bad +Ann: the export is empty$`)),
      expect.stringMatching(new RegExp(`^${last} +completed/\\S+ +good +the user: no reason given$`)),
      '',
    ])
    expect((await work.run(['history', '--events'])).stdout).toContain(
      `run ${first} labelled bad by Ann: the export is empty`,
    )
    expect(await work.run(['label', first, '--clear'])).toMatchObject({
      code: 0,
      stdout: `Removed the label of run ${first}.\n`,
    })
    expect((await work.run(['label', '--list', '--json'])).json).toMatchObject({
      runs: [{ run: first }, { run: last, label: { label: 'good' } }],
    })
  })

  it('labels archived runs', async () => {
    const work = await withRuns(1)
    await work.run(['reset'])
    expect(await work.run(['label', work.names[0] ?? '', 'bad'])).toMatchObject({ code: 0 })
    expect((await work.run(['label', '--list'])).stdout).toMatch(/ bad +the user/)
  })

  it('does not change how the run ended', async () => {
    const work = await withRuns(1)
    const { seq: _before, ...before } = readJournal(work.journal).state
    await work.run(['label', 'last', 'bad'])
    const { seq: _after, ...after } = readJournal(work.journal).state
    expect(after).toEqual(before)
  })

  it.each<[string, readonly string[], number, string | RegExp]>([
    ['no run at all', ['label', 'last', 'good'], 0, 'No finished runs here yet. Pass the project folder with --dir.'],
    [
      'an unknown run',
      ['label', 'moon', 'good'],
      2,
      /^error: There is no run "moon" here. Runs: \S+-1, \S+-2\. "last" is the newest\.\n$/,
    ],
    ['many runs', ['label', 'moon', 'good'], 12, / and 2 older\. "last" is the newest\.\n$/],
    [
      'no label',
      ['label', 'last'],
      1,
      'Pass a run and a label: exitgate lab label RUN good|bad. "last" is the newest run.',
    ],
    ['no run', ['label'], 1, 'Pass a run and a label: exitgate lab label RUN good|bad. "last" is the newest run.'],
    [
      'a label with --clear',
      ['label', 'last', 'good', '--clear'],
      1,
      'Pass a run and a label: exitgate lab label RUN good|bad. "last" is the newest run.',
    ],
    [
      'an unknown label',
      ['label', 'last', 'goood'],
      1,
      'The label must be one of good, bad, not "goood". Did you mean "good"?',
    ],
    ['nothing to remove', ['label', 'last', '--clear'], 1, /Run \S+ has no label of yours to remove\.\n$/],
    ['--ci without --auto', ['label', 'last', 'good', '--ci', '-'], 1, '--ci and --days need --auto.'],
    [
      'a run with --auto',
      ['label', 'last', '--auto'],
      1,
      '--auto is about all runs. Leave out the run, --clear and --reason.',
    ],
    ['--list with --auto', ['label', '--list', '--auto'], 1, 'Pass either --list or --auto, not both.'],
    [
      'invalid --days',
      ['label', '--auto', '--days', 'many'],
      1,
      '--days must be a whole number of at least 1, not "many".',
    ],
    [
      'a missing file',
      ['label', '--auto', '--ci', 'ci.json'],
      1,
      /--ci \S+ci\.json can't be read \(ENOENT\)\. Pass a file with CI results, or - for stdin\.\n$/,
    ],
    [
      'a file in an unknown format',
      ['label', '--auto', '--ci', 'said.txt'],
      1,
      /^error: --ci said\.txt is neither JSON nor a test report\. Pass rows like /,
    ],
    [
      'rows without commits',
      ['label', '--auto', '--ci', 'rows.json'],
      1,
      /^error: --ci rows\.json: no row has a commit and a conclusion\. It should look like /,
    ],
  ])('refuses %s', async (_name, args, runs, sentence) => {
    const work = await withRuns(runs)
    work.write('rows.json', '[{"name":"build"}]')
    const { code, stderr, stdout } = await work.run(args)
    expect([code, stdout]).toEqual([64, ''])
    if (typeof sentence === 'string') expect(stderr).toBe(`error: ${sentence}\n`)
    else expect(stderr).toMatch(sentence)
  })

  it('refuses an unfinished run', async () => {
    const work = project({ 'said.txt': 'Still at it.\n', 'green.json': GREEN })
    await work.run(['check', '--transcript', 'said.txt', '--evidence', 'green.json'])
    const { run } = (await work.run(['state', '--json'])).json as { run: string }
    const { code, stderr } = await work.run(['label', run, 'good'])
    expect([code, stderr]).toEqual([64, `error: Run ${run} is unfinished. Label it when it has ended.\n`])
  })

  const ways = [
    ['label', 'last', 'good'],
    ['label', 'last', '--clear'],
    ['label', '--auto'],
  ]
  const marks = ['CLAUDECODE', 'CODEX_SANDBOX', 'EXITGATE_RUN', 'EXITGATE_CHECK']
  it.each(ways.flatMap((way) => marks.map((mark): [string, string, string[]] => [way.join(' '), mark, way])))(
    'is refused for agents, and the attempt is recorded: %s with %s',
    async (_line, mark, way) => {
      const work = await withRuns(1)
      const before = readJournal(work.journal).state.seq
      const { code, stderr } = await work.run(way, { [mark]: '1' })
      expect([code, stderr]).toEqual([
        64,
        `error: Refused: an agent can't use exitgate lab label (${mark} is set). Run it in your own terminal.\n`,
      ])
      const events = [...readEvents(work.journal)].slice(before)
      expect(events).toMatchObject([{ type: 'note', text: expect.stringContaining('refused: lab label by an agent') }])
      expect(existsSync(join(work.journal, 'calibration.json'))).toBe(false)
    },
  )
})

const DAY = 86_400_000

/** A repository where a run changed one file, added another, and committed its work. */
async function withGit() {
  const work = project({ 'a.js': 'before\n', 'other.js': 'other\n' })
  let at = Date.UTC(2026, 0, 2)
  const git = (...args: readonly string[]): string => {
    at += 60_000
    const date = new Date(at).toISOString()
    const who = { GIT_AUTHOR_NAME: 'a', GIT_AUTHOR_EMAIL: 'a@b', GIT_COMMITTER_NAME: 'a', GIT_COMMITTER_EMAIL: 'a@b' }
    const env = {
      PATH: process.env.PATH ?? '',
      HOME: work.root,
      ...who,
      GIT_AUTHOR_DATE: date,
      GIT_COMMITTER_DATE: date,
    }
    return execFileSync('git', args, { cwd: work.dir, env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] }).trim()
  }
  const commit = (message: string): string => {
    git('add', '-A')
    git('commit', '-qm', message)
    return git('rev-parse', 'HEAD')
  }
  git('init', '-q', '-b', 'main')
  const since = commit('start')
  const before = git('rev-parse', 'HEAD:a.js')
  work.write('a.js', 'after\n')
  work.write('new.js', 'new\n')
  const head = commit('work of the agent')
  const files: Work['files'] = {
    'a.js': [before, git('rev-parse', 'HEAD:a.js')],
    'new.js': ['', git('rev-parse', 'HEAD:new.js')],
  }
  const changed: Evidence = {
    check: 'changed',
    answer: 'yes',
    detail: '',
    ms: 1,
    tree: '',
    work: { since, head, files },
  }
  const seen = { ...observation, evidence: { ...observation.evidence, changed } }
  const happenings: EventInput[] = [
    started({ run: 'r1' }),
    { ...decided(1, DECIDED), observation: seen } as EventInput,
    { type: 'run.ended', outcome: 'completed', ending: 'verified', reason: 'done', iteration: 1 },
  ]
  const { dir } = (await work.run(['state', '--json'])).json as { dir: string }
  const journal = openJournal(dir)
  journal.append(happenings, at)
  journal.close()
  const auto = async (...more: readonly string[]) => {
    const ran = await work.run(['label', '--auto', '--json', ...more])
    return (ran.json as { labelled: { run: string; source: string; reason: string }[] }).labelled
  }
  return { ...work, git, commit, auto, since, head, later: (days: number) => (at += days * DAY) }
}

describe('label --auto', () => {
  it('leaves a run unlabelled if nothing speaks against its work', async () => {
    const work = await withGit()
    work.write('other.js', 'more\n')
    work.commit('other work')
    expect(await work.auto()).toEqual([])
    const { stdout } = await work.run(['label', '--auto'])
    expect(stdout).toBe('Checked 1 unlabelled run, up to 14 days after its end: nothing found.\n')
    expect((await work.run(['label', '--list'])).stdout).toContain('no label')
  })

  it('finds a revert commit, once, and the user can override the label', async () => {
    const work = await withGit()
    work.git('revert', '--no-edit', work.head)
    const by = work.git('rev-parse', '--short=10', 'HEAD')
    const reason = `commit ${by} reverts ${work.head.slice(0, 10)} of this run`
    expect(await work.auto()).toEqual([{ run: 'r1', source: 'revert', reason }])
    expect(await work.auto()).toEqual([])
    expect((await work.run(['label', '--list'])).stdout).toContain(`bad  revert: ${reason}`)
    await work.run(['label', 'r1', 'good'])
    expect((await work.run(['label', '--list'])).stdout).toContain('good  the user')
  })

  it('finds work that was undone under any commit message', async () => {
    const work = await withGit()
    work.write('a.js', 'before\n')
    rmSync(join(work.dir, 'new.js'))
    const by = work.commit('tidy up')
    expect(await work.auto()).toEqual([
      { run: 'r1', source: 'revert', reason: `since commit ${by.slice(0, 10)} all its 2 files are as before the run` },
    ])
  })

  type Act = (work: Awaited<ReturnType<typeof withGit>>) => void
  const partial: Act = (work) => {
    work.write('a.js', 'before\n')
    work.commit('one file back')
  }
  const late: Act = (work) => {
    work.later(20)
    work.git('revert', '--no-edit', work.head)
  }
  const revertedRevert: Act = (work) => {
    work.git('revert', '--no-edit', work.head)
    work.git('revert', '--no-edit', 'HEAD')
  }
  const otherBranch: Act = (work) => {
    work.git('checkout', '-qb', 'side', work.since)
    work.write('other.js', 'side\n')
    work.commit('side')
  }
  it.each<[string, Act]>([
    ['only part of its work was reverted', partial],
    ['its work was reverted too late', late],
    ['the revert was reverted too', revertedRevert],
    ['its work is missing only on another branch', otherBranch],
    ['its work was undone only in the working tree', (work) => work.write('a.js', 'before\n')],
  ])('does not label the run if %s', async (_name, act) => {
    const work = await withGit()
    act(work)
    expect(await work.auto()).toEqual([])
  })

  it('--days sets how long to look', async () => {
    const work = await withGit()
    work.later(20)
    work.git('revert', '--no-edit', work.head)
    expect(await work.auto('--days', '30')).toMatchObject([{ run: 'r1', source: 'revert' }])
  })

  it.each<[string, (head: string) => string, string | undefined]>([
    ['a failure on its commit', (head) => `[{"headSha":"${head}","conclusion":"failure"}]`, 'CI failed on commit'],
    [
      "a failure in GitHub's API format",
      (head) => `{"workflow_runs":[{"head_sha":"${head}","conclusion":"timed_out"}]}`,
      'CI failed on commit',
    ],
    [
      'a failure and a success',
      (head) => `[{"sha":"${head}","state":"failed"},{"sha":"${head}","state":"success"}]`,
      undefined,
    ],
    [
      'a cancelled run',
      (head) => `[{"sha":"${head}","conclusion":"cancelled"},{"sha":"${head}","conclusion":"success"}]`,
      undefined,
    ],
    ['a failure on an unknown commit', () => `[{"sha":"${'e'.repeat(40)}","conclusion":"failure"}]`, undefined],
    [
      'a test report with failures',
      () =>
        '<testsuite tests="1" failures="1"><testcase name="adds" classname="a"><failure message="no"/></testcase></testsuite>',
      'CI failed on commit',
    ],
  ])('reads CI results: %s', async (_name, text, reason) => {
    const work = await withGit()
    work.write('ci.txt', text(work.head))
    work.git('add', 'a.js')
    const found = await work.auto('--ci', 'ci.txt')
    expect(found.map((each) => each.reason)).toEqual(reason === undefined ? [] : [expect.stringContaining(reason)])
  })

  it('does not blame the run for a later commit', async () => {
    const work = await withGit()
    work.write('other.js', 'broken\n')
    const later = work.commit('more')
    work.write('ci.json', `[{"commit":"${later}","conclusion":"failure"}]`)
    expect(await work.auto('--ci', 'ci.json')).toEqual([])
  })
})
