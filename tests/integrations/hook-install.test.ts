import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { HOOK_CLIENTS } from '../../src/hooks/index.ts'
import type { Call } from '../../src/hooks/install/installation.ts'
import { project } from '../cli/run-cli.ts'

const golden = new URL('../golden/hooks/', import.meta.url).pathname
const installationOf = (host: string) => HOOK_CLIENTS.find(({ name }) => name === host)!.installation()

/** Where each CLI reads its configuration, in a project and in a home. */
const FILES: Readonly<Record<string, readonly [project: string, user: string]>> = {
  claude: ['.claude/settings.json', '.claude/settings.json'],
  codex: ['.codex/hooks.json', '.codex/hooks.json'],
  gemini: ['.gemini/settings.json', '.gemini/settings.json'],
  copilot: ['.github/hooks/exitgate.json', '.copilot/hooks/exitgate.json'],
  cursor: ['.cursor/hooks.json', '.cursor/hooks.json'],
  opencode: ['.opencode/plugin/exitgate.js', '.config/opencode/plugin/exitgate.js'],
  pi: ['.pi/extensions/exitgate.js', '.pi/agent/extensions/exitgate.js'],
  qwen: ['.qwen/settings.json', '.qwen/settings.json'],
  droid: ['.factory/settings.json', '.factory/settings.json'],
  goose: ['.agents/plugins/exitgate/hooks/hooks.json', '.agents/plugins/exitgate/hooks/hooks.json'],
  grok: ['.grok/hooks/exitgate.json', '.grok/hooks/exitgate.json'],
  kimi: ['', '.kimi-code/config.toml'],
  qoder: ['.qoder/settings.json', '.qoder/settings.json'],
}
const hosts = Object.keys(FILES)
const callOf = (host: string, seconds = 600): Call => {
  const argv = ['/usr/bin/node', '/opt/my tools/cli.cjs', 'hook', host, '--timeout', String(seconds)]
  return { argv, line: `/usr/bin/node '/opt/my tools/cli.cjs' hook ${host} --timeout ${seconds}`, seconds }
}

