import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { writeCompat } from '../../src/loop/write-compat.ts'
import { type Case, play } from './play.ts'

let base = ''
let dir = ''
beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), 'exitgate-compat-'))
  dir = join(base, 'workspace')
  mkdirSync(dir)
})
afterEach(() => rmSync(base, { recursive: true, force: true }))

const inputOf = (played: Case) => play(played).inputs.at(-1)!
const cub = () => inputOf({ preset: 'cub', iterations: [{}] })
const blackbox = () => inputOf({ preset: 'blackbox', iterations: [{}] })
const log = () => join(dir, '.cub/exit-gate.log')
const stateFile = () => join(dir, '.ralph/exit-state.json')
function put(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text)
}

describe('ordinary work', () => {
  it('creates folders and appends', () => {
    expect(writeCompat(dir, cub())).toEqual([])
    expect(writeCompat(dir, cub())).toEqual([])
    expect(readFileSync(log(), 'utf8').trimEnd().split('\n')).toHaveLength(2)
  })

  it('replaces complete files, keeps their mode, and leaves no temporary file', () => {
    put(stateFile(), '{"total_decisions": 41, "confidence_history": ["7"]}')
    chmodSync(stateFile(), 0o600)
    expect(writeCompat(dir, blackbox())).toEqual([])
    expect(JSON.parse(readFileSync(stateFile(), 'utf8'))).toMatchObject({
      total_decisions: 42,
      confidence_history: [7],
    })
    expect(statSync(stateFile()).mode & 0o777).toBe(0o600)
    expect(readdirSync(join(dir, '.ralph')).sort()).toEqual(['exit-state.json', 'logs'])
  })

  it('starts over from a broken file', () => {
    put(stateFile(), '{"total_decisions": 4')
    expect(writeCompat(dir, blackbox())).toEqual([])
    expect(JSON.parse(readFileSync(stateFile(), 'utf8'))).toMatchObject({ total_decisions: 1 })
  })

  it('does nothing for default or if files are disabled', () => {
    expect(writeCompat(dir, inputOf({ preset: 'default', iterations: [{}] }))).toEqual([])
    expect(writeCompat(dir, inputOf({ preset: 'cub', config: { files: false }, iterations: [{}] }))).toEqual([])
    expect(readdirSync(dir)).toEqual([])
  })

  it('follows links that stay inside', () => {
    put(join(dir, 'logs/gate.log'), 'first\n')
    mkdirSync(join(dir, '.cub'))
    symlinkSync('../logs/gate.log', log())
    expect(writeCompat(dir, cub())).toEqual([])
    expect(readFileSync(join(dir, 'logs/gate.log'), 'utf8').split('\n')).toHaveLength(3)
    expect(lstatSync(log()).isSymbolicLink()).toBe(true)
  })
})

describe('rejected paths', () => {
  const refusals: [name: string, prepare: () => void, problem: RegExp][] = [
    ['a folder that leads out', () => symlinkSync(base, join(dir, '.cub')), /leads out of the workspace/],
    [
      'a file that leads out',
      () => [put(join(base, 'x.log'), 'x'), mkdirSync(join(dir, '.cub')), symlinkSync('../../x.log', log())],
      /leads out/,
    ],
    ['a link to nothing', () => [mkdirSync(join(dir, '.cub')), symlinkSync('../../nothing', log())], /not written/],
    ['a file where a folder must be', () => writeFileSync(join(dir, '.cub'), 'x'), /ENOTDIR/],
    ['a folder where a file must be', () => mkdirSync(log(), { recursive: true }), /not a regular file/],
    [
      'a pipe',
      () => [mkdirSync(join(dir, '.cub')), spawnSync('sh', ['-c', 'mkfifo "$0"', log()])],
      /not a regular file/,
    ],
  ]
  it.each(refusals)('%s', (_name, prepare, problem) => {
    prepare()
    const outside = readdirSync(base).sort()
    const problems = writeCompat(dir, cub())
    expect(problems).toHaveLength(1)
    expect(problems[0]).toMatch(problem)
    expect(readdirSync(base).sort()).toEqual(outside)
    if (existsSync(join(base, 'x.log'))) expect(readFileSync(join(base, 'x.log'), 'utf8')).toBe('x')
  })

  it.each(['../outside', '/tmp/exitgate-outside', '..', 'a/../../outside'])('the session folder %s', (sessionDir) => {
    const problems = writeCompat(dir, inputOf({ preset: 'prp', config: { prp: { sessionDir } }, iterations: [{}] }))
    expect(problems.length).toBeGreaterThan(0)
    expect(problems.every((problem) => problem.includes('outside the workspace'))).toBe(true)
    expect(readdirSync(base)).toEqual(['workspace'])
    expect(readdirSync(dir)).toEqual([])
  })

  it('a deleted workspace', () => {
    expect(writeCompat(join(base, 'nowhere'), cub())).toEqual([expect.stringContaining('ENOENT')])
  })
})
