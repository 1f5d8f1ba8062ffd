import { spawn, spawnSync } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it, onTestFinished } from 'vitest'
import { agentProgram } from '../../scripts/install-agents.mjs'
import { listHooks } from '../../src/cli/doctor/ask-codex.ts'
import { refusalLimits } from '../../src/hooks/attempts.ts'
import { HOOK_CLIENTS } from '../../src/hooks/index.ts'
import { project } from '../cli/run-cli.ts'
import { program } from '../e2e/program.ts'
import { root } from '../source-tree.ts'
import { patience } from '../timing.ts'
import { CLAIM, hookProject, LIE, STOPS } from './hook-project.ts'

const hosts = HOOK_CLIENTS.map(({ name }) => name)
/** Kimi Code reads hooks only from the home folder. */
const withProjectHooks = hosts.filter((host) => host !== 'kimi')
const bin = mkdtempSync(join(tmpdir(), 'exitgate-bin-'))
afterAll(() => rmSync(bin, { recursive: true, force: true }))
/** A PATH with only `exitgate`, which prints its arguments and exits as told. */
writeFileSync(join(bin, 'exitgate'), '#!/bin/sh\necho "$@"\nexit $CODE\n')
chmodSync(join(bin, 'exitgate'), 0o755)

/** The command line in the configuration of a project. */
async function lineOf(host: string, PATH: string): Promise<string> {
  const p = project()
  await p.run(['hook', 'install', host], { PATH })
  const { hooks } = (await p.run(['hook', 'status', host, '--json'])).json as { hooks: { command?: string }[] }
  return hooks[0]?.command ?? ''
}

const inShell = (line: string, env: Record<string, string>) => {
  const ran = spawnSync('/bin/sh', ['-c', line], { input: '{}', env, encoding: 'utf8' })
  return [ran.status, ran.stdout, ran.stderr]
}

/** These call exitgate from a plugin, which takes no answer for a yes. */
const plugins = ['opencode', 'pi']

describe('the command in a shared project', () => {
  it.each(withProjectHooks.filter((host) => !plugins.includes(host)))(
    '%s: does nothing without exitgate',
    async (host) => {
      const byName = await lineOf(host, bin)
      expect(inShell(byName, { PATH: '/usr/bin:/bin' })).toEqual([0, '', ''])
      const more = host === 'cursor' ? ' --max-refusals 19' : ''
      expect(inShell(byName, { PATH: `${bin}:/usr/bin:/bin`, CODE: '0' })).toEqual([
        0,
        `hook ${host} --timeout 600${more}\n`,
        '',
      ])
      // Gemini CLI takes every code above 1 for a refusal, and an older exitgate may not know an option.
      const failed = inShell(byName, { PATH: `${bin}:/usr/bin:/bin`, CODE: '64' })
      expect(failed[0]).toBe(host === 'claude' ? 64 : 0)
      const byPath = (await lineOf(host, '')).replace(/\S+cli\.cjs/, '/not/there/cli.cjs')
      expect(inShell(byPath, { PATH: '/usr/bin:/bin' })).toEqual([0, '', ''])
    },
  )
})

describe('folders', () => {
  it.each(withProjectHooks)('%s: those that were already there stay, and so does everything in them', async (host) => {
    const p = project()
    await p.run(['hook', 'install', host])
    const [file] = filesIn(p.dir)
    await p.run(['hook', 'uninstall', host])
    expect(filesIn(p.dir)).toEqual([])
    const folder = join(p.dir, ...(file ?? '').split('/').slice(0, -1))
    mkdirSync(folder, { recursive: true })
    await p.run(['hook', 'install', host])
    await p.run(['hook', 'uninstall', host])
    expect([existsSync(folder), filesIn(p.dir)]).toEqual([true, []])
  })
})

const filesIn = (dir: string): readonly string[] =>
  readdirSync(dir, { recursive: true, withFileTypes: true, encoding: 'utf8' })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(dir.length + 1))

