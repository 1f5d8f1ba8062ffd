import { describe, expect, it } from 'vitest'
import { FORMATS } from '../../src/agents/reader.ts'
import { COMMANDS } from '../../src/cli/commands/index.ts'
import { PRESET_NAMES } from '../../src/config/schema.ts'
import { CONFIDENCES } from '../../src/inbox/signal.ts'
import { HELP, PAGES } from './help-pages.ts'
import { project } from './run-cli.ts'

const named = (text: string): readonly string[] =>
  [...text.matchAll(/(?<![\w-])--([a-z][a-z-]*)/g)].map(([, name]) => name!)
const optionsOf = async (command: string): Promise<readonly string[]> =>
  Object.keys((await COMMANDS[command]!.load()).OPTIONS)

describe('--help', () => {
  it('has a page for every command and for nothing else', () => {
    expect(Object.keys(HELP)).toEqual(Object.keys(COMMANDS))
  })

  describe.each(Object.keys(COMMANDS))('%s', (command) => {
    const page = HELP[command]!

    it('names every option that its parser takes, and no other', async () => {
      const options = (await optionsOf(command)).filter((name) => name !== 'help')
      expect([...new Set(page.rows.flatMap(([names, text]) => [...named(names), ...named(text)]))].sort()).toEqual(
        [...options].sort(),
      )
    })

    it('calls only what exists', async () => {
      for (const line of [...page.usage.map((call) => `exitgate ${call}`), ...page.examples]) {
        for (const [, called, rest] of line.matchAll(/\bexitgate ([a-z-]+)([^|;]*)/g)) {
          if (called === 'next' || Object.hasOwn(COMMANDS, called!)) {
            const own = (rest!.split(' -- ')[0] ?? '').replace(/"[^"]*"/g, '')
            for (const option of named(own)) expect(await optionsOf(called!)).toContain(option)
          } else expect(line).toMatch(/^exitgate (?:while|claude)\b/)
        }
      }
      expect(page.examples.length).toBeGreaterThan(0)
    })

    it('fits a screen', () => {
      const lines = PAGES[command]!.trimEnd().split('\n')
      expect(lines.length).toBeLessThanOrEqual(40)
      expect(lines.filter((line) => line.length > 100)).toEqual([])
    })

    it.each([[[command, '--help']], [['help', command]], [[command, '-h']]])('is shown by %j', async (args) => {
      const { code, stdout } = await project().run(args)
      expect([code, stdout]).toEqual([0, PAGES[command]])
    })
  })

  const lists: [command: string, words: readonly string[]][] = [
    ['check', FORMATS],
    ['check', PRESET_NAMES],
    ['run', PRESET_NAMES],
    ['signal', CONFIDENCES],
  ]
  it.each(lists)('%s names the words that an option takes: %j', (command, words) => {
    expect(HELP[command]!.rows.map(([, text]) => text)).toContain(words.join(', '))
  })

  it('lists the commands on one screen', async () => {
    const { stdout } = await project().run(['--help'])
    const lines = stdout.trimEnd().split('\n')
    expect(lines.length).toBeLessThanOrEqual(40)
    expect(lines.filter((line) => line.length > 100)).toEqual([])
    for (const command of Object.keys(COMMANDS)) expect(stdout).toMatch(new RegExp(`^ {2}${command} `, 'm'))
  })
})
