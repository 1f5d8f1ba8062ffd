import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { program } from '../e2e/program.ts'
import { CTRL_C, noTerminal, openTerminal } from '../e2e/terminal.ts'
import { project } from './run-cli.ts'

const cli = await program()
const J = 'exitgate.config.json'
const NODE = {
  'package.json': '{"scripts": {"test": "node --test"}}',
  'PLAN.md': '- [ ] first\n',
  'PROMPT.md': 'Do it.\n',
}
const LOOP = '#!/bin/sh\nwhile true; do\n  cat PROMPT.md | claude -p\ndone\n'

/** A project with these agents on its PATH. */
function newProject(files: Record<string, string>, agents: readonly string[]) {
  const own = project(files)
  const bin = join(own.root, 'bin')
  mkdirSync(bin)
  for (const name of [...agents, 'exitgate']) {
    writeFileSync(join(bin, name), '#!/bin/sh\n')
    chmodSync(join(bin, name), 0o755)
  }
  const env = { PATH: `${bin}:/usr/bin:/bin`, HOME: own.root }
  const read = (name: string) => readFileSync(join(own.dir, name), 'utf8')
  return { ...own, env, read, init: (...args: string[]) => own.run(['init', ...args], env) }
}

describe('exitgate init --yes', () => {
  it('detects the setup, shows it, and writes configuration and hooks', async () => {
    const { init, read, dir } = newProject({ ...NODE, 'loop.sh': LOOP, '.gitignore': 'x\n' }, [
      'claude',
      'cursor-agent',
    ])
    const { code, stdout } = await init('--yes')
    expect(code).toBe(0)
    expect(stdout).toBe(`Found here:
  agents     claude, cursor
  tests      npm test
  older loop loop.sh
  plan       PLAN.md
  prompt     PROMPT.md

Plan:
${J}:
  {
    "preset": "default",
    "limits": {
      "iterations": 50,
      "minutes": 480
    },
    "commands": {
      "test": "npm test"
    },
    "plan": "PLAN.md"
  }
.claude/settings.json: stop hook for claude

Wrote ${J}, .claude/settings.json.
Approve the commands of the hooks with exitgate trust.
Its commands must pass before a run can complete. Delete those that should not count.
Next: test the setup with exitgate doctor, then start with exitgate run --task "..." -- AGENT
`)
    expect(JSON.parse(read(J))).toMatchObject({ commands: { test: 'npm test' }, plan: 'PLAN.md' })
    expect(read('.claude/settings.json')).toContain('exitgate hook claude --timeout 600')
    expect(read('.gitignore')).toBe('x\n')
    expect(readdirSync(dir)).not.toContain('.cursor')
  })

  it('changes nothing the second time', async () => {
    const { init, read } = newProject(NODE, ['codex'])
    await init('--yes')
    const before = [read(J), read('.codex/hooks.json')]
    expect(JSON.parse(read(J))).toMatchObject({ run: { agent: 'codex' } })
    const { code, stdout } = await init('--yes')
    expect([code, stdout]).toEqual([0, expect.stringContaining(`${J} already exists. Use --force to overwrite it.`)])
    expect(stdout).toMatch(/Nothing was written\.\n$/)
    expect([read(J), read('.codex/hooks.json')]).toEqual(before)
  })

  it('keeps an existing configuration unless you pass --force', async () => {
    const { init, read } = newProject({ ...NODE, [J]: '{"preset": "prp"}\n' }, [])
    await init('--yes')
    expect(read(J)).toBe('{"preset": "prp"}\n')
    await init('--yes', '--force')
    expect(read(J)).toContain('"preset": "default"')
  })

  it('imports the settings of an older tool', async () => {
    const { init, read } = newProject({ ...NODE, '.ralphrc': 'CB_NO_PROGRESS_THRESHOLD=4\n' }, [])
    const { stdout } = await init('--yes')
    expect(stdout).toContain(`${J}, with settings from ralph:`)
    expect(JSON.parse(read(J))).toMatchObject({ preset: 'ralph', breaker: { noProgress: 4 } })
  })

  it('skips an agent whose configuration cannot be read, and continues', async () => {
    const { init, read, dir } = newProject({ ...NODE, '.gemini/settings.json': '{ broken' }, ['gemini', 'codex'])
    const { code, stdout } = await init('--yes')
    expect(code).toBe(0)
    expect(stdout).toMatch(/warning: .*\.gemini\/settings\.json was not changed/)
    expect(read('.gemini/settings.json')).toBe('{ broken')
    expect(existsSync(join(dir, '.codex/hooks.json'))).toBe(true)
  })

  it('writes nothing in a dry run', async () => {
    const { init, dir } = newProject(NODE, ['claude'])
    expect((await init('--yes', '--dry-run')).stdout).toMatch(/Dry run: nothing was written\.\n$/)
    expect(readdirSync(dir).sort()).toEqual(Object.keys(NODE).sort())
  })

  it('prints one document with --json', async () => {
    const { init } = newProject(NODE, ['pi'])
    const { json } = await init('--yes', '--json')
    expect(json).toMatchObject({ file: J, written: [J, '.pi/extensions/exitgate.js'], found: { agents: ['pi'] } })
  })

  it('removes control characters from file names', async () => {
    const { init } = newProject({ ...NODE, 'a\u001b[2Jb.sh': LOOP }, [])
    const { stdout } = await init('--yes')
    expect(stdout).toContain('[2Jb.sh')
    expect(stdout).not.toContain('\u001b')
  })
})

