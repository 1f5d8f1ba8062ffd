import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { LAUNCHERS } from '../../src/agents/launch/index.ts'
import { findModel } from '../../src/loop/agent/find-model.ts'

const root = mkdtempSync(join(tmpdir(), 'exitgate-model-'))
afterAll(() => rmSync(root, { recursive: true, force: true }))

const SESSION = '01a1e4ba-20b5-74c3-a00b-a1ec34bd0cfa'
const rollout = `.codex/sessions/2026/11/16/rollout-2026-11-16T14-19-25-${SESSION}.jsonl`
const turn = (model: unknown) =>
  `{"type":"session_meta","payload":{"id":"${SESSION}"}}\n{"type":"turn_context","payload":{"model":${JSON.stringify(model)}}}\n`
const toml =
  'profile = "night"\nmodel = "in-file"\n[profiles.night]\nmodel = \'of-profile\'\n[profiles."by.day"]\nmodel = "of-day"\n'

interface Row {
  readonly about: string
  readonly agent: string
  readonly files?: Readonly<Record<string, string>>
  readonly args?: readonly string[]
  readonly env?: Readonly<Record<string, string>>
  readonly session?: string
  readonly model: string | undefined
}

const rows: readonly Row[] = [
  { about: 'nothing names it', agent: 'codex', model: undefined },
  { about: 'an option', agent: 'codex', args: ['exec', '--model', 'a.b/c:d'], model: 'a.b/c:d' },
  { about: 'an option with an equals sign', agent: 'codex', args: ['--model=one', '-m', 'two'], model: 'two' },
  { about: 'an option without a value', agent: 'codex', args: ['--model'], model: undefined },
  { about: 'a setting on the command line', agent: 'codex', args: ['-c', 'model="set"'], model: 'set' },
  { about: 'the file', agent: 'codex', files: { 'home/.codex/config.toml': 'model = "in-file"\n' }, model: 'in-file' },
  {
    about: 'a model of another table',
    agent: 'codex',
    files: { 'home/.codex/config.toml': '[x]\nmodel = "y"\n' },
    model: undefined,
  },
  { about: 'the profile of the file', agent: 'codex', files: { 'home/.codex/config.toml': toml }, model: 'of-profile' },
  {
    about: 'a profile',
    agent: 'codex',
    args: ['-p', 'by.day'],
    files: { 'home/.codex/config.toml': toml },
    model: 'of-day',
  },
  {
    about: 'the project before the user',
    agent: 'codex',
    files: { 'work/.codex/config.toml': 'model = "p"', 'home/.codex/config.toml': toml },
    model: 'p',
  },
  {
    about: 'another folder',
    agent: 'codex',
    env: { CODEX_HOME: 'other' },
    files: { 'other/config.toml': 'model = "o"' },
    model: 'o',
  },
  {
    about: 'the session',
    agent: 'codex',
    session: SESSION,
    files: { [`home/${rollout}`]: turn('real'), 'home/.codex/config.toml': toml },
    model: 'real',
  },
  {
    about: 'another session',
    agent: 'codex',
    session: 'abc',
    files: { [`home/${rollout}`]: turn('real') },
    model: undefined,
  },
  {
    about: 'a session with an odd model',
    agent: 'codex',
    session: SESSION,
    files: { [`home/${rollout}`]: turn({ a: 1 }) },
    model: undefined,
  },
  {
    about: 'a session that is not JSON',
    agent: 'codex',
    session: SESSION,
    files: { [`home/${rollout}`]: '"type":"turn_context"' },
    model: undefined,
  },
  { about: 'a variable', agent: 'gemini', env: { GEMINI_MODEL: 'gemini-x' }, model: 'gemini-x' },
  {
    about: 'settings with comments',
    agent: 'gemini',
    files: { 'home/.gemini/settings.json': '{\n// a "quote"\n"model": {"name": "g//1", },\n}' },
    model: 'g//1',
  },
  { about: 'broken settings', agent: 'gemini', files: { 'home/.gemini/settings.json': '{' }, model: undefined },
  {
    about: 'its configuration',
    agent: 'opencode',
    files: { 'home/.config/opencode/opencode.jsonc': '{"model": "loop/test"} // x' },
    model: 'loop/test',
  },
  { about: 'the project', agent: 'opencode', files: { 'work/opencode.json': '{"model": "p/q"}' }, model: 'p/q' },
  { about: 'an agent that reports its cost', agent: 'claude', args: ['--model', 'opus'], model: undefined },
]

it.each(rows)('$agent: $about', ({ agent, files = {}, args = [], env = {}, session, model }) => {
  const folder = mkdtempSync(join(root, 'row-'))
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), text)
  }
  const launcher = LAUNCHERS.find(({ name }) => name === agent)!
  const own = Object.fromEntries(
    Object.entries(env).map(([name, value]) => [name, name.endsWith('HOME') ? join(folder, value) : value]),
  )
  const start = { args, workspace: join(folder, 'work'), env: { HOME: join(folder, 'home'), ...own } }
  expect(findModel(launcher, { ...start, ...(session === undefined ? {} : { session }) })).toBe(model)
})
