import { spawn, spawnSync } from 'node:child_process'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { agentNeeds } from '../../src/loop/sandbox.ts'
import { runCommand } from '../../src/system/run-command.ts'
import { chooseSandbox } from '../../src/system/sandbox/choose.ts'
import type { SandboxNeeds, SandboxSetup } from '../../src/system/sandbox/enter.ts'
import { processesOf } from '../e2e/run-project.ts'

/** A helper acts only after the test has seen that the sandbox ended. */
const UNTIL_GO = 'until [ -e go ]; do sleep 0.05; done'

const chosen = chooseSandbox({ mode: 'auto', env: process.env })
const missing = chosen.sandbox === undefined ? chosen.why : undefined
const root = realpathSync(mkdtempSync(join(tmpdir(), 'exitgate-sandbox-test-')))
afterAll(() => rmSync(root, { recursive: true, force: true }))

/** A user's machine: a home with secrets and a login, a project in it, exitgate's state, and something outside. */
function machine() {
  const top = mkdtempSync(join(root, 'm'))
  const home = join(top, 'home')
  const [project, state, outside] = [
    join(home, 'project'),
    join(home, '.local/state/exitgate/project'),
    join(top, 'outside'),
  ]
  for (const folder of [project, state, outside, join(home, '.ssh'), join(home, '.claude'), join(home, '.cargo/bin')])
    mkdirSync(folder, { recursive: true })
  const files = {
    [join(home, '.ssh/id_ed25519')]: 'private key',
    [join(home, '.npmrc')]: 'token',
    [join(home, '.claude/credentials.json')]: 'login',
    [join(home, '.claude/settings.json')]: '{}',
    [join(home, '.cargo/bin/tool')]: '#!/bin/sh\necho the tool ran\n',
    [join(state, 'journal.jsonl')]: 'journal',
    [join(state, 'one-time-code')]: 'K3F9QZ',
    [join(state, 'inbox')]: '',
    [join(outside, 'file')]: 'outside',
    [join(project, 'a.txt')]: 'a',
  }
  for (const [path, text] of Object.entries(files)) writeFileSync(path, text, { mode: 0o755 })
  const env = { PATH: `${join(home, '.cargo/bin')}:${process.env.PATH}`, HOME: home }
  if (chosen.sandbox === undefined) throw new Error('no sandbox')
  const setup: SandboxSetup = {
    sandbox: chosen.sandbox,
    workspace: project,
    hidden: [dirname(state)],
    read: [],
    write: [],
    network: 'all',
  }
  return {
    ...{ home, project, state, outside, setup },
    async run(command: string | readonly string[], needs: Partial<SandboxNeeds> = {}, deadlineMs = 60_000) {
      const { code, output, problem } = await runCommand(project, command, {
        deadlineMs,
        env,
        sandbox: { setup, needs: { network: true, ...needs } },
      })
      return { code, output: output.trim(), problem }
    },
  }
}

type Machine = ReturnType<typeof machine>

