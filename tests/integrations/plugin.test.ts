import { execFileSync } from 'node:child_process'
import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { agentProgram } from '../../scripts/install-agents.mjs'
import { openReader } from '../../src/agents/reader.ts'
import { COMMANDS } from '../../src/cli/commands/index.ts'
import { read } from '../../src/core/signals/read.ts'
import { HOOK_CLIENTS } from '../../src/hooks/index.ts'
import { PAGES } from '../cli/help-pages.ts'
import { project } from '../cli/run-cli.ts'
import { root } from '../source-tree.ts'

const text = (path: string): string => readFileSync(join(root, path), 'utf8')
const json = (path: string) => JSON.parse(text(path))
const VERSION: string = json('package.json').version

const marketplace = json('.claude-plugin/marketplace.json')
const manifests = ['plugin/.claude-plugin/plugin.json', 'plugin/.codex-plugin/plugin.json'] as const
const hookFiles: readonly (readonly [string, string, readonly string[]])[] = [
  ['plugin/hooks/hooks.json', 'claude', ['Stop', 'SubagentStop', 'TaskCompleted']],
  ['plugin/hooks/codex.json', 'codex', ['Stop']],
]
const pages = [
  ...readdirSync(join(root, 'plugin/commands')).map((name) => `plugin/commands/${name}`),
  ...readdirSync(join(root, 'plugin/skills')).map((name) => `plugin/skills/${name}/SKILL.md`),
]

/** What is between the two lines at the top of a page. */
function front(path: string): Readonly<Record<string, unknown>> {
  const [, head = ''] = /^---\n([\s\S]*?)\n---\n/.exec(text(path)) ?? []
  return parse(head)
}

/** The command line of the hook in a project, on a machine with `exitgate` on the PATH. */
async function installedLine(host: string): Promise<string> {
  const p = project({ '../bin/exitgate': '#!/bin/sh\n' })
  chmodSync(join(p.root, 'bin', 'exitgate'), 0o755)
  await p.run(['hook', 'install', host], { PATH: join(p.root, 'bin') })
  const { hooks } = (await p.run(['hook', 'status', host, '--json'])).json as { hooks: { command?: string }[] }
  return hooks[0]?.command ?? ''
}

/** Every exitgate command line in a text, in backticks, in a tool rule or indented, split into arguments. */
const calls = (source: string): string[][] =>
  [...source.matchAll(/(?:`|\(|^ {4})exitgate ((?:[a-z][\w-]*)(?: [\w.-]+)*)/gm)].map(([, line = '']) =>
    line.split(' '),
  )

describe('the marketplace', () => {
  it('names a plugin that exists', () => {
    const [plugin, ...others] = marketplace.plugins
    expect(others).toEqual([])
    expect(plugin).toMatchObject({ name: 'exitgate', source: './plugin' })
    expect(marketplace).toMatchObject({ name: 'exitgate', owner: { name: 'exitgate' } })
    expect(existsSync(join(root, plugin.source, '.claude-plugin/plugin.json'))).toBe(true)
  })
})

describe('the plugin', () => {
  it.each(manifests)('%s has this version, and everything it names exists', (path) => {
    const manifest = json(path)
    expect(manifest).toMatchObject({ name: 'exitgate', version: VERSION, license: 'MIT' })
    const named = [...Object.values(manifest), ...Object.values(manifest.interface ?? {})].filter(
      (value) => typeof value === 'string' && value.startsWith('./'),
    )
    for (const place of named) expect(existsSync(join(root, 'plugin', String(place))), String(place)).toBe(true)
  })

  it('has an icon, and the page about it has the lines that install it', () => {
    const { composerIcon, logo } = json('plugin/.codex-plugin/plugin.json').interface
    for (const icon of [composerIcon, logo]) expect(text(join('plugin', icon))).toMatch(/^<svg [\s\S]*<\/svg>\s*$/)
    const names = `${marketplace.plugins[0].name}@${marketplace.name}`
    expect(text('docs/plugin.md')).toContain(`/plugin install ${names}\n`)
    expect(text('docs/plugin.md')).toContain(`codex plugin add ${names}\n`)
  })

  it.each(hookFiles)('%s calls %s when it stops', async (path, host, events) => {
    const { hooks } = json(path)
    expect(Object.keys(hooks)).toEqual(events)
    for (const event of events) {
      const [{ hooks: handlers }] = hooks[event]
      // The same line as `exitgate hook install` writes.
      expect(handlers).toEqual([{ type: 'command', command: await installedLine(host), timeout: 600 }])
    }
    expect(HOOK_CLIENTS.map(({ name }) => name)).toContain(host)
    expect(PAGES.hook).toContain('--timeout SECONDS')
  })

  it('includes the tools', () => {
    expect(json('plugin/.mcp.json')).toEqual({
      mcpServers: { gate: { command: 'exitgate', args: ['mcp'], alwaysLoad: true } },
    })
    expect(Object.keys(COMMANDS)).toContain('mcp')
  })

  it.each(pages)('%s has a header, calls only commands that exist, and contains no claim', (path) => {
    expect(front(path).description).toEqual(expect.any(String))
    const words = calls(text(path))
    expect(words.length > 0 || path.includes('/skills/')).toBe(true)
    expect(words.map(([command]) => command).filter((command) => !Object.hasOwn(COMMANDS, command ?? ''))).toEqual([])
    const reader = openReader('text')
    reader.write(Buffer.from(text(path)))
    const signals = read(reader.end())
    expect([signals.claim, signals.vetoes]).toEqual([undefined, []])
  })

  const commands = pages.filter((path) => path.includes('/commands/'))
  it.each(commands)('%s is for the user to call, and runs by itself only what changes nothing', (path) => {
    expect(front(path)['disable-model-invocation']).toBe(true)
    const run = [...text(path).matchAll(/!`([^`]*)`/g)].map(([, line]) => line)
    expect(run.filter((line) => !['exitgate status', 'exitgate goal status'].includes(line ?? ''))).toEqual([])
    expect(String(front(path)['allowed-tools'] ?? '')).not.toMatch(
      /force|reset|skip|trust|goal stop|Bash\(\*|Bash,|Bash$/,
    )
  })
})

describe('Claude Code itself', () => {
  const home = mkdtempSync(join(tmpdir(), 'exitgate-plugin-'))
  afterAll(() => rmSync(home, { recursive: true, force: true }))

  it.for(['.', 'plugin'])('finds no problem in %s', (path, { skip }) => {
    const { path: program, missing } = agentProgram('claude')
    skip(program === undefined, missing)
    const off = { DISABLE_AUTOUPDATER: '1', DISABLE_TELEMETRY: '1', CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1' }
    const said = execFileSync(program ?? '', ['plugin', 'validate', '--strict', join(root, path)], {
      env: { HOME: home, PATH: '/usr/bin:/bin', ...off },
      encoding: 'utf8',
    })
    expect(said).toContain('Validation passed')
  })
})
