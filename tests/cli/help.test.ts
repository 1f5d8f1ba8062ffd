import { describe, expect, it } from 'vitest'
import { FORMATS } from '../../src/agents/reader.ts'
import { rowsOf } from '../../src/cli/command.ts'
import { ALIASES, COMMANDS, commandIn, GROUPS } from '../../src/cli/commands/index.ts'
import { PRESET_NAMES } from '../../src/config/schema.ts'
import { CONFIDENCES } from '../../src/inbox/signal.ts'
import { HELP, PAGES } from './help-pages.ts'
import { project } from './run-cli.ts'

const named = (text: string): readonly string[] =>
  [...text.matchAll(/(?<![\w-])--([a-z][a-z-]*)/g)].map(([, name]) => name!)
const optionsOf = async (args: readonly string[]): Promise<readonly string[]> =>
  Object.keys((await commandIn(args).entry!.load()).OPTIONS)

describe('--help', () => {
  it('has a page for every command, and no other pages', () => {
    expect(Object.keys(HELP)).toEqual(Object.keys(COMMANDS))
  })

  describe.each(Object.keys(COMMANDS))('%s', (command) => {
    const page = HELP[command]!
    const words = command.split(' ')

    it('has one row for every option of its parser, and no other rows', async () => {
      const options = (await optionsOf(words)).filter((name) => name !== 'help')
      expect(rowsOf(page).flatMap(([names]) => named(names))).toHaveLength(rowsOf(page).length)
      expect(
        rowsOf(page)
          .flatMap(([names]) => named(names))
          .sort(),
      ).toEqual([...options].sort())
    })

    it('describes every option, and the default of each option with a value', async () => {
      const { OPTIONS } = await COMMANDS[command]!.load()
      const needsDefault = (names: string): boolean => {
        const [option = ''] = named(names)
        return OPTIONS[option]?.type === 'string' && !WITHOUT_DEFAULT.includes(option)
      }
      expect(
        rowsOf(page).filter(([names, text]) => text === '' || (needsDefault(names) && !/default|required/.test(text))),
      ).toEqual([])
    })

    it('has a usage line, one sentence and two or three examples', () => {
      expect(page.usage.length).toBeGreaterThan(0)
      expect(page.about).toMatch(/^[A-Z][^.]*(?:\.[^. ][^.]*)*\.$/)
      expect([2, 3]).toContain(page.examples.length)
    })

    it('uses only existing commands and options in usage and examples', async () => {
      const calls = page.usage.map((call) => (/\bexitgate\b/.test(call) ? call : `exitgate ${call}`))
      for (const line of [...calls, ...page.examples])
        for (const [, called = ''] of line.matchAll(/\bexitgate ([a-z-][^|;]*)/g)) {
          const own = (called.split(' -- ')[0] ?? '').replace(/"[^"]*"/g, '')
          expect(commandIn(own.split(' ')).entry, line).toBeDefined()
          for (const option of named(own)) expect(await optionsOf(own.split(' ')), line).toContain(option)
        }
    })

    it('fits a terminal of 80 columns', () => {
      expect(PAGES[command]!.split('\n').filter((line) => line.length > 80)).toEqual([])
    })

    it.each([[[...words, '--help']], [['help', ...words]], [[...words, '-h']]])('is shown by %j', async (args) => {
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
  it.each(lists)('%s lists the values of an option: %j', (command, words) => {
    const texts = rowsOf(HELP[command]!).map(([, text]) => text.replace(/ \(default: .*\)$/, ''))
    expect(texts).toContain(words.join(', '))
  })
})

/** Without a default: the option has no effect unless you pass it, or its text says what is used instead. */
const WITHOUT_DEFAULT = ['exit-threshold', 'reason', 'tasks', 'timed-out', 'repository', 'key']

describe('the overview', () => {
  it.each([[['--help']], [['-h']], [[]]])('%j shows every command once, in its group', async (args) => {
    const { code, stdout } = await project().run(args)
    expect(code).toBe(0)
    const shown = stdout.split('\n').flatMap((line) => /^ {2}([a-z-]+(?: [a-z]+)?) {2,}\S/.exec(line)?.[1] ?? [])
    expect(shown).toEqual(Object.keys(COMMANDS))
    expect(stdout.split('\n').filter((line) => /^[A-Z][a-z ]+:$/.test(line))).toEqual(
      GROUPS.map(([title]) => `${title}:`),
    )
    expect(stdout.split('\n').filter((line) => line.length > 80)).toEqual([])
  })

  it('starts with the six everyday commands', () => {
    expect(Object.keys(GROUPS[0]![1])).toEqual(['run', 'status', 'watch', 'explain', 'report', 'check'])
  })

  it('lists the topics of the docs after exitgate help', async () => {
    expect((await project().run(['help'])).stdout).toMatch(/\nTopics: .*\bci\b/)
  })
})

describe('aliases', () => {
  const rows: [alias: string, command: string, rest: readonly string[]][] = [
    ['state', 'status', []],
    ['history', 'log', []],
    ['logs', 'log', []],
    ['ls', 'log', ['--all']],
    ['interrupt', 'stop', []],
    ['reset-breaker', 'reset', ['--breaker']],
    ['replay', 'lab replay', []],
    ['backtest', 'lab backtest', []],
    ['label', 'lab label', []],
    ['learn', 'lab learn', []],
  ]
  it.each(rows)('%s is %s', (alias, name, rest) => {
    expect(commandIn([alias, '--json'])).toEqual({ name, rest: [...rest, '--json'], entry: COMMANDS[name] })
  })

  it('are all listed above, and not in the help', () => {
    expect(Object.keys(ALIASES)).toEqual(rows.map(([alias]) => alias))
    for (const alias of Object.keys(ALIASES)) expect(COMMANDS).not.toHaveProperty(alias)
  })

  it.each([['version'], ['--version'], ['-V']])('%s prints the version', async (word) => {
    expect((await project().run([word])).stdout).toMatch(/^\d+\.\d+\.\d+\n$/)
  })

  it.each([[['lab']], [['lab', '--help']], [['help', 'lab']]])('%j lists its subcommands', async (args) => {
    const { code, stdout } = await project().run(args)
    expect(code).toBe(0)
    expect(stdout).toContain('Usage: exitgate lab replay|backtest|label|learn [options]')
  })
})

describe('an unknown command or option', () => {
  const rows: [args: readonly string[], stderr: string][] = [
    [['run', 'claude'], 'Unexpected argument "claude". Did you mean --agent claude?'],
    [['run', 'acp'], 'Unexpected argument "acp". Did you mean --agent acp?'],
    [['run', 'fix it'], 'Unexpected argument "fix it". Did you mean --task "fix it"?'],
    [['run', 'PLAN.md'], 'Unexpected argument "PLAN.md". Did you mean --plan PLAN.md?'],
    [['run', 'PROMPT.md'], 'Unexpected argument "PROMPT.md". Did you mean --prompt PROMPT.md?'],
    [['run', 'tasks.yaml'], 'Unexpected argument "tasks.yaml". Did you mean --tasks tasks.yaml?'],
    [['run', './agent.sh'], 'Unexpected argument "./agent.sh". Did you mean -- ./agent.sh?'],
    [
      ['run', '--max-iteration', '3'],
      'Unknown option --max-iteration. Did you mean --max-iterations? See exitgate run --help.',
    ],
    [
      ['run', '--agent', 'claude', '--permission-mode', 'plan'],
      'Unknown option --permission-mode. Options for the agent itself go after --. See exitgate run --help.',
    ],
    [['check', 'claim'], 'Unexpected argument "claim". Did you mean --claim?'],
    [['check', 'foo'], 'Unexpected argument "foo". See exitgate check --help.'],
    [['sttaus'], 'Unknown command "sttaus". Did you mean status? See exitgate --help.'],
    [['logz'], 'Unknown command "logz". Did you mean log? See exitgate --help.'],
    [['claude'], 'Unknown command "claude". Did you mean run --agent claude? See exitgate --help.'],
    [['cancel'], 'Unknown command "cancel". Did you mean stop? See exitgate --help.'],
    [['lab', 'replai'], 'Unknown command "lab replai". Did you mean lab replay? See exitgate --help.'],
    [['frobnicate'], 'Unknown command "frobnicate". See exitgate --help.'],
    [['--frob'], 'Unknown option --frob. Options go after the command. See exitgate --help.'],
    [['--verison'], 'Unknown option --verison. Did you mean --version? See exitgate --help.'],
    [
      ['goal', 'strat'],
      'Unexpected argument "strat": exitgate goal takes one of start, status, stop. Did you mean start?',
    ],
    [
      ['signal'],
      'Missing argument: exitgate signal takes one of complete, continue, blocked. See exitgate signal --help.',
    ],
    [['pause', '--json=1'], '--json takes no value. See exitgate pause --help.'],
  ]
  it.each(rows)('%j', async (args, stderr) => {
    const ran = await project().run(args)
    expect([ran.code, ran.stderr]).toEqual([64, `error: ${stderr}\n`])
  })
})