describe('exitgate hook install', () => {
  it.each(
    hosts
      .flatMap(
        (host) =>
          [
            [host, 'project'],
            [host, 'user'],
          ] as const,
      )
      .filter(([host, scope]) => scope === 'user' || FILES[host]![0] !== ''),
  )('%s --%s: installs into nothing, and uninstalls again', async (host, scope) => {
    const p = project()
    const before = tree(p.root)
    const file = scope === 'project' ? join(p.dir, FILES[host]![0]) : join(p.root, FILES[host]![1])
    const done = await p.run(['hook', 'install', host, `--${scope}`])
    expect([done.code, done.stdout]).toEqual([0, expect.stringContaining(file)])
    const text = readFileSync(file, 'utf8')
    expect(text).toMatch(new RegExp(`hook ${host} --timeout 600`))
    const again = await p.run(['hook', 'install', host, `--${scope}`])
    expect([again.code, again.stdout, readFileSync(file, 'utf8')]).toEqual([
      0,
      expect.stringContaining('is already installed in'),
      text,
    ])
    const lines = (await p.run(['hook', 'status'])).stdout.trimEnd().split('\n')
    // You have not trusted this folder yet.
    const skipped = scope === 'project' && ['copilot', 'pi', 'grok'].includes(host)
    expect(lines).toEqual([
      expect.stringMatching(new RegExp(`^${host} +${scope} +.*hook ${host} --timeout 600`)),
      ...(skipped ? [expect.stringMatching(/^ {2}\S.* skips? .* trusted\. .*/)] : []),
    ])
    const { hooks } = (await p.run(['hook', 'status', host, '--json'])).json as {
      hooks: { scope: string; command?: string }[]
    }
    expect(hooks.filter(({ command }) => command !== undefined).map((each) => each.scope)).toContain(scope)
    expect((await p.run(['hook', 'uninstall', host, `--${scope}`])).code).toBe(0)
    expect(existsSync(file)).toBe(false)
    expect(tree(p.root)).toEqual(before)
  })

  it.each(['qwen', 'gemini', 'cursor'])('%s: a version that the agent adds does not keep the file', async (host) => {
    const p = project()
    const file = join(p.dir, FILES[host]![0])
    await p.run(['hook', 'install', host, '--project'])
    writeFileSync(file, JSON.stringify({ ...JSON.parse(readFileSync(file, 'utf8')), $version: 4 }, null, 2))
    expect((await p.run(['hook', 'uninstall', host, '--project'])).code).toBe(0)
    expect(existsSync(file)).toBe(false)
  })

  it('kimi --project: says how to install it instead', async () => {
    const p = project()
    const { code, stderr } = await p.run(['hook', 'install', 'kimi'])
    expect([code, stderr]).toEqual([
      64,
      expect.stringContaining('kimi has no hooks in projects. Repeat it with --user.'),
    ])
    expect((await p.run(['hook', 'uninstall', 'kimi'])).stdout).toContain('No hook is installed for kimi.')
  })

  it('the command has full paths of node and the program, or only the name if it is on PATH', async () => {
    const p = project()
    await p.run(['hook', 'install', 'claude', '--timeout', '30'])
    const written = () => JSON.parse(readFileSync(join(p.dir, '.claude/settings.json'), 'utf8')).hooks.Stop[0].hooks
    expect(written()).toEqual([
      {
        type: 'command',
        command: expect.stringMatching(/^sh -c '.*' sh \S*node\S* \S+cli\.cjs hook claude --timeout 30$/),
        timeout: 30,
      },
    ])
    const program = p.write('../bin/exitgate', '#!/bin/sh\n')
    const { chmodSync } = await import('node:fs')
    chmodSync(program, 0o755)
    await p.run(['hook', 'install', 'claude'], { PATH: dirname(program) })
    const call = `sh -c 'command -v exitgate >/dev/null 2>&1 || exit 0; exec exitgate "$@"' exitgate hook claude --timeout 600`
    expect(written()).toEqual([{ type: 'command', command: call, timeout: 600 }])
  })

  it('gemini gets milliseconds, copilot seconds, and cursor a loop limit one above ours', async () => {
    const p = project()
    for (const host of ['gemini', 'copilot', 'cursor']) await p.run(['hook', 'install', host])
    const read = (host: string) => JSON.parse(readFileSync(join(p.dir, FILES[host]![0]), 'utf8')).hooks
    expect(read('gemini').AfterAgent[0].hooks[0].timeout).toBe(600_000)
    expect(read('copilot').agentStop[0]).toMatchObject({ type: 'command', timeoutSec: 600 })
    expect(read('cursor').stop[0]).toMatchObject({
      loop_limit: 20,
      command: expect.stringContaining('--max-refusals 19'),
    })
    expect(read('cursor').afterAgentResponse).toHaveLength(1)
  })

  it('codex: the message says what to do next, and existing tables are used', async () => {
    const p = project()
    expect((await p.run(['hook', 'install', 'codex', '--user'])).stdout).toContain('/hooks')
    const toml = join(p.root, '.codex/config.toml')
    writeFileSync(toml, 'model = "m"\n\n[[hooks.Stop]]\n[[hooks.Stop.hooks]]\ntype = "command"\ncommand = "mine"')
    await p.run(['hook', 'install', 'codex', '--user'])
    expect(readFileSync(toml, 'utf8')).toMatch(
      /command = "mine"\n# exitgate: begin\n[\s\S]*hook codex[\s\S]*# exitgate: end$/,
    )
    expect(existsSync(join(p.root, '.codex/hooks.json'))).toBe(false)
    await p.run(['hook', 'uninstall', 'codex', '--user'])
    expect(readFileSync(toml, 'utf8')).toMatch(/command = "mine"$/)
  })

  it('a link stays a link, and permissions are kept', async () => {
    const p = project()
    const real = p.write('../dotfiles/settings.json', '{\n  "model": "m"\n}')
    const { chmodSync } = await import('node:fs')
    chmodSync(real, 0o600)
    mkdirSync(join(p.root, '.claude'))
    const link = join(p.root, '.claude/settings.json')
    symlinkSync(real, link)
    await p.run(['hook', 'install', 'claude', '--user'])
    expect(lstatSync(link).isSymbolicLink()).toBe(true)
    expect([statSync(real).mode & 0o777, readFileSync(real, 'utf8').includes('hook claude')]).toEqual([0o600, true])
    await p.run(['hook', 'uninstall', 'claude', '--user'])
    expect(readFileSync(real, 'utf8')).toBe('{\n  "model": "m"\n}')
  })

  const refused: [string, string, string | Uint8Array, RegExp][] = [
    ['claude', '.claude/settings.json', '{"a": }', /line 1: expected a value/],
    ['claude', '.claude/settings.json', '{"a": 1} x', /unexpected text after the value/],
    ['claude', '.claude/settings.json', '', /expected a value/],
    ['claude', '.claude/settings.json', '[]', /it is not a JSON object/],
    ['claude', '.claude/settings.json', '{"hooks": []}', /"hooks" is not an object/],
    ['claude', '.claude/settings.json', '{"hooks": {"Stop": {}}}', /"Stop", which is not a list/],
    ['claude', '.claude/settings.json', '{"a": 1,\n "a": 2}', /the key "a" appears twice/],
    ['claude', '.claude/settings.json', '{"a": "b}', /line 1/],
    ['claude', '.claude/settings.json', '['.repeat(5_000), /nested too deeply/],
    ['claude', '.claude/settings.json', Buffer.from([0x7b, 0xff, 0x7d]), /not UTF-8 text/],
    ['codex', '.codex/config.toml', 'a = "b', /line 1: a string is not closed/],
    ['codex', '.codex/config.toml', '[[hooks.Stop]]\nx = [1, 2', /a bracket is not closed/],
    ['copilot', '.github/hooks/exitgate.json', '{"version": 1}', /was not written by exitgate/],
    ['opencode', '.opencode/plugin/exitgate.js', 'export const mine = 1', /was not written by exitgate/],
  ]
  it.each(refused)('%s: %s with %j is left unchanged, with one sentence', async (host, name, content, why) => {
    const p = project({ [name]: content })
    const file = join(p.dir, name)
    for (const verb of ['install', 'uninstall']) {
      const ran = await p.run(['hook', verb, host])
      expect([ran.code, ran.stdout]).toEqual([64, ''])
      expect(ran.stderr).toMatch(why)
      expect(ran.stderr.trim().split('\n')).toHaveLength(1)
      expect(readFileSync(file)).toEqual(Buffer.from(content))
    }
  })
})

