import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { findProgram } from '../../src/system/find-program.ts'
import { assertSound, inShell, noTerminal, type Project, pressUntil, QUICK_AGENT, story } from './interrupt-run.ts'
import { runProject } from './run-project.ts'
import { CTRL_C } from './terminal.ts'

beforeEach(({ skip }) => skip(noTerminal !== undefined, noTerminal))

/** Tests that hang while a file next to the workspace exists. */
const HANGING = `if test -e ../slow; then echo $$ >> ../testing; sleep 600; fi
echo 'ok 1 - it works'
echo 1..1
`
/** They ignore SIGTERM. */
const STUBBORN = `trap '' TERM\n${HANGING}`
const SLOWS_DOWN = `import { writeFileSync } from 'node:fs'
writeFileSync(process.env.HOME + '/slow', '')
writeFileSync('work.txt', 'x')
console.log('Still at it.')
`
const STOPS = /Interrupt received: the run stops/

describe('Ctrl+C during the evidence', () => {
  it('once: the tests are ended at once, and none is left', async () => {
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

  it('twice: the same, at once', async () => {
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
  it.each([false, true])('no run was started, and the output says so; plain lines: %s', async (plain) => {
    const project = runProject({ 'halves.sh': HANGING })
    writeFileSync(join(project.root, 'slow'), '')
    const { terminal, ...session } = await inShell({ args: plain ? ['--plain'] : [] }, project)
    await session.noted('testing')
    terminal.type(CTRL_C)
    // The view may end before its next frame.
    if (plain) await terminal.shows(STOPS)
    expect(await session.end(), terminal.text()).toBe(3)
    expect(terminal.text()).toMatch(/interrupted before the first iteration; no run was started/)
    expect(terminal.text()).toMatch(/exitgate run begins with the baseline again/)
    expect(session.note('started')).toBe('')
    await assertSound(project)
    expect(project.events()).toEqual([])
    const resumed = await session.exitgate('run', '--resume', '--', 'true')
    expect(resumed).toMatchObject({ code: 64, stderr: expect.stringMatching(/There is no run to resume here/) })
  })
})

describe('Ctrl+C twice during the baseline', () => {
  it('nothing was begun, and an earlier run is left as it was', async () => {
    const project = runProject({ 'halves.sh': STUBBORN })
    // A killed process cannot put the terminal back, so this one has only lines.
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

/** git, which takes its time for a commit: whatever reaches its process group in the meantime reaches it. */
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
  const FIXES = `import { existsSync, writeFileSync } from 'node:fs'
if (existsSync('work.txt')) process.exit(1)
writeFileSync('work.txt', 'x')
console.log('Still at it.')
`
  it('once: the commit is whole, then the run stops', async () => {
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
    await assertWhole(project)
    expect(story(project)).toEqual(['start 1.1', '1 continue', 'interrupted/interrupt'])
  })

  it('twice: the same, and then it ends at once', async () => {
    const project = runProject()
    const { terminal, ...session } = await inShell(
      { args: ['--checkpoint'], agent: FIXES, env: slowGit(project) },
      project,
    )
    await session.noted('committing')
    terminal.type(CTRL_C)
    await terminal.shows(/after the critical section completes/)
    const ended = session.end()
    // It must be taken for a second one, and not for an echo of the first.
    for (let n = 0; n < 6; n++) {
      terminal.type(CTRL_C)
      await terminal.shows(/\^C/)
      await new Promise((resolve) => setTimeout(resolve, 100))
    }
    expect(existsSync(join(project.root, 'go-on'))).toBe(false)
    session.let('go-on')
    expect(await ended, terminal.text()).toBe(130)
    await assertWhole(project)
  })

  async function assertWhole(project: Project): Promise<void> {
    await assertSound(project)
    const [branch = ''] = project.git('branch', '--list', 'exitgate/*', '--format', '%(refname:short)').split('\n')
    expect(project.git('show', `${branch}:work.txt`)).toBe('x')
    expect(project.git('fsck', '--strict')).toBe('')
    expect(project.git('status', '--porcelain')).toMatch(/work\.txt/)
    expect(project.events().filter(({ type }) => type === 'checkpoint')).toHaveLength(1)
  }
})

describe('Ctrl+C while nothing runs', () => {
  const LIMITED = `const until = Math.floor(Date.now() / 1000) + 3000
console.log('Claude AI usage limit reached|' + until)
process.exit(1)
`
  it('the countdown of a limit ends at once', async () => {
    const { project, terminal, ...session } = await inShell({ agent: LIMITED })
    await terminal.shows(/waiting (?:49m|50m|\d+:\d+).*limit is reached/)
    terminal.type(CTRL_C)
    expect(await session.end(), terminal.text()).toBe(3)
    expect(story(project)).toEqual(['start 1.1', 'interrupted/interrupt'])
    await assertSound(project)
  })

  it('so does that of calls an hour', async () => {
    const { project, terminal, ...session } = await inShell({
      args: ['--calls-per-hour', '1', '--plain'],
      agent: 'console.log("Still at it.")',
    })
    await terminal.shows(/waiting 59m.*the limit is 1 iteration per hour/)
    terminal.type(CTRL_C)
    await terminal.shows(STOPS)
    expect(await session.end(), terminal.text()).toBe(3)
    expect(story(project)).toEqual(['start 1.1', '1 continue', 'interrupted/interrupt'])
    await assertSound(project)
  })

  it('--dry-run has nothing to stop', async () => {
    const { project, terminal, ...session } = await inShell({ args: ['--dry-run'], agent: QUICK_AGENT })
    expect(await session.end()).toBe(0)
    expect(terminal.text()).toMatch(/Dry run: nothing is started\. This would run:/)
    expect(existsSync(project.state)).toBe(false)
  })
})
