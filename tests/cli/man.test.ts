import { spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { COMMANDS } from '../../src/cli/commands/index.ts'
import { root } from '../source-tree.ts'
import { project } from './run-cli.ts'

const FILE = join(root, 'man', 'exitgate.1')
const present = (program: string): boolean => spawnSync(program, ['--version']).error === undefined

describe('exitgate man', () => {
  it('prints the page that is shipped; UPDATE_GOLDEN=1 writes it anew', async () => {
    const { code, stdout } = await project().run(['man'])
    expect(code).toBe(0)
    if (process.env.UPDATE_GOLDEN === '1') {
      mkdirSync(join(root, 'man'), { recursive: true })
      writeFileSync(FILE, stdout)
    }
    expect(stdout).toBe(readFileSync(FILE, 'utf8'))
  })

  it('is shipped', () => {
    const { man, files } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
    expect([man, files.includes('man')]).toEqual(['man/exitgate.1', true])
  })

  it('tells of every command and every option', async () => {
    const text = readFileSync(FILE, 'utf8').replaceAll('\\-', '-')
    for (const [name, { load }] of Object.entries(COMMANDS)) {
      const section = text.slice(text.indexOf(`\n.SS ${name}\n`)).split(/\n\.S[SH] /)[1] ?? ''
      expect(section.startsWith(`${name}\n`), name).toBe(true)
      for (const option of Object.keys((await load()).OPTIONS))
        if (option !== 'help') expect(section).toContain(`--${option}`)
    }
  })

  it('is sound for mandoc', ({ skip }) => {
    skip(!present('mandoc'), 'mandoc is not installed')
    const { stdout } = spawnSync('mandoc', ['-T', 'lint', '-W', 'warning', FILE], { encoding: 'utf8' })
    // A date would have to be changed with every release; a page without one is shown as well.
    expect(stdout.split('\n').filter((line) => line !== '' && !/missing date/.test(line))).toEqual([])
  })

  it('is shown by groff without a word of complaint', ({ skip }) => {
    skip(!present('groff'), 'groff is not installed')
    const done = spawnSync('groff', ['-man', '-ww', '-Tascii', '-P-c', FILE], { encoding: 'utf8' })
    skip(/cannot (?:open|find|load)/.test(done.stderr), 'groff has no devices here')
    expect(done.stderr).toBe('')
    expect(done.stdout).toContain('exitgate run --agent claude --plan PLAN.md --max-cost 20')
    expect(done.stdout).toContain('while exitgate next --transcript out.log --test "npm test"')
  })
})
