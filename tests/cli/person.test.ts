import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { confirmPerson } from '../../src/cli/person.ts'
import { CODE_MS } from '../../src/loop/control/codes.ts'

/** A state folder, a clock, and calls without a terminal. */
function place() {
  const dir = mkdtempSync(join(tmpdir(), 'exitgate-person-'))
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }))
  let now = 1_000_000
  const stream = { write: () => true }
  const io = { stdout: stream, stderr: stream, env: {}, cwd: dir, home: dir, platform: 'linux', pid: 1, now: () => now }
  const file = join(dir, 'one-time-code')
  /** Undefined if it was confirmed, else why not. */
  const confirm = async (name: string, code?: string, more: object = {}): Promise<string | undefined> => {
    try {
      await confirmPerson({ dir, name, code, ...more }, { ...io, ...more })
      return undefined
    } catch (error) {
      return (error as Error).message
    }
  }
  return {
    file,
    confirm,
    pass: (ms: number) => (now += ms),
    code: () => readFileSync(file, 'utf8').split('\n')[0] ?? '',
  }
}

describe('without a terminal and without a run', () => {
  it('the code is in a file that only the user can read', async () => {
    const { confirm, file, code } = place()
    expect(await confirm('force')).toBe(
      `Only you may do this, and there is no terminal to ask you on. So a code was written to ${file}. Repeat the command with --code CODE within five minutes.`,
    )
    expect(statSync(file).mode & 0o777).toBe(0o600)
    expect(code()).toMatch(/^[A-Z2-9]{6}$/)
    expect(readFileSync(`${file}.json`, 'utf8')).not.toContain(code())
  })

  it.each(['force', 'skip', 'accept K3F9A', 'goal stop', 'trust'])('right: %s, and only once', async (name) => {
    const { confirm, code, file } = place()
    await confirm(name)
    const shown = code()
    expect(await confirm(name, shown.toLowerCase())).toBeUndefined()
    expect(existsSync(file)).toBe(false)
    expect(await confirm(name, shown)).toMatch(/used already/)
  })

  it.each([
    ['another command', 'skip'],
    ['another finding', 'accept M2QXC'],
  ])('for %s', async (_name, other) => {
    const { confirm, code } = place()
    await confirm('accept K3F9A')
    expect(await confirm(other, code())).toMatch(/for another command/)
  })

  it('wrong: three tries', async () => {
    const { confirm, code } = place()
    await confirm('force')
    const shown = code()
    const answers = []
    for (let nth = 1; nth <= 3; nth++) answers.push(await confirm('force', 'WRONG2'))
    expect(answers).toEqual(['Wrong code (try 1 of 3).', 'Wrong code (try 2 of 3).', 'Wrong code (try 3 of 3).'])
    expect(await confirm('force', shown)).toMatch(/used already/)
  })

  it('expired', async () => {
    const { confirm, code, pass } = place()
    await confirm('force')
    const shown = code()
    pass(CODE_MS)
    expect(await confirm('force', shown)).toMatch(/expired/)
  })

  it('trust: the code is for the commands that were shown', async () => {
    const { confirm, code } = place()
    expect(await confirm('trust', undefined, { about: 'trust npm test' })).toMatch(/a code was written to/)
    expect(await confirm('trust', code(), { about: 'trust sh other.sh' })).toMatch(/for another command/)
    expect(await confirm('trust', code(), { about: 'trust npm test' })).toBeUndefined()
  })

  it('a program that calls exitgate in its own process answers for its user', async () => {
    const { confirm } = place()
    expect(await confirm('force', undefined, { pid: undefined })).toBeUndefined()
  })
})