describe.skipIf(missing !== undefined)(`bubblewrap${missing === undefined ? '' : ` (${missing})`}`, () => {
  const honest: readonly (readonly [string, (m: Machine) => string, string])[] = [
    ['the project can be read', () => 'cat a.txt', 'a'],
    ['the project can be changed', () => 'echo b > a.txt && cat a.txt', 'b'],
    ['the temporary folder can be used', () => 'f=$(mktemp) && echo t > $f && cat $f', 't'],
    ['the home can be used', () => 'echo h > ~/x && cat ~/x', 'h'],
    ['programs of the home run', () => 'tool', 'the tool ran'],
    ['Node runs', () => `${process.execPath} -p 6*7`, '42'],
    ['git works', () => 'git init -q . && git status --porcelain | head -1', '?? a.txt'],
    ['the exit code comes through', () => 'exit 7', ''],
  ]
  it.each(honest)('%s', async (name, command, expected) => {
    const { code, output } = await machine().run(command(machine()))
    expect([output, code]).toEqual([expected, name.startsWith('the exit code') ? 7 : 0])
  })

  const refused: readonly (readonly [string, (m: Machine) => string])[] = [
    ["the user's keys are hidden", ({ home }) => `cat ${home}/.ssh/id_ed25519`],
    ["the user's tokens are hidden", ({ home }) => `cat ${home}/.npmrc`],
    ['a login it was not given is hidden', ({ home }) => `cat ${home}/.claude/credentials.json`],
    ['the journal is hidden', ({ state }) => `cat ${state}/journal.jsonl`],
    ['the machine is read-only', () => 'touch /etc/exitgate-test /usr/exitgate-test'],
    ['files outside the project are out of reach', ({ outside }) => `echo x > ${outside}/file`],
    ['programs of the home are read-only', ({ home }) => `echo x > ${home}/.cargo/bin/tool`],
    ['no remount makes it writable', () => 'mount -o remount,rw / && touch /etc/exitgate-test'],
    ['no new mount namespace either', () => 'unshare -rm sh -c "mount -o remount,rw / && touch /etc/exitgate-test"'],
    ['other processes cannot be seen', () => `ls /proc/${process.pid}/environ`],
    ['other processes cannot be signalled', () => `kill -0 ${process.pid}`],
    ['settings of the kernel are read-only', () => ': >> /proc/sys/kernel/core_pattern'],
    ['the one-time code is hidden', ({ state }) => `cat ${state}/one-time-code`],
    ['keys for ssh localhost are hidden', ({ home }) => `cat ${home}/.ssh/id_ed25519`],
    ['no job can be left for at or cron', () => 'touch /var/spool/exitgate-test /var/spool/cron/exitgate-test'],
    ['no terminal of the user can be opened', () => 'ls /dev/pts/0 || (: < /dev/tty)'],
    ['no session socket is left', () => 'ls /run/user /run/docker.sock /run/dbus/system_bus_socket'],
  ]
  it.each(refused)('%s', async (_, command) => {
    const place = machine()
    const { code } = await place.run(command(place))
    expect(code).not.toBe(0)
    expect(readFileSync(join(place.outside, 'file'), 'utf8')).toBe('outside')
    expect(existsSync('/etc/exitgate-test')).toBe(false)
  })

  it('what was left in the home and the temporary folder is gone for the next command', async () => {
    const place = machine()
    await place.run('echo x > ~/left; echo x > /tmp/left; mkdir -p ~/.config/git; echo x > ~/.config/git/config')
    expect((await place.run('ls -A ~ /tmp; cat ~/.config/git/config')).output).not.toMatch(/left|^x$/m)
    expect(existsSync(join(place.home, 'left'))).toBe(false)
  })

  it('a link out of the project leads nowhere', async () => {
    const place = machine()
    symlinkSync(join(place.home, '.ssh'), join(place.project, 'keys'))
    expect((await place.run('cat keys/id_ed25519')).code).not.toBe(0)
  })

  it('an agent gets its login, its inbox, and nothing else', async () => {
    const place = machine()
    const needs = {
      home: join(place.state, 'sandbox/home'),
      writable: [join(place.home, '.claude'), join(place.state, 'inbox')],
      readable: [join(place.home, '.claude/settings.json')],
    }
    const { output } = await place.run(
      `cat ~/.claude/credentials.json && echo new > ~/.claude/credentials.json; echo x > ~/.claude/settings.json; echo claim >> ${place.state}/inbox; ls -A ~ ${place.state}; echo kept > ~/note`,
      needs,
    )
    expect(readFileSync(join(place.home, '.claude/credentials.json'), 'utf8')).toBe('new\n')
    expect(readFileSync(join(place.home, '.claude/settings.json'), 'utf8')).toBe('{}')
    expect(readFileSync(join(place.state, 'inbox'), 'utf8')).toBe('claim\n')
    expect(output).not.toMatch(/\.ssh|\.npmrc|journal/)
    expect((await place.run('cat ~/note', needs)).output).toBe('kept')
  })

  it('nothing is left after the command, whatever it tried', async () => {
    const place = machine()
    await place.run(
      `(setsid env -i PATH="$PATH" sh -c '${UNTIL_GO}; touch late' >/dev/null 2>&1 &) ; (trap '' TERM HUP INT; nohup sh -c '${UNTIL_GO}; touch late' >/dev/null 2>&1 &); true`,
    )
    writeFileSync(join(place.project, 'go'), '')
    await new Promise((resolve) => setTimeout(resolve, 400))
    expect(existsSync(join(place.project, 'late'))).toBe(false)
  })

  it('the socket of a terminal multiplexer is out of reach', async () => {
    const path = join(root, 'tmux-default')
    const server = createServer((socket) => socket.end('hello')).listen(path)
    await new Promise((resolve) => server.once('listening', resolve))
    const script = `require('net').connect('${path}').on('data', (d) => console.log(String(d))).on('error', (e) => console.log(e.code))`
    expect((await machine().run([process.execPath, '-e', script])).output).toBe('ENOENT')
    server.close()
  })

  it('without a network nothing on this machine answers', async () => {
    const server = createServer((socket) => socket.end('hello')).listen(0, '127.0.0.1')
    await new Promise((resolve) => server.once('listening', resolve))
    const { port } = server.address() as { port: number }
    const script = `require('net').connect(${port}, '127.0.0.1').on('data', (d) => console.log(String(d))).on('error', (e) => console.log(e.code))`
    const place = machine()
    expect((await place.run([process.execPath, '-e', script])).output).toBe('hello')
    expect((await place.run([process.execPath, '-e', script], { network: false })).output).toBe('ECONNREFUSED')
    server.close()
  })

  it('a program runs through a link in a temporary folder', async () => {
    const place = machine()
    const link = join(place.outside, 'link')
    symlinkSync(join(place.home, '.cargo/bin/tool'), link)
    expect(await place.run([link])).toMatchObject({ code: 0, output: 'the tool ran' })
  })

  it('a program that does not exist is named', async () => {
    expect((await machine().run(['no-such-program'])).problem).toContain('no-such-program')
  })

  it('a worktree can commit: its repository is elsewhere', async () => {
    const place = machine()
    const git = (cwd: string, ...args: readonly string[]) =>
      spawnSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', ...args], {
        cwd,
        env: { PATH: process.env.PATH, HOME: place.home },
      })
    const main = join(place.outside, 'main')
    mkdirSync(main)
    git(main, 'init', '-q')
    git(main, 'commit', '-q', '--allow-empty', '-m', 'first')
    rmSync(place.project, { recursive: true })
    git(main, 'worktree', 'add', '-q', '-b', 'task', place.project)
    const commit =
      'echo b > b && git add b && git -c user.name=a -c user.email=a@b commit -qm second && git log --oneline | wc -l'
    expect((await place.run(commit)).output).toBe('2')
  })

  const pointers: readonly (readonly [string, (outside: string) => void])[] = [
    ['any folder', () => {}],
    ['another repository', (outside) => spawnSync('git', ['init', '-q', outside])],
    ['a forged worktree', (outside) => writeFileSync(join(outside, 'gitdir'), '/elsewhere/.git\n')],
  ]
  it.each(pointers)('a .git file that the agent wrote opens nothing: %s', async (name, make) => {
    const place = machine()
    make(place.outside)
    const [folder, file] = name.startsWith('another') ? [join(place.outside, '.git'), 'hooks/x'] : [place.outside, 'x']
    writeFileSync(join(place.project, '.git'), `gitdir: ${folder}\n`)
    expect((await place.run(`touch '${folder}/${file}'`)).code).not.toBe(0)
  })

  it('settings that are missing in a login folder cannot be created', async () => {
    const place = machine()
    const needs = agentNeeds(place.setup, {
      argv: ['claude'],
      env: { HOME: place.home },
      stateDir: place.state,
      inbox: join(place.state, 'inbox'),
      promptFile: join(place.project, 'a.txt'),
    })
    const { output } = await place.run(
      'exec 2>&1; cd ~/.claude; for f in settings.local.json hooks/x commands/x plugins/x CLAUDE.md; do echo x > $f && echo $f; done; echo new > credentials.json && ln -s ~ hooks/y; echo end',
      needs,
    )
    expect(output.split('\n').at(-1)).toBe('end')
    expect(readFileSync(join(place.home, '.claude/settings.local.json'), 'utf8')).toBe('{}\n')
    expect(readdirSync(join(place.home, '.claude/hooks'))).toEqual([])
    expect(readFileSync(join(place.home, '.claude/credentials.json'), 'utf8')).toBe('new\n')
  })

  it('ends with the process that started it, also after kill -9', async () => {
    const place = machine()
    // The sandbox is started by a process of its own, which is then killed.
    const inner = ['sh', '-c', `touch started; ${UNTIL_GO}; touch late`]
    const line = chosen.sandbox?.wrap(
      inner,
      {
        cwd: place.project,
        writable: [place.project],
        readable: [],
        hidden: [],
        home: mkdtempSync(join(root, 'h')),
        tmp: mkdtempSync(join(root, 't')),
        network: true,
      },
      { HOME: place.home },
    )
    const [file = '', ...args] = line ?? []
    const starter = spawn(
      process.execPath,
      [
        '-e',
        `require('child_process').spawn(${JSON.stringify(file)}, ${JSON.stringify(args)}, { detached: true, stdio: 'ignore' }); setInterval(() => {}, 1000)`,
      ],
      { stdio: 'ignore', env: { ...process.env, HOME: place.home } },
    )
    await expect.poll(() => existsSync(join(place.project, 'started'))).toBe(true)
    starter.kill('SIGKILL')
    await expect.poll(() => processesOf(place.home)).toEqual([])
    writeFileSync(join(place.project, 'go'), '')
    await new Promise((resolve) => setTimeout(resolve, 200))
    expect(existsSync(join(place.project, 'late'))).toBe(false)
  })
})
