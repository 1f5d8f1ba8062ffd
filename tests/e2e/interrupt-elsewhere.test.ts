import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { findProgram } from '../../src/system/find-program.ts'
import { assertSound, inShell, noTerminal, type Project, pressUntil, QUICK_AGENT, story } from './interrupt-run.ts'
import { runProject } from './run-project.ts'
import { CTRL_C } from './terminal.ts'

beforeEach(({ skip }) => skip(noTerminal !== undefined, noTerminal))

/** Tests that record their process id and hang while the file `slow` exists next to the workspace. */
const HANGING = `if test -e ../slow; then echo $$ >> ../testing; sleep 600; fi
echo 'ok 1 - it works'
echo 1..1
`
/** The same tests, ignoring SIGTERM. */
const STUBBORN = `trap '' TERM\n${HANGING}`
const SLOWS_DOWN = ': > "$HOME/slow"; printf x > work.txt; echo Still at it.'
/** The baseline runs in a copy, which has other neighbours. */
const anywhere = (script: string, { root }: Project) => script.replaceAll('../', `${root}/`)
const STOPS = /Interrupt received: stopping the run\./

describe('Ctrl+C while the checks run', () => {
  it('once: the tests are ended, and no process is left', async () => {
    const { project, terminal, ...session } = await inShell({
      args: ['--plain'],
      agent: SLOWS_DOWN,
      files: { 'halves.sh': HANGING },
    })
    await session.noted('testing')
    terminal.type(CTRL_C)
    await terminal.shows(STOPS)
    expect(await session.end(), terminal.text()).toBe(3)
    expect(story(project)).toEqual(['start 1.1', '1 interrupted', 'interrupted/interrupt'])
    await assertSound(project)
  })

  it('twice: tests that ignore SIGTERM are killed too', async () => {
    const { project, terminal, ...session } = await inShell({
      agent: SLOWS_DOWN,
      files: { 'halves.sh': STUBBORN },
    })
    await session.noted('testing')
    const ended = session.end()
    await pressUntil(terminal, ended)
    expect(await ended, terminal.text()).toBe(130)
    expect(story(project)).toEqual(['start 1.1', 'interrupted/interrupt'])
    await assertSound(project)
  })
})

describe('Ctrl+C during the baseline', () => {
  it.each([false, true])('no run was started, and the output reports that; --plain: %s', async (plain) => {
    const project = runProject()
    project.write('halves.sh', anywhere(HANGING, project))
    writeFileSync(join(project.root, 'slow'), '')
    const { terminal, ...session } = await inShell({ args: plain ? ['--plain'] : [] }, project)
    await session.noted('testing')
    terminal.type(CTRL_C)
    // The live view may end before its next frame.
    if (plain) await terminal.shows(STOPS)
    expect(await session.end(), terminal.text()).toBe(3)
    expect(terminal.text()).toMatch(/interrupted before the first iteration; no run was started/)
    expect(terminal.text()).toMatch(/`exitgate run` starts again with the baseline\./)
    expect(session.note('started')).toBe('')
    await assertSound(project)
    expect(project.events()).toEqual([])
    const resumed = await session.exitgate('run', '--resume', '--', 'true')
    expect(resumed).toMatchObject({ code: 64, stderr: expect.stringMatching(/There is no run to resume here/) })
  })
})

describe('Ctrl+C twice during the baseline', () => {
  it('no run was started, and an earlier run is unchanged', async () => {
    const project = runProject()
    project.write('halves.sh', anywhere(STUBBORN, project))
    // A killed process can't restore the terminal, so this one prints plain lines.
    const first = await inShell({ args: ['--plain'] }, project)
    await first.noted('started', '1')
    const lock = JSON.parse(readFileSync(join(project.journalDir(), 'lock'), 'utf8')) as { readonly pid: number }
    process.kill(lock.pid, 'SIGKILL')
    expect(await first.end()).toBe(137)
    const before = story(project)
    writeFileSync(join(project.root, 'slow'), '')
    const { terminal, ...session } = await inShell({}, project)
    await session.noted('testing')
    const ended = session.end()
    await pressUntil(terminal, ended)
    expect([3, 130], terminal.text()).toContain(await ended)
    expect(terminal.text()).toMatch(/no run was started/)
    expect(story(project)).toEqual(before)
    await assertSound(project)
  })
})

