import { cpSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { LAUNCHERS } from '../../src/agents/launch/index.ts'
import { agentNeeds } from '../../src/loop/sandbox.ts'
import { runCommand } from '../../src/system/run-command.ts'
import { chooseSandbox } from '../../src/system/sandbox/choose.ts'
import type { SandboxSetup } from '../../src/system/sandbox/enter.ts'
import { program } from '../e2e/program.ts'
import { NODE_CLAIM, runProject } from '../e2e/run-project.ts'
import { root } from '../source-tree.ts'

const chosen = chooseSandbox({ mode: 'auto', env: process.env })
const missing = chosen.sandbox === undefined ? chosen.why : undefined
const temporary = realpathSync(mkdtempSync(join(tmpdir(), 'exitgate-writable-')))
const belowTmp = mkdtempSync('/tmp/exitgate-writable-')
/** Where many systems keep it for a user that is logged in. Others may not write there. */
const inRun = join(process.getuid?.() === 0 ? '/run' : '/var/tmp', `exitgate-writable-${process.pid}`)
afterAll(() => {
  for (const folder of [temporary, belowTmp, inRun]) rmSync(folder, { recursive: true, force: true })
})

const AGENT = `#!/bin/sh
part="$(dirname "$0")/part.sh"
if [ -e "$part" ]; then . "$part"; fi
for f in top.txt packages/api/api.txt scripts/new.txt .git/x; do echo x > "$TOP/$f" || exit 3; done
f=$(mktemp) && echo x > "$f" && echo x > ~/left && echo "wrote everything$WITH"
`

/** A user's machine with one repository, and an agent in every place where people keep theirs. */
function machine() {
  const top = mkdtempSync(join(temporary, 'm'))
  const [home, state] = [join(top, 'home'), join(top, 'state/exitgate/work')]
  const repo = join(home, 'work/repo')
  for (const folder of ['packages/api', 'packages/inner', 'scripts', '.git', 'node_modules/.bin', '.venv/bin', 'tmp'])
    mkdirSync(join(repo, folder), { recursive: true })
  mkdirSync(state, { recursive: true })
  const places = [
    join(repo, 'scripts'),
    join(repo, '.venv/bin'),
    join(home, 'agents'),
    join(top, 'tmp'),
    home,
    dirname(repo),
  ]
  for (const folder of places) {
    mkdirSync(folder, { recursive: true })
    writeFileSync(join(folder, 'agent.sh'), AGENT, { mode: 0o755 })
  }
  writeFileSync(join(home, 'agents/part.sh'), 'WITH=" with its part"\n')
  writeFileSync(join(home, 'secret'), 'secret')
  symlinkSync(repo, join(home, 'link'))
  symlinkSync('../../scripts/agent.sh', join(repo, 'node_modules/.bin/agent'))
  return { top, home, state, repo }
}

type Machine = ReturnType<typeof machine>

async function start(
  { home, state, repo }: Machine,
  argv: readonly string[],
  { below = '', env: more = {} }: { readonly below?: string; readonly env?: Readonly<Record<string, string>> } = {},
) {
  if (chosen.sandbox === undefined) throw new Error('no sandbox')
  const workspace = join(repo, below)
  const env = { PATH: process.env.PATH ?? '', HOME: home, TOP: repo, ...more }
  const setup: SandboxSetup = {
    ...{ sandbox: chosen.sandbox, workspace, hidden: [dirname(state)], read: [], write: [], network: 'all' },
  }
  const needs = agentNeeds(setup, {
    argv,
    env,
    stateDir: state,
    inbox: join(state, 'inbox'),
    promptFile: join(state, 'p'),
  })
  const { output, problem } = await runCommand(workspace, argv, { deadlineMs: 60_000, env, sandbox: { setup, needs } })
  return output.trim() || problem
}

interface Row {
  readonly argv: (m: Machine) => readonly string[]
  readonly below?: string
  readonly env?: (m: Machine) => Readonly<Record<string, string>>
  readonly says?: string
}

const agent = ({ home }: Machine) => join(home, 'agents/agent.sh')
const WITH_PART = 'wrote everything with its part'
const ROWS: Readonly<Record<string, Row>> = {
  'it runs in a subfolder': { argv: (m) => [agent(m)], below: 'packages/api', says: WITH_PART },
  'it is a script of the project': { argv: () => ['./scripts/agent.sh'] },
  'it is a script of the project, in a subfolder': { argv: () => ['../../scripts/agent.sh'], below: 'packages/api' },
  'it is a program in node_modules': { argv: () => ['node_modules/.bin/agent'] },
  'a shell runs a script of the project': { argv: () => ['sh', 'scripts/agent.sh'] },
  'an argument names the project': { argv: (m) => [agent(m), m.repo], says: WITH_PART },
  'an argument names folders of the project': {
    ...{
      argv: (m) => [agent(m), join(m.repo, 'scripts/'), `--add=${m.repo}/packages`, 'packages/api'],
      says: WITH_PART,
    },
  },
  'an argument leads to the project through a link': {
    ...{ argv: (m) => [agent(m), join(m.home, 'link/scripts')], says: WITH_PART },
  },
  'an argument names the folder around the project': {
    ...{ argv: (m) => [agent(m), dirname(m.repo), '..'], says: WITH_PART },
  },
  'an argument names the home, a temporary folder or the whole machine': {
    ...{ argv: (m) => [agent(m), m.home, '/tmp', tmpdir(), '/', '/dev', '/dev/stdin', '/proc'], says: WITH_PART },
  },
  'PATH has folders of the project': {
    argv: () => ['agent.sh'],
    env: ({ repo }) => ({ PATH: `${repo}/scripts:${repo}/node_modules/.bin:${repo}/.venv/bin:${process.env.PATH}` }),
  },
  'its script is outside the project': { argv: () => ['sh', '../../agents/agent.sh'], says: WITH_PART },
  'its program is outside the project': { argv: () => ['../../agents/agent.sh'], says: WITH_PART },
  'its script is next to the project': { argv: () => ['sh', '../agent.sh'] },
  'its program is in the home': { argv: ({ home }) => [join(home, 'agent.sh')] },
  'its script is in the home': { argv: ({ home }) => ['sh', join(home, 'agent.sh')] },
  'its program is in a temporary folder': {
    argv: ({ top }) => [join(top, 'tmp/agent.sh')],
    env: ({ top }) => ({ TMPDIR: join(top, 'tmp') }),
  },
  'a script for a shell names it': { argv: () => ['sh', '-c', 'true && ../../agents/agent.sh'] },
  'a script for a shell names it in the home': { argv: () => ['bash', '-euc', 'sh "$HOME/agent.sh"; true'] },
  'a script for a shell names it with ~': { argv: () => ['sh', '-c', 'sh ~/agent.sh'] },
  'the temporary folder is in another one': {
    argv: (m) => [agent(m)],
    env: () => ({ TMPDIR: belowTmp }),
    says: WITH_PART,
  },
  'the temporary folder is two levels below another one': {
    ...{ argv: (m) => [agent(m)], env: () => ({ TMPDIR: join(belowTmp, 'user/0') }), says: WITH_PART },
  },
  'the temporary folder is in the home': {
    ...{ argv: (m) => [agent(m)], env: ({ home }) => ({ TMPDIR: join(home, 'my tmp') }), says: WITH_PART },
  },
  'the temporary folder is a link': {
    argv: (m) => [agent(m)],
    env: ({ top }) => {
      symlinkSync(belowTmp, join(top, 'linked'))
      return { TMPDIR: join(top, 'linked') }
    },
    says: WITH_PART,
  },
  'the temporary folder is in /run': {
    ...{ argv: (m) => [agent(m)], env: () => ({ TMPDIR: inRun }), says: WITH_PART },
  },
  'the temporary folder is in the project': {
    ...{ argv: (m) => [agent(m)], env: ({ repo }) => ({ TMPDIR: join(repo, 'tmp') }), says: WITH_PART },
  },
}

describe.skipIf(missing !== undefined)(
  `an agent in the sandbox can write the whole repository${missing === undefined ? '' : ` (${missing})`}`,
  () => {
    it.each(Object.entries(ROWS))('%s', async (_, { argv, below = '', env, says = 'wrote everything' }) => {
      const place = machine()
      const more = env?.(place) ?? {}
      if (more.TMPDIR) mkdirSync(more.TMPDIR, { recursive: true })
      expect(await start(place, argv(place), { below, env: more })).toBe(says)
      for (const file of ['top.txt', 'packages/api/api.txt', 'scripts/new.txt'])
        expect(readFileSync(join(place.repo, file), 'utf8')).toBe('x\n')
    })

    it("what it does not name stays hidden, and so does what it names in exitgate's own folder", async () => {
      const place = machine()
      const journal = join(place.state, 'journal.jsonl')
      writeFileSync(journal, 'journal')
      expect(await start(place, ['sh', '-c', `cat ${journal} 2>/dev/null || echo hidden`])).toBe('hidden')
      expect(await start(place, ['sh', '-c', 'cat "$1" 2>/dev/null || echo hidden', 'sh', journal])).toBe('hidden')
      expect(await start(place, ['sh', '-c', 'cat ~/secret 2>/dev/null || echo hidden; cat ~/sec*'])).toBe(
        'secretsecret',
      )
    })

    it.each(LAUNCHERS)('$name, in a subfolder, with its login', async ({ programs: [name = ''], login, launch }) => {
      const place = machine()
      for (const folder of login.folders) mkdirSync(join(place.home, folder), { recursive: true })
      cpSync(join(place.home, 'agents/agent.sh'), join(place.home, 'agents', name))
      const { args } = launch({ prompt: 'Work.', args: ['--add-dir', place.repo] })
      const env = { PATH: `${place.home}/agents:${process.env.PATH}` }
      expect(await start(place, [name, ...args], { below: 'packages/api', env })).toBe(WITH_PART)
    })
  },
)

const WORK = `import { appendFileSync, writeFileSync } from 'node:fs'
for (const file of ['first.txt', 'second.txt', '../../top.txt']) writeFileSync(file, 'done')
`

/** The small project of the run tests, in a folder of a repository. */
function inSubfolder(work = WORK) {
  const project = runProject()
  for (const file of ['halves.sh', 'PROMPT.md']) project.write(`packages/api/${file}`, project.text(file))
  project.git('add', '-A')
  project.git('commit', '-qm', 'packages')
  return { project, agent: project.agent(`${work}${NODE_CLAIM}`, 'agent.mjs') }
}

describe.skipIf(missing !== undefined)(`a run in a subfolder${missing === undefined ? '' : ` (${missing})`}`, () => {
  const ON = { EXITGATE_SANDBOX: 'required' }

  it('is verified', async () => {
    const { project, agent: argv } = inSubfolder()
    const ran = await project.run(['run', '--dir', 'packages/api', '--max-iterations', '1', '--', ...argv], ON)
    expect(ran.code, ran.stdout + ran.stderr).toBe(0)
    expect(project.text('top.txt')).toBe('done')
  })

  it('is verified with a task list, each task in its own worktree', async () => {
    const { project, agent: argv } = inSubfolder()
    const tasks = project.write('../tasks.json', '{"tasks":[{"id":"one","prompt":"a"},{"id":"two","prompt":"b"}]}')
    const args = ['run', '--dir', 'packages/api', '--max-iterations', '1', '--tasks', tasks, '--parallel', '2']
    const ran = await project.run([...args, '--', ...argv], ON)
    expect(ran.code, ran.stdout + ran.stderr).toBe(0)
    for (const task of ['one', 'two']) expect(project.git('show', `exitgate/${task}:top.txt`)).toBe('done')
  })

  it('cannot change an exitgate that is installed in the project', async () => {
    const { project, agent: argv } = inSubfolder(
      `${WORK}try { appendFileSync('../../node_modules/exitgate/dist/cli/cli.cjs', 'x') } catch (error) { writeFileSync('seen.txt', error.code) }\n`,
    )
    await program()
    const installed = join(project.dir, 'node_modules/exitgate')
    for (const part of ['dist/cli', 'package.json'])
      cpSync(join(root, part), join(installed, part), { recursive: true })
    symlinkSync(join(root, 'node_modules'), join(installed, 'node_modules'))
    project.write('.gitignore', 'node_modules\n')
    const args = ['run', '--dir', 'packages/api', '--max-iterations', '1', '--', ...argv]
    const ran = await project.run(args, ON, join(installed, 'dist/cli/cli.cjs'))
    expect(project.text('packages/api/seen.txt'), ran.stdout + ran.stderr).toBe('EROFS')
    expect(project.text('top.txt')).toBe('done')
  })
})