describe('a [hooks] table of Codex', () => {
  const MINE = '{ hooks = [ { type = "command", command = "mine" } ] }'
  const tables: [string, 'hooks.json' | 'config.toml'][] = [
    [`[hooks]\nStop = [ ${MINE} ]\n`, 'hooks.json'],
    [`[hooks]\n"Stop" = [\n  ${MINE},\n]\n[other]\na = 1\n`, 'hooks.json'],
    [`[ hooks ]\n'Stop' = []`, 'hooks.json'],
    [`["hooks"]\nStop = []\n`, 'hooks.json'],
    [`hooks.Stop = [ ${MINE} ]\n`, 'hooks.json'],
    [`hooks = { Stop = [ ${MINE} ] }\n`, 'hooks.json'],
    [`[hooks]\nPreToolUse = [ ${MINE} ]\n`, 'config.toml'],
    [`[hooks]\nPreToolUse = [ ${MINE} ]\n[hooks.state."a.Stop = b"]\ntrusted_hash = "x"\n`, 'config.toml'],
    ['[[hooks.Stop]]\n[[hooks.Stop.hooks]]\ntype = "command"\ncommand = "mine"\n', 'config.toml'],
    ['[hooks.state."k"]\ntrusted_hash = "x"\n', 'hooks.json'],
  ]
  it.for(tables)('%j: the hook is written to %s, and no key twice', async ([before, file], { skip }) => {
    const toml = 'import sys, tomllib; tomllib.loads(sys.stdin.read())'
    const parse = (input: string) => spawnSync('python3', ['-c', toml], { input, encoding: 'utf8' })
    skip(parse('').status !== 0, 'no Python with tomllib, to read TOML')
    const p = project({ '.codex/config.toml': before })
    const done = await p.run(['hook', 'install', 'codex'])
    expect([done.code, done.stdout]).toEqual([0, expect.stringContaining(join('.codex', file))])
    const after = readFileSync(join(p.dir, '.codex/config.toml'), 'utf8')
    expect([parse(before).stderr, parse(after).stderr]).toEqual(['', ''])
    await p.run(['hook', 'uninstall', 'codex'])
    expect(filesIn(p.dir)).toEqual(['.codex/config.toml'])
    expect(readFileSync(join(p.dir, '.codex/config.toml'), 'utf8')).toBe(before)
  })
})

