import { execFile, execFileSync } from 'node:child_process'
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { onTestFinished } from 'vitest'
import { agentProgram } from '../../scripts/install-agents.mjs'
import { LAUNCHERS } from '../../src/agents/launch/index.ts'
import { program } from '../e2e/program.ts'
import { linesOf } from '../e2e/run-project.ts'
import type { Turn } from './model/turn.ts'
import { agentNamed, openRig, type Rig } from './rig.ts'
import { SETUPS } from './setups.ts'

const TEST = `import assert from 'node:assert/strict'
import { test } from 'node:test'
import { boils } from './kettle.js'
test('it boils at 100 degrees', () => assert.equal(boils(100), true))
`

export const KETTLE = {
  'package.json': JSON.stringify({ type: 'module', scripts: { test: 'node --test' } }),
  'kettle.js': 'export const boils = () => false\n',
  'kettle.test.js': TEST,
  'PROMPT.md': 'Repair the kettle until the tests pass.\n',
}

interface Options {
  readonly args?: readonly string[]
  /** Instead of the agent's usual arguments. */
  readonly agentArgs?: readonly string[]
  readonly sandbox?: string
  /** Another project. */
  readonly files?: Readonly<Record<string, string>>
}

/** `exitgate run --json --agent NAME` in a small repository with one failing test, with a real agent and a scripted model. */
export async function realRun(agent: string, turns: readonly Turn[], options: Options = {}) {
  const { args = [], agentArgs = SETUPS[agentNamed(agent)]?.args ?? [], sandbox = 'off', files = KETTLE } = options
  const rig = await openRig(agent, turns)
  onTestFinished(() => rig.close())
  const put = (name: string, text: string): void => writeFileSync(join(rig.workspace, name), text)
  for (const [name, text] of Object.entries(files)) put(name, text)
  // An agent that is driven over ACP asks exitgate for every permission.
  if (LAUNCHERS.find(({ name }) => name === agent)?.format === 'acp')
    put('exitgate.config.json', JSON.stringify({ run: { permissions: 'allow-all' } }))
  const git = (...words: readonly string[]) =>
    execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@localhost', ...words], { cwd: rig.workspace })
  git('init', '-q')
  git('add', '-A')
  git('commit', '-qm', 'start')
  const env = {
    ...rig.env,
    PATH: `${folderOf(agent, rig)}:${dirname(process.execPath)}:${rig.env.PATH}`,
    EXITGATE_STATE_DIR: join(rig.workspace, '..', 'state'),
    EXITGATE_SANDBOX: sandbox,
  }
  const words = ['run', '--json', '--agent', agentNamed(agent), ...args, '--', ...agentArgs]
  const ran = await runProgram([await program(), ...words], rig.workspace, env)
  return { ...ran, rig, lines: linesOf(ran.stdout) }
}

/** A folder in which the agent has its usual name. */
function folderOf(agent: string, { workspace }: Rig): string {
  const program = agentProgram(agent).path as string
  if (basename(program) === agentNamed(agent)) return dirname(program)
  const folder = join(workspace, '..', 'bin')
  mkdirSync(folder)
  symlinkSync(program, join(folder, agentNamed(agent)))
  return folder
}

function runProgram(args: readonly string[], cwd: string, env: Readonly<Record<string, string>>) {
  return new Promise<{ code: number; stdout: string; stderr: string }>((resolve) => {
    execFile(process.execPath, [...args], { cwd, env, maxBuffer: 64 * 1024 * 1024 }, (error, stdout, stderr) =>
      resolve({ code: typeof error?.code === 'number' ? error.code : error === null ? 0 : -1, stdout, stderr }),
    )
  })
}
