import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { chooseSandbox } from '../../src/system/sandbox/choose.ts'
import { program } from '../e2e/program.ts'
import { NODE_CLAIM, processesOf, runProject } from '../e2e/run-project.ts'
import { patience } from '../timing.ts'

const chosen = chooseSandbox({ mode: 'auto', env: process.env })
const missing = chosen.sandbox === undefined ? chosen.why : undefined
const ON = { EXITGATE_SANDBOX: 'required' }
const WORK = `import { appendFileSync, existsSync, readFileSync, readdirSync, writeFileSync } from 'node:fs'
import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { dirname, join } from 'node:path'
const ROOT = process.env.HOME
const attempt = (what) => { try { return String(what()).trim() } catch (error) { return 'refused: ' + (error.code ?? error.status ?? error.message) } }
`
/** A helper in a shell acts only after the test has seen that the sandbox ended. */
const UNTIL_GO = 'until [ -e go ]; do sleep 0.05; done'
const DONE = `writeFileSync('first.txt', 'done'); writeFileSync('second.txt', 'done')\n`

describe.skipIf(missing !== undefined)(`a run in the sandbox${missing === undefined ? '' : ` (${missing})`}`, () => {
  const sandboxed = (agent: string, args: readonly string[] = []) => {
    const project = runProject()
    mkdirSync(join(project.root, '.claude'))
    writeFileSync(join(project.root, '.claude/credentials.json'), 'login')
    writeFileSync(join(project.root, 'secret'), 'hidden')
    const argv = project.agent(`${WORK}${agent}\n${NODE_CLAIM}`, 'agent.mjs')
    return { project, ran: project.run(['run', '--max-iterations', '2', ...args, '--', ...argv], ON) }
  }

  it('completes honest work, and the agent can report with `exitgate signal`', async () => {
    const project = runProject()
    const signal = `execFileSync(process.execPath, [${JSON.stringify(await program())}, 'signal', 'complete', '--reason', 'done'])`
    const argv = project.agent(`${WORK}${DONE}${signal}`, 'agent.mjs')
    const { code, stdout, stderr } = await project.run(['run', '--max-iterations', '2', '--', ...argv], ON)
    expect(code, stdout + stderr).toBe(0)
    expect(stdout).toMatch(/^ +sandbox +bubblewrap$/m)
    const [started] = project.events()
    expect(started).toMatchObject({ type: 'run.started', sandbox: 'bubblewrap' })
  })

  it('shows the agent its login and the project, nothing else of the home', async () => {
    const { project, ran } = sandboxed(
      `${DONE}writeFileSync('seen.json', JSON.stringify({ home: readdirSync(ROOT).sort(), login: attempt(() => readFileSync(join(ROOT, '.claude/credentials.json'))),
        secret: attempt(() => readFileSync(join(ROOT, 'secret'))), state: readdirSync(dirname(dirname(process.env.EXITGATE_INBOX))) }))`,
    )
    expect((await ran).code).toBe(0)
    const seen = JSON.parse(project.text('seen.json'))
    expect(seen.home).not.toContain('secret')
    expect({ ...seen, home: undefined }).toEqual({ login: 'login', secret: 'refused: ENOENT', state: ['inbox'] })
  })

  it('says what it hides from a script that fails without it', async () => {
    const project = runProject()
    writeFileSync(join(project.root, 'lib.sh'), 'say() { echo working; }\n')
    writeFileSync(join(project.root, 'agent.sh'), '. ../lib.sh\nsay\n')
    const { stdout } = await project.run(['run', '--max-iterations', '1', '--', 'sh', '../agent.sh'], ON)
    expect(stdout.replace(/\s+/g, ' ')).toContain(
      `The sandbox hides ${join(project.root, 'lib.sh')}. Add it to sandbox.read, or use --sandbox off.`,
    )
  })

  it('gives the reviewer its login, and nothing else of the home', async () => {
    const project = runProject()
    mkdirSync(join(project.root, '.claude'))
    writeFileSync(join(project.root, '.claude/credentials.json'), 'login')
    writeFileSync(join(project.root, 'secret'), 'hidden')
    const reviewer = `${WORK}const seen = [join(ROOT, '.claude/credentials.json'), join(ROOT, 'secret')].map((path) => attempt(() => readFileSync(path)))
      const text = JSON.stringify(seen)
      console.log(JSON.stringify({ verdict: 'REJECT', blocking_issues: [{ text }] }))`
    mkdirSync(join(project.root, 'bin'))
    writeFileSync(join(project.root, 'bin/review.mjs'), reviewer)
    const settings = {
      evidence: { review: `node ${project.root}/bin/review.mjs` },
      required: ['tests', 'review'],
      sandbox: { read: [join(project.root, 'bin')] },
    }
    const config = project.write('../review.json', JSON.stringify(settings))
    const argv = project.agent(`${WORK}${DONE}${NODE_CLAIM}`, 'agent.mjs')
    const { stdout, stderr } = await project.run(
      ['run', '--max-iterations', '1', '--config', config, '--', ...argv],
      ON,
    )
    expect(stdout, stderr).toContain(`["login","refused: ENOENT"]`)
  })

  it('the agent cannot reach exitgate: no process, no journal, no terminal', async () => {
    const { project, ran } = sandboxed(
      `writeFileSync('seen.json', JSON.stringify({
        parent: attempt(() => execFileSync('sh', ['-c', 'for p in /proc/[0-9]*; do tr "\\\\0" " " < $p/cmdline; echo; done'])),
        journal: attempt(() => appendFileSync(join(dirname(dirname(process.env.EXITGATE_INBOX)), 'journal.jsonl'), 'x')),
        force: attempt(() => execFileSync('sh', ['-c', 'kill -USR1 -1; kill -9 1; true'])),
      }))`,
    )
    const { code, stderr } = await ran
    expect(code, stderr).toBe(2)
    const seen = JSON.parse(project.text('seen.json'))
    expect(seen.parent).not.toMatch(/cli\.cjs run/)
    expect(project.events().at(-1)?.type).toBe('run.ended')
  })

  it('a helper of the agent never acts after it ended', async () => {
    const { project, ran } = sandboxed(
      `spawn('env', ['-i', 'setsid', '/bin/sh', '-c', ${JSON.stringify(`${UNTIL_GO}; printf done > first.txt; printf done > second.txt`)}], { detached: true, stdio: 'ignore' }).unref()`,
      ['--max-iterations', '1'],
    )
    const { code, stdout } = await ran
    expect(code).toBe(2)
    // The sandbox ended it, so exitgate had nothing to stop.
    expect(stdout).not.toContain('it left running')
    project.write('go', '')
    await new Promise((resolve) => setTimeout(resolve, 400))
    expect(existsSync(join(project.dir, 'first.txt'))).toBe(false)
  })

  it('tests cannot read the login, the journal or the supervisor, and leave no process', async () => {
    const project = runProject({
      'halves.sh': `cat "$HOME/.claude/credentials.json" "$HOME"/state/*/journal.jsonl > leak.txt 2>/dev/null
cat /proc/*/environ 2>/dev/null | tr '\\0' '\\n' | grep -c SUPERVISOR_TOKEN > environ.txt
(setsid sh -c '${UNTIL_GO}; echo x > late.txt' >/dev/null 2>&1 &)
echo 1..1; if grep -q done first.txt 2>/dev/null; then echo ok 1 - first; else echo not ok 1 - first; exit 1; fi
`,
    })
    mkdirSync(join(project.root, '.claude'))
    writeFileSync(join(project.root, '.claude/credentials.json'), 'login')
    const argv = project.agent(`${WORK}writeFileSync('first.txt', 'done')\n${NODE_CLAIM}`, 'agent.mjs')
    const env = { ...ON, SUPERVISOR_TOKEN: 'not-for-tests', EXITGATE_COMMANDS_TEST: 'sh halves.sh' }
    const { code, stdout } = await project.run(['run', '--max-iterations', '1', '--', ...argv], env)
    expect(code, stdout).toBe(0)
    expect([project.text('leak.txt'), project.text('environ.txt').trim()]).toEqual(['', '0'])
    project.write('go', '')
    await new Promise((resolve) => setTimeout(resolve, 400))
    expect(existsSync(join(project.dir, 'late.txt'))).toBe(false)
  })

  it('kill -9 of exitgate leaves no process of the agent', async () => {
    const project = runProject()
    const argv = project.agent(
      `${WORK}writeFileSync('started', ''); setInterval(() => existsSync('go') && writeFileSync('late', ''), 50)`,
      'agent.mjs',
    )
    const { child, done } = await project.start(['run', '--', ...argv], ON)
    await expect.poll(() => existsSync(join(project.dir, 'started'))).toBe(true)
    child.kill('SIGKILL')
    await done
    await expect.poll(() => processesOf(project.root)).toEqual([])
    project.write('go', '')
    await new Promise((resolve) => setTimeout(resolve, 200))
    expect(existsSync(join(project.dir, 'late'))).toBe(false)
  })
})