/** A git whose commit waits for the test. A signal to its process group meanwhile reaches it. */
function slowGit(project: Project): Readonly<Record<string, string>> {
  const git = findProgram('git', project.dir, process.env) ?? ''
  const bin = join(project.root, 'bin')
  mkdirSync(bin)
  const file = join(bin, 'git')
  const wait = `while [ ! -e "${project.root}/go-on" ]; do sleep 0.02; done`
  writeFileSync(
    file,
    `#!/bin/sh\ncase " $* " in *" commit-tree "*) echo x >> "${project.root}/committing"; ${wait};; esac\nexec "${git}" "$@"\n`,
  )
  chmodSync(file, 0o755)
  return { PATH: `${bin}:${project.env.PATH}` }
}

describe('Ctrl+C during a checkpoint', () => {
  const FIXES = 'test ! -e work.txt || exit 1; printf x > work.txt; echo Still at it.'
  it('once: the commit is finished, then the run stops', async () => {
    const project = runProject()
    const { terminal, ...session } = await inShell(
      { args: ['--checkpoint'], agent: FIXES, env: slowGit(project) },
      project,
    )
    await session.noted('committing')
    terminal.type(CTRL_C)
    await terminal.shows(/Interrupt received: will exit after the critical section completes/)
    session.let('go-on')
    expect(await session.end(), terminal.text()).toBe(3)
    await assertCommitted(project)
    expect(story(project)).toEqual(['start 1.1', '1 continue', 'interrupted/interrupt'])
  })

  it('twice: the commit is finished, then the program exits immediately', async () => {
    const project = runProject()
    const { terminal, ...session } = await inShell(
      { args: ['--checkpoint'], agent: FIXES, env: slowGit(project) },
      project,
    )
    await session.noted('committing')
    terminal.type(CTRL_C)
    await terminal.shows(/after the critical section completes/)
    const ended = session.end()
    // One press would count as an echo of the first, so press several times. The view shows no ^C.
    for (let n = 0; n < 6; n++) {
      terminal.type(CTRL_C)
      await new Promise((resolve) => setTimeout(resolve, 100))
    }
    expect(existsSync(join(project.root, 'go-on'))).toBe(false)
    session.let('go-on')
    expect(await ended, terminal.text()).toBe(130)
    await assertCommitted(project)
  })

  async function assertCommitted(project: Project): Promise<void> {
    await assertSound(project)
    const [branch = ''] = project.git('branch', '--list', 'exitgate/*', '--format', '%(refname:short)').split('\n')
    expect(project.git('show', `${branch}:work.txt`)).toBe('x')
    expect(project.git('fsck', '--strict')).toBe('')
    expect(project.git('status', '--porcelain')).toMatch(/work\.txt/)
    expect(project.events().filter(({ type }) => type === 'checkpoint')).toHaveLength(1)
  }
})

describe('Ctrl+C while no process is running', () => {
  const LIMITED = 'echo "Claude AI usage limit reached|$(($(date +%s) + 3000))"; exit 1'
  it('ends the wait for a usage limit at once', async () => {
    const { project, terminal, ...session } = await inShell({ agent: LIMITED })
    await terminal.shows(/waiting (?:49m|50m|\d+:\d+).*limit is reached/)
    terminal.type(CTRL_C)
    expect(await session.end(), terminal.text()).toBe(3)
    expect(story(project)).toEqual(['start 1.1', 'interrupted/interrupt'])
    await assertSound(project)
  })

  it('ends the wait for the hourly limit at once', async () => {
    const { project, terminal, ...session } = await inShell({
      args: ['--calls-per-hour', '1', '--plain'],
      agent: 'echo Still at it.',
    })
    await terminal.shows(/waiting 59m.*the limit is 1 iteration per hour/)
    terminal.type(CTRL_C)
    await terminal.shows(STOPS)
    expect(await session.end(), terminal.text()).toBe(3)
    expect(story(project)).toEqual(['start 1.1', '1 continue', 'interrupted/interrupt'])
    await assertSound(project)
  })

  it('is not needed for --dry-run, which starts nothing', async () => {
    const { project, terminal, ...session } = await inShell({ args: ['--dry-run'], agent: QUICK_AGENT })
    expect(await session.end()).toBe(0)
    expect(terminal.text()).toMatch(/Dry run: nothing is started\. This would run:/)
    expect(existsSync(project.state)).toBe(false)
  })
})
