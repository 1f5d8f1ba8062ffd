import { chmodSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { DONE, GREEN, project } from './run-cli.ts'

const UTF16 = Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(DONE, 'utf16le')])
const FILES = {
  'out.txt': DONE,
  'ev.json': GREEN,
  'cut.json': '{"tests": ',
  'list.json': '[]',
  'binary.bin': Buffer.from([0, 1, 2, 255, 254, 0, 0, 7]),
  'empty.txt': '',
  'utf16.txt': UTF16,
}

/** Every invalid input with its exit code and message, where DIR is the workspace. */
const ROWS: readonly (readonly [name: string, args: readonly string[], code: number, stderr: string])[] = [
  ['an unknown command', ['chekc'], 64, 'Unknown command "chekc". Did you mean check? See exitgate --help.'],
  [
    'an unknown option',
    ['check', '--evidnce', 'x'],
    64,
    'Unknown option --evidnce. Did you mean --evidence? See exitgate check --help.',
  ],
  [
    'an option without a value',
    ['check', '--transcript'],
    64,
    '--transcript needs a value. See exitgate check --help.',
  ],
  ['an unexpected argument', ['check', 'foo'], 64, 'Unexpected argument "foo". See exitgate check --help.'],
  [
    'a missing transcript',
    ['check', '--transcript', 'nope.txt'],
    64,
    '--transcript DIR/nope.txt does not exist. Check the path.',
  ],
  [
    'a folder as transcript',
    ['check', '--transcript', 'folder'],
    64,
    '--transcript DIR/folder is a folder. Pass a file.',
  ],
  [
    'a binary transcript',
    ['check', '--transcript', 'binary.bin', '--evidence', 'ev.json', '--quiet'],
    10,
    'the output contains NUL bytes: it is binary or in an unknown encoding',
  ],
  ['an empty transcript', ['check', '--transcript', 'empty.txt', '--evidence', 'ev.json', '--quiet'], 10, ''],
  ['a transcript in UTF-16', ['check', '--transcript', 'utf16.txt', '--evidence', 'ev.json', '--quiet'], 0, ''],
  ...['0x10', '1e3', ' 80', '80 ', '80a', '+80', '8.0', ''].map(
    (text) =>
      [
        `the port "${text}"`,
        ['watch', `--port=${text}`],
        64,
        `--port must be a whole number from 0 to 65535, not "${text}".`,
      ] as const,
  ),
  ['an invalid port', ['watch', '--port', '65536'], 64, '--port must be a whole number from 0 to 65535, not "65536".'],
  ...['0x10', '1e3', ' 7', '7x'].map(
    (text) =>
      [
        `the number "${text}"`,
        ['history', '--last', text],
        64,
        `--last must be a whole number of at least 1, not "${text}".`,
      ] as const,
  ),
  ...['0x10', '1e3', ' 7', '7x'].map(
    (text) =>
      [
        `the threshold "${text}"`,
        ['backtest', '--threshold', text],
        64,
        `--threshold must be a number, not "${text}".`,
      ] as const,
  ),
  [
    'an unknown format',
    ['check', '--transcript', 'out.txt', '--format', 'cluade'],
    64,
    '--format must be one of auto, text, acp, claude, codex, copilot, droid, gemini, json, opencode, pi, qwen, not "cluade". Did you mean "claude"?',
  ],
  [
    'an unknown preset',
    ['check', '--preset', 'ralf'],
    64,
    'flag --preset: "preset" must be one of default, cub, prp, doyaken, blackbox, gsd, ralph, not "ralf". Did you mean "ralph"?',
  ],
  [
    'a missing evidence file',
    ['check', '--evidence', 'nope.json'],
    64,
    '--evidence DIR/nope.json does not exist. Check the path.',
  ],
  [
    'evidence that is not an object',
    ['check', '--evidence', 'list.json'],
    64,
    '--evidence DIR/list.json can\'t be used: it is not an object with one entry per check. It should look like {"tests": {"answer": "yes"}}.',
  ],
  [
    'a phase for a preset without phases',
    ['check', '--phase', 'GREEN'],
    64,
    '--phase is "GREEN", but the preset "default" has no phases.',
  ],
  [
    'an unknown phase',
    ['check', '--preset', 'prp', '--phase', 'GREN'],
    64,
    '--phase must be one of RED, GREEN, REFACTOR, DOCUMENT, not "GREN". Did you mean "GREEN"?',
  ],
  [
    'a limit that is not a number',
    ['check', '--max-iterations', 'many'],
    64,
    'flag --max-iterations: "limits.iterations" must be null or a whole number of at least 1, not "many".',
  ],
  [
    'a threshold for a preset without one',
    ['check', '--threshold', '3'],
    64,
    'flag --threshold: the preset "default" has no threshold. Remove the flag, or choose another preset.',
  ],
  [
    'a forced completion without a reason',
    ['check', '--force-complete'],
    64,
    'Add --reason "..." to --force-complete: the journal records why.',
  ],
  ['a missing folder', ['check', '--dir', 'nope'], 64, '--dir DIR/nope does not exist. Check the path.'],
  [
    'a file as folder',
    ['check', '--dir', 'out.txt'],
    64,
    '--dir DIR/out.txt is not a folder. Pass the project folder.',
  ],
  [
    'an invalid timeout',
    ['check', '--timed-out', 'x'],
    64,
    '--timed-out must be overall:MINUTES or activity:MINUTES, not "x".',
  ],
  [
    'an invalid exit code',
    ['check', '--exit-code', 'x'],
    64,
    '--exit-code must be a whole number of at least 0, not "x".',
  ],
  [
    'an invalid breaker state',
    ['check', '--breaker', 'opne'],
    64,
    '--breaker must be one of closed, half-open, open, not "opne". Did you mean "open"?',
  ],
  [
    'an empty state folder',
    ['check', '--state-dir', ''],
    64,
    '--state-dir is empty. Set it to a folder for the journal.',
  ],
  [
    'explain without decisions',
    ['explain'],
    64,
    'No decisions here yet. Start with `exitgate run` or `exitgate check`.',
  ],
  [
    'an iteration that is not a number',
    ['explain', 'x'],
    64,
    'The iteration must be a whole number of at least 1, not "x".',
  ],
  [
    'history with no entries to show',
    ['history', '--last', '0'],
    64,
    '--last must be a whole number of at least 1, not "0".',
  ],
]

