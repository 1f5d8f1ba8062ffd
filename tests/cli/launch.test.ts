import { execFile, spawnSync } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { rolldown } from 'rolldown'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { root } from '../source-tree.ts'

const base = mkdtempSync(join(tmpdir(), 'exitgate-launch-'))
const launcher = join(base, 'cli.cjs')
/** Parts are functions of a module's names; this program asks for another part, for itself and for a module of Node. */
const PROGRAM = `(function (exports, require, module, __filename, __dirname) {
  exports.greeting = () => 'hello'
  const other = require('./other.cjs')
  process.stdout.write([other.greet(), require('node:path').basename(__filename), process.argv[2] ?? ''].join(' '))
})`
const OTHER = `(function (exports, require) {
  exports.greet = () => require('./program.cjs').greeting()
})`
const SAID = 'hello program.cjs check'

beforeAll(async () => {
  const bundle = await rolldown({ input: join(root, 'src/cli/launch.ts'), platform: 'node', external: /^node:/ })
  await bundle.write({ file: launcher, format: 'cjs' })
  writeFileSync(join(base, 'program.cjs'), PROGRAM)
  writeFileSync(join(base, 'other.cjs'), OTHER)
})
afterAll(() => rmSync(base, { recursive: true, force: true }))

let count = 0
const newState = (): string => join(base, `state-${count++}`)
const start = (env: Readonly<Record<string, string>>) =>
  spawnSync(process.execPath, [launcher, 'check'], { env, encoding: 'utf8' })
const at = (state: string) => start({ EXITGATE_STATE_DIR: state })
const forms = (state: string): string[] => readdirSync(join(state, 'compiled')).sort()
const programForm = (state: string): string =>
  join(state, 'compiled', forms(state).find((name) => name.includes('-program-')) ?? 'none')
const startsOf = (path: string): number | undefined => readFileSync(path).at(-1)

describe('the launcher', () => {
  it('keeps a compiled form of every part, for its user alone', () => {
    const state = newState()
    expect(at(state)).toMatchObject({ status: 0, stdout: SAID, stderr: '' })
    expect(forms(state)).toEqual([expect.stringContaining('-other-'), expect.stringContaining('-program-')])
    expect(statSync(programForm(state)).mode & 0o777).toBe(0o600)
  })

  it('lets it grow over the first starts and then leaves it alone', () => {
    const state = newState()
    const seen = Array.from({ length: 6 }, () => {
      expect(at(state)).toMatchObject({ status: 0, stdout: SAID })
      return startsOf(programForm(state))
    })
    expect(seen).toEqual([1, 2, 3, 4, 4, 4])
  })

  const half = (bytes: Buffer): Buffer => bytes.subarray(0, (bytes.length - 1) / 2)
  const twice = (bytes: Buffer): Buffer => Buffer.concat([bytes, bytes, Buffer.from([4])])
  const flipped = (bytes: Buffer, place: number): Buffer => {
    const copy = Buffer.from(bytes)
    copy[place]! ^= 1
    return copy
  }
  const damage: readonly [string, (good: Buffer) => Buffer][] = [
    ['empty', () => Buffer.alloc(0)],
    ['a single byte', () => Buffer.from([4])],
    ['garbage', () => Buffer.from('garbage')],
    ['garbage, twice the same', () => twice(Buffer.from('garbage'))],
    ['zeros', (good) => Buffer.alloc(good.length)],
    ['cut off', (good) => good.subarray(0, good.length >> 1)],
    ['cut off, twice the same', (good) => twice(half(good).subarray(0, 500))],
    ['changed by a bit at its beginning', (good) => flipped(good, 0)],
    ['changed by a bit in its middle', (good) => flipped(good, good.length >> 2)],
    ['changed by a bit in its second copy', (good) => flipped(good, (good.length * 3) >> 2)],
  ]
  it.each(damage)('makes a form that is %s anew', (_name, damaged) => {
    const state = newState()
    at(state)
    const path = programForm(state)
    writeFileSync(path, damaged(readFileSync(path)))
    expect(at(state)).toMatchObject({ status: 0, stdout: SAID, stderr: '' })
    expect(startsOf(path)).toBe(1)
  })

  it('does not believe a form that others can read or write', () => {
    const state = newState()
    at(state)
    chmodSync(programForm(state), 0o644)
    expect(at(state)).toMatchObject({ status: 0, stdout: SAID })
    expect([startsOf(programForm(state)), statSync(programForm(state)).mode & 0o777]).toEqual([1, 0o600])
  })

  it('starts without keeping anything where nothing can be kept', () => {
    const occupied = newState()
    writeFileSync(occupied, 'a file')
    expect(at(occupied)).toMatchObject({ status: 0, stdout: SAID, stderr: '' })
    expect(start({})).toMatchObject({ status: 0, stdout: SAID, stderr: '' })
    expect(start({ HOME: 'not/absolute' })).toMatchObject({ status: 0, stdout: SAID, stderr: '' })
    expect(existsSync('not')).toBe(false)
  })

  const places: readonly [string, (dir: string) => Readonly<Record<string, string>>, string][] = [
    ['the home folder', (dir) => ({ HOME: dir }), '.local/state/exitgate/compiled'],
    ['XDG_STATE_HOME', (dir) => ({ HOME: '/nowhere', XDG_STATE_HOME: dir }), 'exitgate/compiled'],
    ['EXITGATE_STATE_DIR', (dir) => ({ XDG_STATE_HOME: '/nowhere', EXITGATE_STATE_DIR: dir }), 'compiled'],
  ]
  it.each(places)('keeps it under %s', (_name, env, folder) => {
    const dir = newState()
    mkdirSync(dir)
    expect(start(env(dir))).toMatchObject({ status: 0, stdout: SAID })
    expect(readdirSync(join(dir, folder))).toHaveLength(2)
  })

  it('may be started for the first time by two at once', async () => {
    const state = newState()
    const run = () => promisify(execFile)(process.execPath, [launcher, 'check'], { env: { EXITGATE_STATE_DIR: state } })
    const both = await Promise.all([run(), run()])
    expect(both.map(({ stdout, stderr }) => stdout + stderr)).toEqual([SAID, SAID])
    expect(forms(state)).toHaveLength(2)
    expect(at(state)).toMatchObject({ status: 0, stdout: SAID })
  })

  it('says so when a part is missing', () => {
    const broken = join(base, 'broken')
    mkdirSync(broken)
    writeFileSync(join(broken, 'cli.cjs'), readFileSync(launcher))
    const { status, stderr } = spawnSync(process.execPath, [join(broken, 'cli.cjs')], { env: {}, encoding: 'utf8' })
    expect([status, stderr]).toEqual([70, expect.stringMatching(/^exitgate: .*program\.cjs.*install it again\n$/)])
  })
})