/** Every file and folder below, without the state of exitgate itself. */
function tree(root: string): readonly string[] {
  return readdirSync(root, { recursive: true, encoding: 'utf8' })
    .filter((name) => !/^state(?:\/|$)/.test(name))
    .sort()
}

describe('golden pairs', () => {
  const cases = existsSync(golden) ? readdirSync(golden).filter((name) => name.includes('.before.')) : []
  it('are there', () => expect(cases.length).toBeGreaterThan(10))
  it.each(cases)('%s', async (name) => {
    const installation = await installationOf(name.split('-')[0]!)
    const before = readFileSync(join(golden, name), 'utf8')
    const after = installation.add(before, callOf(name.split('-')[0]!))
    const path = join(golden, name.replace('.before.', '.after.'))
    if (process.env.UPDATE_GOLDEN) writeFileSync(path, after)
    expect(after).toBe(readFileSync(path, 'utf8'))
    expect(installation.remove(after)).toBe(before)
  })
})

/** JSON as people write it: any layout, comments and trailing commas, with or without other hooks. */
const gap = fc.constantFrom(
  '',
  ' ',
  '\n',
  '\n  ',
  '\n\t',
  '\r\n    ',
  ' /* note */ ',
  ' // note\n',
  '\n// a "{" in a note\n  ',
)
const member = (key: string, value: fc.Arbitrary<string>) =>
  fc.tuple(gap, gap, gap, value).map(([a, b, c, text]) => `${a}${JSON.stringify(key)}${b}:${c}${text}`)
