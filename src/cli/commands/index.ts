import type { CommandEntry, CommandGroups, Commands, CommandWithHelp } from '../command.ts'

const controls = () => import('./controls.ts')
const hotHelp = () => import('./hot-help.ts')

const command = (about: string, load: () => Promise<CommandWithHelp>): CommandEntry => ({
  about,
  load,
  help: async () => (await load()).HELP,
})

/** Every command you see in the help. Each is loaded only when called, so a hook doesn't pay for what `check` needs. */
export const GROUPS: CommandGroups = [
  [
    'Every day',
    {
      run: {
        about: "run an agent until its work is verified, or it can't finish",
        load: () => import('./run.ts'),
        help: async () => (await import('../run/options.ts')).HELP,
      },
      status: command('show where the current run is', () => import('./status.ts')),
      watch: command('follow and control runs in the browser or the terminal', () => import('./watch.ts')),
      explain: command('explain why an iteration was accepted or rejected', () => import('./explain.ts')),
      report: command('write a run as an HTML page, Markdown or JSON', () => import('./report.ts')),
      check: {
        about: 'check the work once, here or in CI',
        load: () => import('./check.ts'),
        help: async () => (await hotHelp()).check,
      },
    },
  ],
  [
    'Control a run',
    {
      attach: command('show the live view of a run in another terminal, such as after q', () => import('./attach.ts')),
      pause: command('pause the run after the current iteration', async () => (await controls()).pause),
      resume: command('continue a paused run', async () => (await controls()).resume),
      stop: command('stop the run after the current iteration, like Ctrl+C', async () => (await controls()).stop),
      skip: command('skip the current task or phase', async () => (await controls()).skip),
      say: command("add your words to the agent's next prompts", () => import('./say.ts')),
      accept: command('accept a finding, such as a test that had to change', () => import('./accept.ts')),
      force: command('end the run as completed without proof', async () => (await controls()).force),
      reset: command('start over, or only close the circuit breaker', () => import('./reset.ts')),
    },
  ],
  [
    'Set up a project',
    {
      init: command('detect your setup and write a configuration', () => import('./init.ts')),
      doctor: command('test whether exitgate can verify work here', () => import('./doctor.ts')),
      config: command('print every setting and where it comes from', () => import('./config.ts')),
      hook: {
        about: 'install a stop hook in your agent',
        load: () => import('./hook.ts'),
        help: async () => (await hotHelp()).hook,
      },
      trust: command('approve the commands that hooks may run here', () => import('./trust.ts')),
      'hold-out': command("keep tests where the agent can't see them", () => import('./hold-out.ts')),
      goal: command('set what an agent with the hook must reach', () => import('./goal.ts')),
      completion: command('print a completion script for your shell', async () =>
        (await import('./completion.ts')).completionCommand(GROUPS),
      ),
    },
  ],
  [
    'For agents and scripts',
    {
      next: {
        about: 'check in a shell loop: while exitgate next; do agent; done',
        load: () => import('./next.ts'),
        help: async () => (await hotHelp()).next,
      },
      signal: {
        about: "report the agent's status from its shell",
        load: () => import('./signal.ts'),
        help: async () => (await hotHelp()).signal,
      },
      mcp: command("report the agent's status through an MCP tool", () => import('./mcp.ts')),
    },
  ],
  [
    'Past runs and many machines',
    {
      log: command('list past decisions, runs and statistics', () => import('./log.ts')),
      'lab replay': command('re-check recorded decisions with this version', () => import('./replay.ts')),
      'lab backtest': command('see how past runs would end with other settings', () => import('./backtest.ts')),
      'lab label': command('record whether the work of a run was good', () => import('./label.ts')),
      'lab learn': command('calibrate confidence and thresholds from labels', () => import('./learn.ts')),
      fleet: command('run tasks on many machines, with PostgreSQL', () => import('./fleet.ts')),
    },
  ],
  [
    'Help',
    {
      demo: command('watch exitgate reject three claims and verify the fourth', () => import('./demo.ts')),
      help: command('show a command, or search the docs: exitgate help <topic>', async () =>
        (await import('./help.ts')).helpCommand(GROUPS, commandIn),
      ),
    },
  ],
]

export const COMMANDS: Commands = Object.assign({}, ...GROUPS.map(([, commands]) => commands))

/** Other names of commands: those of version 0.1, and what people type first. */
export const ALIASES: Readonly<Record<string, readonly string[]>> = {
  state: ['status'],
  history: ['log'],
  logs: ['log'],
  ls: ['log', '--all'],
  interrupt: ['stop'],
  'reset-breaker': ['reset', '--breaker'],
  replay: ['lab', 'replay'],
  backtest: ['lab', 'backtest'],
  label: ['lab', 'label'],
  learn: ['lab', 'learn'],
}

/** The command that arguments name, and the arguments that are left for it. */
export function commandIn(args: readonly string[]): { name: string; rest: readonly string[]; entry?: CommandEntry } {
  const [first = '', ...others] = args
  const alias = Object.hasOwn(ALIASES, first) ? ALIASES[first] : undefined
  if (alias !== undefined) return commandIn([...alias, ...others])
  const [second = ''] = others
  const name = first === 'lab' && second !== '' && !second.startsWith('-') ? `lab ${second}` : first
  const rest = name === first ? others : others.slice(1)
  const known = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined
  return { name, rest, ...(known === undefined ? {} : { entry: known }) }
}