describe('exitgate init in a terminal', () => {
  const open = (own: ReturnType<typeof newProject>) =>
    openTerminal([process.execPath, cli, 'init'], {
      cwd: own.dir,
      env: { ...own.env, EXITGATE_STATE_DIR: own.state, LC_ALL: 'C.UTF-8' },
      columns: 100,
      rows: 40,
    })

  it('asks before it writes each file, and which commands hooks may run', async ({ skip }) => {
    skip(noTerminal !== undefined, noTerminal)
    const own = newProject(NODE, ['claude', 'codex'])
    const terminal = open(own)
    await terminal.shows(/Write exitgate\.config\.json\? \[Y\/n\] /)
    expect(existsSync(join(own.dir, J))).toBe(false)
    terminal.type('\r')
    await terminal.shows(/Install the stop hook for claude \(\.claude\/settings\.json\)\? \[Y\/n\] /)
    terminal.type('n')
    await terminal.shows(/Install the stop hook for codex .*\? \[Y\/n\] /)
    terminal.type('xy')
    await terminal.shows(
      /Hooks would run these commands in .*:\n {2}test: npm test.*\n(?:.*\n)*?May hooks run these commands here\? \[Y\/n\] /,
    )
    terminal.type('y')
    await terminal.shows(/Wrote exitgate\.config\.json, \.codex\/hooks\.json\./)
    expect(await terminal.ended).toBe(0)
    expect(existsSync(join(own.dir, '.claude'))).toBe(false)
    const shown = await own.run(['trust', '--show'], own.env)
    expect(shown.stdout).toContain('Approved.')
  })

  it.for([
    ['Ctrl+C', CTRL_C],
    ['Ctrl+D', '\u0004'],
  ] as const)('%s cancels it, and only confirmed files are written', async ([, key], { skip }) => {
    skip(noTerminal !== undefined, noTerminal)
    const own = newProject(NODE, ['claude'])
    const terminal = open(own)
    await terminal.shows(/Write .*\[Y\/n\] /)
    terminal.type('y')
    await terminal.shows(/Install the stop hook for claude .*\[Y\/n\] /)
    terminal.type(key)
    expect(await terminal.ended).toBe(3)
    expect([existsSync(join(own.dir, J)), existsSync(join(own.dir, '.claude'))]).toEqual([true, false])
  })
})