describe('bad input gets one clear message and the right exit code', () => {
  it.each(ROWS)('%s', async (_name, args, code, stderr) => {
    const p = project(FILES)
    mkdirSync(join(p.dir, 'folder'))
    const ran = await p.run(args)
    expect(ran.stderr.replaceAll(p.dir, 'DIR')).toBe(
      stderr === '' ? '' : `${code === 64 ? 'error' : 'warning'}: ${stderr}\n`,
    )
    expect(ran.code).toBe(code)
  })

  it('truncated evidence: the message names the file', async () => {
    const p = project(FILES)
    const ran = await p.run(['check', '--evidence', 'cut.json'])
    expect([ran.code, ran.stderr]).toEqual([
      64,
      expect.stringMatching(/^error: --evidence .*cut\.json can't be used: .*JSON.*\. It should look like \{"tests"/),
    ])
  })

  it('a broken configuration: the message has file, line, value and the nearest key', async () => {
    const p = project({ ...FILES, 'exitgate.config.json': '{\n  "cub": {\n    "treshold": 3\n  }\n}\n' })
    const ran = await p.run(['check'])
    expect(ran.code).toBe(64)
    expect(ran.stderr).toMatch(/exitgate\.config\.json:3: .*"treshold".*Did you mean "threshold"\?/)
  })

  it('a newer journal: the message has both versions, and the journal is not changed', async () => {
    const p = project(FILES)
    await p.run(['check', '--transcript', 'out.txt'])
    const file = join(p.state, readdirSync(p.state)[0] ?? '', 'journal.jsonl')
    const newer = readFileSync(file, 'utf8').replace(/"v":1/g, '"v":99')
    writeFileSync(file, newer)
    const ran = await p.run(['check', '--transcript', 'out.txt'])
    expect([ran.code, ran.stderr]).toEqual([70, expect.stringMatching(/format version 99; this release reads up to 1/)])
    expect(readFileSync(file, 'utf8')).toBe(newer)
  })

  it('bad input writes nothing to the journal', async () => {
    const p = project(FILES)
    for (const [, args, code] of ROWS) if (code === 64) await p.run(args)
    expect((await p.run(['state', '--json'])).json).toMatchObject({ seq: 0 })
  })

  it('a file without read permission', async ({ skip }) => {
    skip(process.getuid?.() === 0, 'root reads everything, whatever its permissions')
    const p = project(FILES)
    chmodSync(join(p.dir, 'out.txt'), 0)
    const ran = await p.run(['check', '--transcript', 'out.txt'])
    expect([ran.code, ran.stderr]).toEqual([64, expect.stringContaining("can't be read. Check its permissions.")])
  })

  it('a decision that cannot be recorded is not printed', async () => {
    const p = project(FILES)
    writeFileSync(p.state, 'a file where the folder belongs')
    const ran = await p.run(['check', '--transcript', 'out.txt', '--evidence', 'ev.json'])
    expect([ran.code, ran.stdout]).toEqual([70, ''])
    expect(ran.stderr).toMatch(/is not a folder\. Fix the path, or choose another folder with --state-dir/)
  })
})