const listed = (open: string, close: string, items: fc.Arbitrary<string[]>) =>
  fc
    .tuple(items, gap, gap, fc.boolean())
    .map(([each, a, b, comma]) =>
      each.length === 0 ? `${open}${a}${close}` : `${open}${each.join(`${a},`)}${comma ? `${a},` : ''}${b}${close}`,
    )
const plain = fc.oneof(
  fc.string().map((text) => JSON.stringify(text)),
  fc.constantFrom('1', 'true', 'null', '{}', '[ ]', '["[", "}"]'),
)
const handler = listed(
  '{',
  '}',
  fc.tuple(
    member('type', fc.constant('"command"')),
    member('command', fc.constantFrom('"mine"', '"exitgate doctor"', '"echo hook claude"')),
  ),
)
const groups = listed(
  '[',
  ']',
  fc.array(
    fc
      .tuple(
        gap,
        fc.oneof(
          handler,
          listed(
            '{',
            '}',
            fc.tuple(
              member('matcher', plain),
              member(
                'hooks',
                listed(
                  '[',
                  ']',
                  fc.array(
                    fc.tuple(gap, handler).map(([a, b]) => a + b),
                    { maxLength: 2 },
                  ),
                ),
              ),
            ),
          ),
        ),
      )
      .map(([a, b]) => a + b),
    { maxLength: 2 },
  ),
)
const hooksTable = listed(
  '{',
  '}',
  fc
    .subarray(['Stop', 'PreToolUse', 'AfterAgent', 'stop'])
    .chain((names) => fc.tuple(...names.map((name) => member(name, groups)))),
)
const settings = fc
  .tuple(fc.subarray(['model', 'x "y"', '日本']), fc.option(hooksTable, { nil: undefined }), fc.boolean())
  .chain(([names, hooks, first]) => {
    const own = names.map((name) => member(name, plain))
    const all =
      hooks === undefined
        ? own
        : first
          ? [member('hooks', fc.constant(hooks)), ...own]
          : [...own, member('hooks', fc.constant(hooks))]
    return listed('{', '}', fc.tuple(...all))
  })
const documents = fc
  .tuple(
    fc.constantFrom('', '\uFEFF', '// head\n', '\n'),
    settings,
    fc.constantFrom('', '\n', '\r\n', '\n// end', '\n\n'),
  )
  .map((parts) => parts.join(''))

describe('whatever else is in the file', () => {
  it.each(['claude', 'codex', 'gemini', 'cursor'])(
    '%s: installing twice changes nothing, and uninstalling restores every byte',
    async (host) => {
      const installation = await installationOf(host)
      fc.assert(
        fc.property(documents, fc.nat({ max: 900 }), (text, seconds) => {
          const once = installation.add(text, callOf(host, seconds + 5))
          expect(installation.find(once).length).toBeGreaterThan(0)
          expect(installation.add(once, callOf(host, seconds + 5))).toBe(once)
          expect(installation.remove(once)).toBe(text)
          expect(installation.remove(installation.add(once, callOf(host, 7)))).toBe(text)
        }),
        { numRuns: 500 },
      )
    },
  )

  it('codex tables: the same', async () => {
    const installation = await installationOf('codex')
    const lines = fc.constantFrom(
      '# note',
      'a = 1',
      's = "[x] # no"',
      "l = 'c:\\x'",
      'm = """\n[not.a.table]\n"""',
      'n = [\n  1,\n]',
      '[t]',
      '[[hooks.Stop]]',
      '[hooks.state."k"]',
      '',
    )
    fc.assert(
      fc.property(
        fc.array(lines, { maxLength: 8 }),
        fc.constantFrom('\n', '\r\n'),
        fc.boolean(),
        (body, newline, ends) => {
          const text = `a0 = 1${newline}${body.map((line) => line.replace(/\n/g, newline)).join(newline)}${ends ? newline : ''}`
          const once = installation.add(text, callOf('codex'))
          expect(installation.find(once)).toEqual([callOf('codex').line])
          expect(installation.add(once, callOf('codex'))).toBe(once)
          expect(installation.remove(once)).toBe(text)
        },
      ),
      { numRuns: 500 },
    )
  })
})