describe("exitgate's own hook in the project", () => {
  const settings = '{\n  "hooks": { "Stop": [{ "hooks": [{ "type": "command", "command": "mine" }] }] }\n}\n'
  const verified = async (p: ReturnType<typeof hookProject>) => {
    const { told, refused } = await p.ask('claude', STOPS.claude!(p.dir, CLAIM))
    const decided = p.events().findLast((event) => event.type === 'iteration.decided')
    const tampering = decided?.type === 'iteration.decided' ? decided.observation.evidence.tampering : undefined
    return { told: refused ?? told, counts: tampering?.counts }
  }

  it.each(withProjectHooks)('%s: is not a finding, installed or removed', async (host) => {
    const p = hookProject({ '.claude/settings.json': settings, '.gemini/settings.json': '{}' })
    await p.run(['hook', 'install', host])
    await p.run(['goal', 'start', 'subtraction works'])
    p.fix()
    expect(await verified(p)).toMatchObject({
      told: expect.stringMatching(/Verified/),
      counts: { blocking: 0, warnings: 0 },
    })
    await p.run(['hook', 'install', host, '--timeout', '30'])
    await p.run(['goal', 'start', 'again'])
    await p.run(['hook', 'uninstall', host])
    expect(await verified(p)).toMatchObject({
      told: expect.stringMatching(/Passed/),
      counts: { blocking: 0, warnings: 0 },
    })
  })

  const tricks: [string, (p: ReturnType<typeof hookProject>) => unknown][] = [
    ['removes it', (p) => p.write('.claude/settings.json', settings)],
    ['changes its command', (p) => p.write('.claude/settings.json', settings.replace('mine', 'true'))],
    [
      'installs it again with another timeout',
      (p) => p.run(['hook', 'install', 'claude', '--timeout', '5'], { CLAUDECODE: '1' }),
    ],
  ]
  it.each(tricks)('an agent that %s is still reported', async (_what, trick) => {
    const p = hookProject({ '.claude/settings.json': settings })
    await p.run(['hook', 'install', 'claude'])
    await p.run(['goal', 'start', 'subtraction works'])
    p.fix()
    await trick(p)
    expect((await verified(p)).told).toMatch(/exitgate's hook was changed or removed/)
  })
})

describe('a hook for the user and one for the project', () => {
  it('decide once about a stop, and again about the next one', { timeout: patience(60_000) }, async () => {
    const cli = await program()
    const p = hookProject()
    await p.run(['trust'])
    const env = { PATH: process.env.PATH, HOME: p.root, EXITGATE_STATE_DIR: p.state, EXITGATE_SANDBOX: 'off' }
    const ask = (timeout: string) =>
      new Promise<string>((answered) => {
        const child = spawn(process.execPath, [cli, 'hook', 'codex', '--timeout', timeout], { cwd: p.dir, env })
        onTestFinished(() => void child.kill('SIGKILL'))
        let said = ''
        child.stdout.on('data', (chunk) => (said += chunk))
        child.on('close', () => answered(said))
        child.stdin.end(JSON.stringify(STOPS.codex!(p.dir, LIE)))
      })
    for (const nth of [1, 2]) {
      const answers = (await Promise.all([ask('500'), ask('600'), ask('700')])).toSorted()
      expect(answers).toEqual(['', '', expect.stringContaining(`refusal ${nth} of 20`)])
    }
    expect(p.events().filter(({ type }) => type === 'iteration.decided')).toHaveLength(2)
  })
})

describe('the page about hooks', () => {
  const page = readFileSync(join(root, 'docs/hooks.md'), 'utf8')
  it.each(HOOK_CLIENTS.map((client) => [client.name, client] as const))(
    '%s: shows as many refusals as the installed hook allows',
    async (host, client) => {
      const { options = [] } = await client.installation()
      const asked = options[options.indexOf('--max-refusals') + 1]
      const { idle } = refusalLimits(client, {}, options.length === 0 ? undefined : Number(asked))
      const row = page.split('\n').find((line) => line.startsWith(`| \`${host}\``))
      expect(row?.split('|').at(-2)?.trim()).toMatch(new RegExp(`^${idle}\\b`))
    },
  )
})

describe('doctor and the real Codex', () => {
  it('reports a hook that Codex skips, and one that it runs', { timeout: patience(120_000) }, async ({ skip }) => {
    const { path, missing } = agentProgram('codex')
    skip(path === undefined, missing)
    const p = hookProject()
    mkdirSync(join(p.root, '.codex'))
    const PATH = `${join(path!, '..')}:${process.env.PATH}`
    const approval = async () => {
      const { hooks } = (await p.run(['doctor', '--json'], { PATH, HOME: p.root })).json as {
        hooks: { name: string; state: string; text: string }[]
      }
      return hooks.flatMap(({ name, state, text }) => (name === 'codex approval' ? [[state, text]] : []))
    }
    await p.run(['hook', 'install', 'codex', '--user'])
    await p.run(['hook', 'install', 'codex'])
    expect(await approval()).toEqual([
      ['bad', expect.stringMatching(/^Codex does not load .*work\/\.codex\/hooks\.json$/)],
      ['bad', 'Codex skips the hook (user): you have not approved it in Codex'],
    ])
    const file = join(p.root, '.codex/hooks.json')
    writeFileSync(join(p.root, '.codex/config.toml'), await trustedState(path!, p, file))
    expect(await approval()).toEqual([
      ['note', expect.stringMatching(/^Codex does not load/)],
      ['good', 'Codex runs the hook (user, trusted)'],
    ])
  })
})

/** What Codex writes when the user approves the hook: the key and the hash that it lists itself. */
async function trustedState(program: string, p: ReturnType<typeof hookProject>, file: string): Promise<string> {
  const io = { env: { PATH: process.env.PATH }, home: p.root }
  const listed = await listHooks(program, p.dir, io, new AbortController().signal)
  const hook = typeof listed === 'string' ? undefined : listed.find(({ sourcePath }) => sourcePath === file)
  return `[hooks.state.${JSON.stringify(hook?.key)}]\ntrusted_hash = ${JSON.stringify(hook?.currentHash)}\n`
}
