import { spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { COMMANDS, GROUPS } from '../../src/cli/commands/index.ts'
import { root } from '../source-tree.ts'
import { manSource } from './man-source.ts'

const FILE = join(root, 'man', 'exitgate.1')
const present = (program: string): boolean => spawnSync(program, ['--version']).error === undefined

describe('the man page', () => {
  it('is made from the help pages; UPDATE_GOLDEN=1 rewrites it', async () => {
    const stdout = await manSource(GROUPS)
    if (process.env.UPDATE_GOLDEN === '1') {
      mkdirSync(join(root, 'man'), { recursive: true })
      writeFileSync(FILE, stdout)
    }
    expect(stdout).toBe(readFileSync(FILE, 'utf8'))
  })

  it('is in the package', () => {
    const { man, files } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
    expect([man, files.includes('man')]).toEqual(['man/exitgate.1', true])
  })

  it('has every command and every option', async () => {
    const text = readFileSync(FILE, 'utf8').replaceAll('\\-', '-')
    for (const [name, { load }] of Object.entries(COMMANDS)) {
      const section = text.slice(text.indexOf(`\n.SS ${name}\n`)).split(/\n\.S[SH] /)[1] ?? ''
      expect(section.startsWith(`${name}\n`), name).toBe(true)
      for (const option of Object.keys((await load()).OPTIONS))
        if (option !== 'help') expect(section).toContain(`--${option}`)
    }
  })

  it('has no mandoc warnings', ({ skip }) => {
    skip(!present('mandoc'), 'mandoc is not installed')
    const { stdout } = spawnSync('mandoc', ['-T', 'lint', '-W', 'warning', FILE], { encoding: 'utf8' })
    // The page has no date, because every release would have to change it. It displays fine without one.
    expect(stdout.split('\n').filter((line) => line !== '' && !/missing date/.test(line))).toEqual([])
  })

  it('has no groff warnings', ({ skip }) => {
    skip(!present('groff'), 'groff is not installed')
    const done = spawnSync('groff', ['-man', '-ww', '-Tascii', '-P-c', FILE], { encoding: 'utf8' })
    skip(/cannot (?:open|find|load)/.test(done.stderr), 'groff has no devices here')
    expect(done.stderr).toBe('')
    expect(done.stdout).toContain('exitgate run --agent claude --plan PLAN.md -- --permission-mode acceptEdits')
    expect(done.stdout).toContain('while exitgate next --transcript')
  })
})
