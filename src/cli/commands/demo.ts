import { spawn } from 'node:child_process'
import { cpSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Step } from '../../policy/step.ts'
import { painter } from '../../reports/verdict-text.ts'
import type { Verdict } from '../../types.ts'
import { decideOnce } from '../decide-once.ts'
import { exitCode } from '../exit-codes.ts'
import type { Io } from '../io.ts'
import { parse } from '../parse.ts'
import { usesColor } from '../terminal.ts'

const OPTIONS = { keep: { type: 'boolean' }, json: { type: 'boolean' }, 'no-color': { type: 'boolean' } } as const
type Values = { readonly keep?: boolean; readonly json?: boolean; readonly 'no-color'?: boolean }

/** `exitgate demo`: a scripted agent on a real project with real tests, decided by the same code as everything else. */
export async function run(args: readonly string[], io: Io): Promise<number> {
  const { values } = parse<Values>('demo', args, OPTIONS)
  const folder = mkdtempSync(join(tmpdir(), 'exitgate-demo-'))
  const workspace = join(folder, 'project')
  const say = teller(values, io)
  try {
    cpSync(realpathSync(sampleFolder()), workspace, { recursive: true })
    await startRepository(workspace)
    say(`A small project was copied to ${workspace}; a scripted agent works on it until both keys turn.`)
    const verdict = await loop(folder, workspace, values, io, say)
    say(closing(verdict))
    return exitCode(verdict)
  } finally {
    if (values.keep) say(`The folder is kept: ${folder}`)
    else rmSync(folder, { recursive: true, force: true })
  }
}

async function loop(
  folder: string,
  workspace: string,
  values: Values,
  io: Io,
  say: (text: string) => void,
): Promise<Verdict> {
  const transcript = join(folder, 'transcript.txt')
  const call = {
    transcript,
    dir: workspace,
    'state-dir': join(folder, 'state'),
    plan: 'PLAN.md',
    ...(values.json ? { json: true } : {}),
    ...(values['no-color'] ? { 'no-color': true } : {}),
  }
  say('\nBefore the first iteration the tests run once: that is the baseline.')
  await decideOnce(call, io, { code: () => 0, onlyBegins: () => true })
  for (let iteration = 1; ; iteration++) {
    say(`\nIteration ${iteration}: the agent works, then exitgate looks for itself.`)
    const output = await inFolder(workspace, process.execPath, ['agent.js'], { EXITGATE_ITERATION: String(iteration) })
    writeFileSync(transcript, output)
    for (const line of output.trim().split('\n')) say(`  | ${line}`)
    let verdict: Verdict | undefined
    const code = (step: Step): number => {
      verdict = step.verdict
      return exitCode(step.verdict)
    }
    await decideOnce(call, io, { code, onlyBegins: () => false })
    if (verdict?.action === 'stop') return verdict
  }
}

/** With a first commit, so that the demo looks like a project; without git it works all the same. */
async function startRepository(workspace: string): Promise<void> {
  await inFolder(workspace, 'git', ['init', '-q'])
  await inFolder(workspace, 'git', ['add', '-A'])
  await inFolder(workspace, 'git', [
    '-c',
    'user.name=demo',
    '-c',
    'user.email=demo@localhost',
    'commit',
    '-qm',
    'start',
  ])
}

function closing(verdict: Verdict): string {
  if (verdict.action !== 'stop' || verdict.outcome !== 'completed')
    return `\nThe run ended without completion: ${verdict.reason}`
  return '\nTwo claims were refused: first tests failed, then one was skipped. Only claim and proof in the same iteration ended the run.'
}

const teller = (values: Values, io: Io) => {
  const paint = painter({ color: usesColor(io.stderr, io.env, values['no-color']) })
  return (text: string): void => {
    io.stderr.write(`${text.startsWith('  |') ? paint(text, 'dim') : text}\n`)
  }
}

/** The sample lies in the root of the package, two folders above the program and three above its sources. */
function sampleFolder(): string {
  return fileURLToPath(new URL(import.meta.url.endsWith('.ts') ? '../../../sample' : '../../sample', import.meta.url))
}

/** Run a program in the folder. One that cannot be started is no reason to stop: git may be missing. */
function inFolder(
  cwd: string,
  program: string,
  args: readonly string[],
  env: Record<string, string> = {},
): Promise<string> {
  return new Promise((resolve) => {
    const child = spawn(program, args, {
      cwd,
      env: { PATH: process.env.PATH ?? '', HOME: cwd, ...env },
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    let output = ''
    child.stdout.on('data', (chunk: Buffer) => {
      output += chunk
    })
    child.on('error', () => resolve(output))
    child.on('close', () => resolve(output))
  })
}