describe('without a sandbox', () => {
  it('a run that requires one does not start', async () => {
    const project = runProject()
    const { code, stderr } = await project.run(['run', '--', 'true'], { EXITGATE_SANDBOX: 'docker' })
    expect(code).toBe(64)
    expect(stderr).toContain('--sandbox docker: no image was named. Pass --image NAME, or set sandbox.image.')
  })

  it('SIGUSR1 opens no debugger', async () => {
    const project = runProject()
    const argv = project.agent(
      `import { writeFileSync } from 'node:fs'\nprocess.kill(process.ppid, 'SIGUSR1')\nsetTimeout(() => { writeFileSync('first.txt', 'done'); writeFileSync('second.txt', 'done'); ${NODE_CLAIM} }, 200)`,
      'agent.mjs',
    )
    const { code, stderr } = await project.run(['run', '--', ...argv])
    expect(stderr).not.toContain('Debugger')
    expect(code).toBe(0)
    expect(readFileSync(join(project.dir, 'first.txt'), 'utf8')).toBe('done')
  })
})

/** Runs the command of `docker run` on this machine, and notes which containers exitgate removes. */
const DOCKER = `#!/bin/sh
case $1 in
run)
  while [ "$1" != --name ]; do shift; done
  echo "run $2" >> "$NOTES"
  until [ "$1" = the-image ]; do shift; done
  shift
  exec "$@" ;;
rm) echo "rm $3" >> "$NOTES" ;;
esac
`

describe('a run in a container', () => {
  it('removes the container when it has to end at once', { timeout: patience(60_000) }, async () => {
    const project = runProject()
    const [bin, notes] = [join(project.root, 'bin'), join(project.root, 'notes')]
    mkdirSync(bin)
    writeFileSync(join(bin, 'docker'), DOCKER, { mode: 0o755 })
    const agent = project.agent('touch begun; while :; do sleep 1; done')
    const args = ['run', '--plain', '--sandbox', 'docker', '--image', 'the-image', '--', ...agent]
    const env = { PATH: `${bin}:${project.env.PATH}`, NOTES: notes, EXITGATE_SANDBOX: '' }
    const { child, done } = await project.start(args, env)
    await expect.poll(() => existsSync(join(project.dir, 'begun'))).toBe(true)
    const press = setInterval(() => child.kill('SIGINT'), 100)
    const { code, stdout, stderr } = await done
    clearInterval(press)
    expect(code, stdout + stderr).toBe(130)
    const of = (what: string) => readFileSync(notes, 'utf8').match(new RegExp(`(?<=^${what} ).*`, 'gm')) ?? []
    expect(of('run').length).toBeGreaterThan(0)
    expect(of('rm').sort()).toEqual(of('run').sort())
  })
})
