// A repository, an agent that finishes at once, and workers of the built program on a separate database.
import { spawn, spawnSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

const cli = fileURLToPath(new URL('../../dist/cli/cli.cjs', import.meta.url))

const AGENT = `echo done > done.txt
printf 'All done.\\n\\nEXIT_STATUS: COMPLETE\\nEXIT_REASON: done\\nREMAINING_WORK: none\\n'
`
const TEST = `[ -f slow ] && sleep 3
if [ -f done.txt ]; then printf 'TAP version 13\\n1..1\\nok 1 - works\\n'
else printf 'TAP version 13\\n1..1\\nnot ok 1 - works\\n'; exit 1; fi
`

/** `agents` are scripts by name of further agents; each then does what the usual one does. */
export function makePlace(root, url, { agentSeconds = 0, agents: more = {} } = {}) {
  const [seed, remote, home] = ['seed', 'remote.git', 'home'].map((name) => join(root, name))
  for (const dir of [seed, home]) mkdirSync(dir)
  const env = {
    PATH: process.env.PATH,
    HOME: home,
    EXITGATE_SANDBOX: 'off',
    TMPDIR: root,
    LANG: 'C.UTF-8',
    EXITGATE_FLEET_DB: url,
  }
  const git = (cwd, ...args) => {
    const by = ['-c', 'user.name=bench', '-c', 'user.email=bench@localhost']
    const { status, stderr } = spawnSync('git', [...by, ...args], { cwd, env, encoding: 'utf8' })
    if (status !== 0) throw new Error(`git ${args.join(' ')} exited with ${status}: ${stderr}`)
  }
  writeFileSync(join(seed, 'exitgate.config.json'), JSON.stringify({ commands: { test: 'sh test.sh' } }))
  writeFileSync(join(seed, 'test.sh'), TEST)
  git(seed, 'init', '-q', '-b', 'main')
  git(seed, 'add', '.')
  git(seed, 'commit', '-qm', 'start')
  git(root, 'clone', '-q', '--bare', seed, remote)
  writeFileSync(join(root, 'agent.sh'), `${agentSeconds > 0 ? `sleep ${agentSeconds}\n` : ''}${AGENT}`)
  const agents = { instant: ['/bin/sh', join(root, 'agent.sh')] }
  for (const [name, script] of Object.entries(more)) {
    writeFileSync(join(root, `${name}.sh`), `${script}\n${AGENT}`)
    agents[name] = ['/bin/sh', join(root, `${name}.sh`)]
  }
  writeFileSync(join(root, 'worker.yaml'), JSON.stringify({ queues: { bench: { agent: 'instant' } }, agents }))
  return { root, remote, env, url }
}

export const tasksOf = ({ remote }, n) =>
  Array.from({ length: n }, (_, i) => ({ id: `t${i}`, prompt: 'Do it.', repository: remote }))

/** Runs one fleet command to its end. */
export function call({ root, env }, ...args) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [cli, 'fleet', ...args], {
    cwd: root,
    env,
    encoding: 'utf8',
  })
  if (status !== 0) throw new Error(`exitgate fleet ${args[0]} exited with ${status}: ${stderr}`)
  return stdout
}

/** A worker with its own folder. Its events go to `onEvent` with the time they arrived. */
export function startWorker({ root, env }, n, { concurrency, onEvent, lease = 5 }) {
  const folder = join(root, `machine-${n}`)
  const args = ['fleet', 'worker', '--queue', 'bench', '--json', '--config', 'worker.yaml', '--lease', String(lease)]
  const child = spawn(process.execPath, [cli, ...args, '--folder', folder, '--concurrency', String(concurrency)], {
    cwd: root,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  child.stderr.on('data', (chunk) => {
    output = `${output}${chunk}`.slice(-2000)
  })
  createInterface({ input: child.stdout }).on('line', (line) => onEvent(JSON.parse(line), performance.now()))
  endWithUs(child)
  const exited = new Promise((resolve) => child.once('close', resolve))
  return { child, exited, output: () => output }
}

const children = new Set()

/** Workers wait for their database forever, so they must end when a bench is interrupted. */
function endWithUs(child) {
  if (children.size === 0) {
    process.once('exit', () => {
      for (const each of children) each.kill('SIGKILL')
    })
    for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(1))
  }
  children.add(child)
}
