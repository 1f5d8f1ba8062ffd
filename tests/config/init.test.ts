import { chmodSync, existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { run } from '../../src/cli/commands/init.ts'
import { loadConfig } from '../../src/config/load.ts'
import { PRESETS } from '../../src/core/presets/index.ts'
import { ran } from './command.ts'
import { workspace } from './workspace.ts'

const J = 'exitgate.config.json'
const Y = 'exitgate.config.yaml'
const read = (dir: string, name: string): string => readFileSync(join(dir, name), 'utf8')
const load = (dir: string) => loadConfig({ dir, env: {}, flags: {}, presets: PRESETS })

const ralph = {
  '.ralphrc': 'CB_NO_PROGRESS_THRESHOLD=4\nALLOWED_TOOLS="Read,Bash(npm *)"\nSESSION_CONTINUITY=true\n',
  '.ralph/fix_plan.md': '- [ ] a\n',
}

const NOTHING_FOUND = `Found here:
  agents     none found on the PATH
  tests      no command found; set commands.test
`
const NO_TESTS = `Next: set commands.test to the command that runs your tests, then try it with exitgate doctor.
`

describe('exitgate init', () => {
  it('writes a minimal file', async () => {
    const cwd = workspace()
    expect(await ran(run, [], { cwd })).toEqual({ code: 0, out: '', err: `${NOTHING_FOUND}Wrote ${J}.\n${NO_TESTS}` })
    expect(read(cwd, J)).toBe(
      '{\n  "preset": "default",\n  "limits": {\n    "iterations": 50,\n    "minutes": 480\n  }\n}\n',
    )
    expect(readdirSync(cwd)).toEqual([J])
  })

  it('writes each command of which there is one, and the plan, and says the next step', async () => {
    const scripts = { test: 'node --test', build: 'node build.js', lint: 'node lint.js' }
    const cwd = workspace({
      'package.json': JSON.stringify({ scripts }),
      'PLAN.md': '- [ ] a\n',
      'api/pytest.ini': '[pytest]\n',
    })
    const { code, err } = await ran(run, [], { cwd })
    expect([code, JSON.parse(read(cwd, J))]).toMatchObject([
      0,
      { commands: { build: 'npm run build', lint: 'npm run lint' }, plan: 'PLAN.md' },
    ])
    expect(err).toMatch(
      /Wrote exitgate\.config\.json\.\nIts commands must pass .*\nNext: test the setup with exitgate doctor, then start with exitgate run --task "\.\.\." -- AGENT\n$/,
    )
  })

  it('writes YAML with comments that can be loaded again', async () => {
    const cwd = workspace()
    expect(await ran(run, ['--format', 'yaml', '--preset', 'prp'], { cwd })).toMatchObject({ code: 0 })
    expect(read(cwd, Y)).toBe(`# exitgate configuration.
# \`exitgate config\` prints every setting and where it comes from.
preset: prp
limits:
  iterations: 50
  minutes: 480
`)
    expect((await load(cwd)).config.preset).toBe('prp')
  })

  it('refers to the schema of the installed package', async () => {
    const files = { 'node_modules/exitgate/config.schema.json': '{}' }
    const [json, yaml] = [workspace(files), workspace(files)]
    await ran(run, [], { cwd: json })
    await ran(run, ['--format', 'yaml'], { cwd: yaml })
    expect(read(json, J)).toContain('"$schema": "./node_modules/exitgate/config.schema.json"')
    expect(read(yaml, Y)).toMatch(
      /^# yaml-language-server: \$schema=\.\/node_modules\/exitgate\/config\.schema\.json\n/,
    )
    expect((await load(json)).config.preset).toBe('default')
  })

  it('reports which older tool it detects', async () => {
    const cwd = workspace({ ...ralph, '.planning/.ralph-config': '' })
    const { err } = await ran(run, [], { cwd })
    expect(err).toBe(`${NOTHING_FOUND}  older loop gsd, ralph
  plan       .ralph/fix_plan.md
Wrote ${J}.
This looks like a gsd project. Import its settings with exitgate init --from gsd.
This looks like a ralph project. Import its settings with exitgate init --from ralph.
${NO_TESTS}`)
  })

  it('does not mistake every .env for doyaken', async () => {
    const { out } = await ran(run, ['--json'], { cwd: workspace({ '.env': 'A=1' }) })
    expect(JSON.parse(out).found).toEqual([])
  })

  it('migrates the settings of an older tool and reports them', async () => {
    const cwd = workspace(ralph)
    const { code, err } = await ran(run, ['--from', 'ralph', '--format', 'yaml'], {
      cwd,
      env: { CB_AUTO_RESET: 'true' },
    })
    expect(code).toBe(0)
    expect(err).toBe(`${NOTHING_FOUND}  older loop ralph
  plan       .ralph/fix_plan.md
Wrote ${Y}.
Imported:
  .ralphrc: CB_NO_PROGRESS_THRESHOLD -> breaker.noProgress = 4
  .ralphrc: ALLOWED_TOOLS -> ralph.allowedTools = ["Read","Bash(npm *)"]
  .ralph/fix_plan.md: plan -> plan = ".ralph/fix_plan.md"
  environment: CB_AUTO_RESET -> breaker.autoReset = true
Not imported:
  .ralphrc: SESSION_CONTINUITY = "true": sessions are managed by the agent: use its own options
${NO_TESTS}`)
    expect(read(cwd, Y)).toBe(`# exitgate configuration, imported from ralph.
# \`exitgate config\` prints every setting and where it comes from.
preset: ralph
breaker:
  noProgress: 4  # CB_NO_PROGRESS_THRESHOLD in .ralphrc
  autoReset: true  # CB_AUTO_RESET in environment
ralph:
  allowedTools:  # ALLOWED_TOOLS in .ralphrc
    - "Read"
    - "Bash(npm *)"
plan: ".ralph/fix_plan.md"  # .ralph/fix_plan.md
`)
    const { config, sources } = await load(cwd)
    expect(config.ralph.allowedTools).toEqual(['Read', 'Bash(npm *)'])
    expect(sources.get('breaker.noProgress')).toBe(`${Y}:5`)
  })

  it('keeps migrated values under another preset', async () => {
    const cwd = workspace(ralph)
    await ran(run, ['--from', 'ralph', '--preset', 'default'], { cwd })
    const { config } = await load(cwd)
    expect([config.preset, config.breaker.noProgress]).toEqual(['default', 4])
  })

  it('migrates settings from environment variables alone', async () => {
    const { code, out } = await ran(run, ['--from', 'doyaken', '--json'], {
      cwd: workspace(),
      env: { ED_CONFIDENCE_THRESHOLD: '80' },
    })
    expect(code).toBe(0)
    expect(JSON.parse(out)).toEqual({
      file: J,
      written: true,
      found: [],
      patch: { preset: 'doyaken', doyaken: { threshold: 80 } },
      carried: ['environment: ED_CONFIDENCE_THRESHOLD -> doyaken.threshold = 80'],
      noCounterpart: [],
      text: '{\n  "preset": "doyaken",\n  "doyaken": {\n    "threshold": 80\n  }\n}\n',
    })
  })

  it('writes nothing in a dry run', async () => {
    const cwd = workspace(ralph)
    const { out, err } = await ran(run, ['--dry-run', '--from', 'ralph'], { cwd })
    expect(JSON.parse(out).breaker).toEqual({ noProgress: 4 })
    expect(err).toMatch(/\nDry run: exitgate\.config\.json was not written\.\n/)
    expect(existsSync(join(cwd, J))).toBe(false)
  })

  it('overwrites a file only with --force', async () => {
    const cwd = workspace({ [J]: '{}' })
    expect(await ran(run, [], { cwd })).toEqual({
      code: 64,
      out: '',
      err: `${J} already exists. Use --force to overwrite it.\n`,
    })
    expect(read(cwd, J)).toBe('{}')
    expect((await ran(run, ['--force'], { cwd })).code).toBe(0)
    expect(read(cwd, J)).toContain('"preset"')
    expect(readdirSync(cwd)).toEqual([J])
  })

  it('never writes through a link', async () => {
    const cwd = workspace({ 'mine.txt': 'mine' })
    symlinkSync(join(cwd, 'mine.txt'), join(cwd, J))
    const { code, err } = await ran(run, ['--force'], { cwd })
    expect([code, err]).toEqual([
      64,
      `${J} is a symbolic link, and exitgate does not write through links. Remove it first.\n`,
    ])
    expect(read(cwd, 'mine.txt')).toBe('mine')
    expect(lstatSync(join(cwd, J)).isSymbolicLink()).toBe(true)
  })

  it('never writes through a dangling link', async () => {
    const cwd = workspace()
    symlinkSync(join(cwd, 'nothing'), join(cwd, J))
    expect((await ran(run, [], { cwd })).code).toBe(64)
    expect(existsSync(join(cwd, 'nothing'))).toBe(false)
  })

  const refused: [string, Readonly<Record<string, string>>, readonly string[], string][] = [
    [
      'a file in another format exists',
      { [Y]: '' },
      ['--force'],
      `${Y} already exists. Remove it before you write ${J}.`,
    ],
    [
      'package.json configures exitgate',
      { 'package.json': '{"exitgate": {}}' },
      [],
      `package.json already has a key "exitgate". Remove it before you write ${J}.`,
    ],
    [
      'there is nothing to migrate',
      {},
      ['--from', 'gsd'],
      'No settings of gsd found here: none of .planning/.ralph-config, .planning/ROADMAP.md exists.',
    ],
    [
      'the system is unknown',
      {},
      ['--from', 'ralf'],
      '--from must be one of cub, prp, doyaken, blackbox, gsd, ralph, not "ralf". Did you mean "ralph"?',
    ],
    ['the format is unknown', {}, ['--format', 'xml'], '--format must be one of json, yaml, not "xml".'],
    [
      'the settings file of the older tool is a folder',
      { '.ralphrc': '#'.repeat(2_000_000) },
      ['--from', 'ralph'],
      '.ralphrc: 2000000 bytes is too large for a settings file.',
    ],
  ]
  it.each(refused)('ends with 64 when %s', async (_, files, args, sentence) => {
    const cwd = workspace(files)
    expect(await ran(run, args, { cwd })).toEqual({ code: 64, out: '', err: `${sentence}\n` })
    expect(existsSync(join(cwd, J))).toBe(false)
  })

  it('ends with 64 when a folder has that name', async () => {
    const cwd = workspace()
    mkdirSync(join(cwd, J))
    expect(await ran(run, ['--force'], { cwd })).toMatchObject({
      code: 64,
      err: `${J} exists and is not a regular file. Move it out of the way.\n`,
    })
  })

  it('leaves no temporary file when writing fails', async ({ skip }) => {
    skip(process.getuid?.() === 0, 'root writes everywhere, whatever the permissions')
    const cwd = workspace()
    chmodSync(cwd, 0o500)
    expect(await ran(run, [], { cwd })).toMatchObject({ code: 64, err: `can't write ${J} (EACCES).\n` })
    expect(readdirSync(cwd)).toEqual([])
  })
})
