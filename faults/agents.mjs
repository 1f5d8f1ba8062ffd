// Agents that damage their workspace or outlive their supervisor, and invalid prompts.
import { spawn, spawnSync } from 'node:child_process'
import { chmodSync, cpSync, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { makeProject, PROGRAM } from './project.mjs'

const CLAIM = 'printf "Done.\\n\\nEXIT_STATUS: COMPLETE\\nEXIT_REASON: done\\nREMAINING_WORK: none\\n"'
const ITERATIONS = 3

/**
 * Runs a shell agent for at most three iterations, then checks the ending, the message, the journal, and that there is no stack
 * trace.
 */
const agent = (name, script, { ending, said = /(?:)/, code = 2, iterations = ITERATIONS }) => ({
  name,
  async run({ dir }) {
    const project = makeProject(dir)
    const ran = await project.run(['run', '--plain', '--max-iterations', String(ITERATIONS), '--', 'sh', '-c', script])
    return checkRun(project, ran, { ending, said, code, iterations })
  },
})

function checkRun(project, { code, stdout, stderr }, expected) {
  const text = `${stdout}${stderr}`
  const events = project.events()
  const end = events.findLast(({ type }) => type === 'run.ended')
  const ending = end === undefined ? 'none' : `${end.outcome}/${end.ending}`
  const decided = events.filter(({ type }) => type === 'iteration.decided').length
  const verified = spawnSync(
    process.execPath,
    [PROGRAM, 'state', '--verify', '--dir', project.root, '--state-dir', project.journalDir()],
    {
      env: project.env,
    },
  )
  const why = [
    code !== expected.code && `exit code ${code}, expected ${expected.code}`,
    ending !== expected.ending && `it ended as ${ending}, expected ${expected.ending}`,
    decided > expected.iterations && `${decided} iterations, expected at most ${expected.iterations}`,
    !expected.said.test(text.replace(/\s+/g, ' ')) && `the output does not match ${expected.said}`,
    /^ {4}at |internal error/m.test(text) && 'a stack trace or internal error',
    verified.status === 70 && 'the journal is damaged',
  ].filter(Boolean)
  return {
    ok: why.length === 0,
    detail: why.length === 0 ? `${ending} after ${decided}` : `${why.join('; ')}\n${text}`,
  }
}

const refused = (name, make, said, args = []) => ({
  name,
  async run({ dir }) {
    const project = makeProject(dir)
    make(project.dir)
    const { code, stdout, stderr } = await project.run(['run', '--plain', ...args, '--', 'sh', '-c', 'touch ../ran'])
    const ok = code === 64 && said.test(stderr) && !existsSync(join(dir, 'ran'))
    return { ok, detail: `exit code ${code}: ${stderr.trim()}${stdout}` }
  },
})

const replaceWith = (name, put) => (dir) => {
  rmSync(join(dir, name), { force: true })
  put(join(dir, name))
}

export const rows = [
  agent('deletes the workspace', 'cd /; rm -rf "$OLDPWD"', {
    ...{ ending: 'aborted/fatal', iterations: 1, said: /The workspace folder is gone/ },
  }),
  agent('moves the workspace and leaves a link', 'w=$PWD; cd /; mv "$w" "$w.moved"; ln -s "$w.moved" "$w"', {
    ...{ ending: 'aborted/fatal', iterations: 1, said: /was replaced with a link/ },
  }),
  agent('replaces the workspace with a file', 'w=$PWD; cd /; rm -rf "$w"; : > "$w"', {
    ...{ ending: 'aborted/fatal', iterations: 1, said: /was replaced with something that is not a folder/ },
  }),
  agent('deletes .git and claims completion', `touch fixed; rm -rf .git; ${CLAIM}`, {
    ...{ ending: 'aborted/iterations', said: /The git repository is gone or unreadable since the start/ },
  }),
  agent('deletes the tests and claims completion', `rm -f check.sh; ${CLAIM}`, {
    ...{ ending: 'stuck/hollow-claims', code: 1, said: /check\.sh/ },
  }),
  agent('creates 20,000 empty files', 'mkdir -p many && cd many && seq 1 20000 | xargs touch; exit 1', {
    // The first iteration changes files, so the run is not stuck yet.
    ...{ ending: 'aborted/iterations' },
  }),
  {
    name: 'deletes a test whose name is not UTF-8, and claims completion',
    async run({ dir }) {
      const project = makeProject(dir)
      const name = Buffer.concat([Buffer.from(`${project.dir}/caf`), Buffer.from([0xe9]), Buffer.from('.test.js')])
      try {
        writeFileSync(name, "test('adds', () => expect(1 + 1).toBe(2))\n")
      } catch {
        return { ok: true, skipped: 'the disk refuses names that are not UTF-8' }
      }
      project.git('add', '-A')
      project.git('commit', '-qm', 'more')
      const script = `rm -f caf*.test.js; touch fixed; ${CLAIM}`
      const ran = await project.run(['run', '--plain', '--max-iterations', '3', '--', 'sh', '-c', script])
      const expected = {
        ending: 'aborted/needs-human',
        code: 2,
        iterations: ITERATIONS,
        said: /This test file was deleted/,
      }
      return checkRun(project, ran, expected)
    },
  },
  {
    name: 'makes the workspace read-only',
    async run({ dir }) {
      const project = makeProject(dir)
      const args = ['run', '--plain', '--max-iterations', String(ITERATIONS), '--', 'sh', '-c', 'chmod -R a-w .']
      const ran = asOther(dir, project, args)
      if (ran.skipped !== undefined) return ran
      spawnSync('chmod', ['-R', 'u+w', dir])
      const expected = {
        ending: 'stuck/breaker',
        code: 1,
        iterations: ITERATIONS,
        said: /was not written: EACCES/,
      }
      return checkRun(project, ran, expected)
    },
  },
  {
    name: 'outlives a killed supervisor: the next run ends it and reports it once',
    async run({ dir }) {
      const project = makeProject(dir)
      const script = 'setsid sleep 600 & sleep 601 & : > ../working; wait'
      const { child, done } = project.start(['run', '--plain', '--', 'sh', '-c', script])
      while (!existsSync(join(dir, 'working'))) await sleep(20)
      // A process with the same arguments that doesn't belong to the run.
      const other = spawn('sleep', ['602'], { env: { PATH: project.env.PATH }, stdio: 'ignore' })
      await sleep(200)
      child.kill('SIGKILL')
      await done
      const next = ['run', '--plain', '--max-iterations', '1', '--', 'sh', '-c', 'true']
      const [first, second] = [await project.run(next), await project.run(next)]
      const said = (text) => text.match(/left over from the previous run/g)?.length ?? 0
      const left = processesWith(dir)
      const alive = other.exitCode === null && other.signalCode === null
      other.kill()
      const counts = [said(first.stdout), said(second.stdout)].join(', ')
      return {
        ok: counts === '1, 0' && left === 0 && alive,
        detail: `reported ${counts} times; ${left} processes left; the other process ${alive ? 'is alive' : 'was ended'}`,
      }
    },
  },
  refused(
    'PROMPT.md is a folder',
    replaceWith('PROMPT.md', (path) => mkdirSync(path)),
    /PROMPT\.md is a folder/,
  ),
  {
    name: 'PROMPT.md is not readable',
    async run({ dir }) {
      const project = makeProject(dir)
      chmodSync(join(project.dir, 'PROMPT.md'), 0)
      const ran = asOther(dir, project, ['run', '--plain', '--', 'sh', '-c', 'touch ../ran'])
      if (ran.skipped !== undefined) return ran
      const ok = ran.code === 64 && /PROMPT\.md/.test(ran.stderr) && !existsSync(join(dir, 'ran'))
      return { ok, detail: `exit code ${ran.code}: ${ran.stderr.trim()}${ran.stdout}` }
    },
  },
  refused(
    'PROMPT.md is empty',
    replaceWith('PROMPT.md', (path) => writeFileSync(path, '\n')),
    /PROMPT\.md is empty/,
  ),
  refused(
    'PROMPT.md is binary',
    replaceWith('PROMPT.md', (path) => cpSync(process.execPath, path)),
    /PROMPT\.md (?:is not text|has [\d.]+ MB)/,
  ),
  refused(
    'PROMPT.md has 5 MB',
    replaceWith('PROMPT.md', (path) => writeFileSync(path, 'x'.repeat(5 * 1024 * 1024))),
    /PROMPT\.md has 5\.0 MB/,
  ),
  refused('the plan is a folder without tasks', (dir) => mkdirSync(join(dir, 'todo')), /no Markdown file/, [
    '--plan',
    'todo',
  ]),
]

/** Runs the program as a user who owns the project and nothing else. */
function asOther(dir, project, args) {
  if (process.getuid?.() !== 0 || spawnSync('setpriv', ['--version']).status !== 0)
    return { ok: true, skipped: 'needs root and setpriv to become another user' }
  const otherUser = '65534'
  chmodSync(dir, 0o755)
  if (spawnSync('chown', ['-R', `${otherUser}:${otherUser}`, dir]).status !== 0)
    return { ok: true, skipped: "the files can't be given to another user" }
  const become = ['--reuid', otherUser, '--regid', otherUser, '--clear-groups', process.execPath, PROGRAM]
  const { status, stdout, stderr } = spawnSync('setpriv', [...become, ...args], {
    ...{ cwd: project.dir, env: project.env, encoding: 'utf8', timeout: 50_000 },
  })
  return { code: status, stdout, stderr }
}

/** Processes with the HOME of the row. */
function processesWith(home) {
  if (!existsSync('/proc/self/environ')) return 0
  const { stdout } = spawnSync('sh', ['-c', `grep -lz "^HOME=${home}$" /proc/[0-9]*/environ 2>/dev/null`], {
    encoding: 'utf8',
  })
  return stdout.split('\n').filter(Boolean).length
}
