import { execFileSync, spawnSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { VALUES, POSITIONALS as WORDS } from '../../src/cli/commands/completion.ts'
import { COMMANDS } from '../../src/cli/commands/index.ts'
import { noTerminal, openTerminal } from '../e2e/terminal.ts'
import { project } from './run-cli.ts'

const missing = (shell: string): boolean => spawnSync(shell, ['--version']).error !== undefined
const PATH = process.env.PATH ?? ''

/** The completion script for a shell, in a workspace with one file and one folder. */
async function script(shell: string) {
  const own = project({ 'notes.md': '', 'parts/x': '' })
  const { code, stdout } = await own.run(['completion', shell])
  expect(code).toBe(0)
  const file = join(own.root, `exitgate.${shell}`)
  writeFileSync(file, stdout)
  return { ...own, file }
}

const HOSTS = ['claude', 'codex', 'gemini', 'copilot', 'cursor', 'opencode', 'pi']
/** The command line (the last word is being completed), some expected suggestions, and some that must not appear. */
const ROWS: readonly (readonly [words: readonly string[], offered: readonly string[], not: readonly string[]])[] = [
  [['ru'], ['run'], ['check']],
  [['res'], ['reset', 'resume'], ['run']],
  [['run', '--pre'], ['--preset'], ['--prompt']],
  [
    ['run', '--'],
    ['--agent', '--max-iterations', '--help', '--json'],
    ['--transcript', '--verify'],
  ],
  [['check', '--tr'], ['--transcript'], []],
  [['run', '--preset', 'd'], ['default', 'doyaken'], ['cub']],
  [['run', '--agent', ''], ['claude', 'codex', 'gemini', 'opencode', 'pi', 'acp'], ['default']],
  [['init', '--from', 'r'], ['ralph'], []],
  [['init', '--format', ''], ['json', 'yaml'], ['claude']],
  [['report', '--format', 'm'], ['markdown'], []],
  [['check', '--format', 'c'], ['claude', 'codex'], ['markdown']],
  [['hook', ''], ['install', 'uninstall', 'status', ...HOSTS], []],
  [['hook', 'install', ''], HOSTS, ['install']],
  [['hook', 'install', '--user', 'co'], ['codex', 'copilot'], ['claude']],
  [['lab', 'l'], ['label', 'learn'], ['replay']],
  [['lab', 'replay', '--ru'], ['--run'], []],
  [['goal', 'st'], ['start', 'status', 'stop'], []],
  [['signal', 'c'], ['complete', 'continue'], ['blocked']],
  [['completion', ''], ['bash', 'zsh', 'fish'], []],
  [['help', 'do'], ['doctor'], []],
]

describe('suggestions', () => {
  it('are only for existing options and commands', async () => {
    for (const name of Object.keys(VALUES)) {
      const [command, option] = name.includes(' ') ? name.split(' ') : [undefined, name]
      const tables = await Promise.all(
        Object.entries(COMMANDS)
          .filter(([each]) => command === undefined || each === command)
          .map(async ([, { load }]) => (await load()).OPTIONS),
      )
      expect(
        tables.some((table) => Object.entries(table).some(([own, { type }]) => own === option && type === 'string')),
        name,
      ).toBe(true)
    }
    for (const name of Object.keys(WORDS)) expect(COMMANDS).toHaveProperty(name)
  })

  it.each([[['completion']], [['completion', 'tcsh']]])('%j is refused with one line', async (args) => {
    const { code, stderr } = await project().run(args)
    expect(code).toBe(64)
    expect(stderr).toMatch(/bash, zsh, fish/)
  })
})

describe('bash', () => {
  const complete = (file: string, cwd: string, words: readonly string[]): readonly string[] => {
    const line = `set -u; source "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _exitgate; printf '%s\\n' "\${COMPREPLY[@]-}"`
    const out = execFileSync('bash', ['--norc', '-c', line, 'bash', file, 'exitgate', ...words], {
      cwd,
      env: { PATH },
      encoding: 'utf8',
    })
    return out.split('\n').filter((word) => word !== '')
  }

  it('suggests what the parser accepts', async ({ skip }) => {
    skip(missing('bash'), 'bash is not installed')
    const { file, dir } = await script('bash')
    for (const [words, offered, not] of ROWS) {
      const found = complete(file, dir, words)
      expect(found, words.join(' ')).toEqual(expect.arrayContaining([...offered]))
      for (const word of not) expect(found, words.join(' ')).not.toContain(word)
    }
    expect(complete(file, dir, ['run', '--preset', '=', 'd'])).toEqual(['default', 'doyaken'])
    expect(complete(file, dir, ['run', '--preset', '='])).toContain('gsd')
    expect(complete(file, dir, ['run', '--dir', ''])).toEqual(['parts'])
    // Bash itself completes files, and nothing after -- is ours.
    expect(complete(file, dir, ['check', '--transcript', 'no'])).toEqual([])
    expect(complete(file, dir, ['run', '--', '--pre'])).toEqual([])
  })
})

describe('fish', () => {
  it('suggests what the parser accepts', async ({ skip }) => {
    skip(missing('fish'), 'fish is not installed')
    const { file, dir, root } = await script('fish')
    const lines = ROWS.map(([words]) => ['exitgate', ...words].join(' '))
    const more = ['exitgate check --transcript no', 'exitgate run --dir ', 'exitgate run --preset=d']
    const asks = [...lines, ...more].map((line) => `complete -C '${line}'; echo '=='`).join('\n')
    const out = execFileSync('fish', ['--no-config', '-c', `source ${file}\n${asks}`], {
      cwd: dir,
      env: { PATH, HOME: root },
      encoding: 'utf8',
    })
    const answers = out.split('==\n').map((part) => part.split('\n').map((line) => line.split('\t')[0]!.trim()))
    for (const [at, [words, offered, not]] of ROWS.entries()) {
      expect(answers[at], words.join(' ')).toEqual(expect.arrayContaining([...offered]))
      for (const word of not) expect(answers[at], words.join(' ')).not.toContain(word)
    }
    expect(answers[ROWS.length]).toContain('notes.md')
    expect(answers[ROWS.length + 1]).toContain('parts/')
    expect(answers[ROWS.length + 1]).not.toContain('notes.md')
    expect(answers[ROWS.length + 2]).toContain('--preset=default')
  })
})

describe('zsh', () => {
  it('completes in a real terminal', async ({ skip }) => {
    skip(missing('zsh'), 'zsh is not installed')
    skip(noTerminal !== undefined, noTerminal)
    const { file, dir, root } = await script('zsh')
    const home = join(root, 'home')
    mkdirSync(home)
    const terminal = openTerminal(['zsh', '-f', '-i'], {
      cwd: dir,
      env: { PATH, HOME: home, LC_ALL: 'C' },
      columns: 120,
    })
    terminal.type(
      `PS1='ready> '; autoload -Uz compinit && compinit -u -d ${home}/dump && source ${file} && echo lo'ad'ed\r`,
    )
    await terminal.shows(/loaded\n[\s\S]*ready> $/)
    const rows: readonly (readonly [typed: string, shown: RegExp])[] = [
      ['exitgate doct\t', /exitgate doctor /],
      ['exitgate run --pres\t', /exitgate run --preset/],
      ['exitgate run --preset doy\t', /exitgate run --preset doyaken /],
      ['exitgate report --format ma\t', /exitgate report --format markdown /],
      ['exitgate hook install clau\t', /exitgate hook install claude /],
      ['exitgate goal sto\t', /exitgate goal stop /],
      ['exitgate check --transcript not\t', /exitgate check --transcript notes\.md /],
      ['exitgate run --dir pa\t', /exitgate run --dir parts/],
    ]
    for (const [typed, shown] of rows) {
      terminal.type(typed)
      expect(await terminal.shows(shown)).toHaveLength(1)
      // Ctrl+U clears the line.
      terminal.type("\u0015echo ne'x't\r")
      await terminal.shows(/next\n[\s\S]*ready> $/)
    }
  })
})
