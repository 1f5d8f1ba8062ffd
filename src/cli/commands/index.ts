import type { CommandEntry, Commands, CommandWithHelp } from '../command.ts'

const controls = () => import('./controls.ts')
const hotHelp = () => import('./hot-help.ts')

const command = (about: string, load: () => Promise<CommandWithHelp>): CommandEntry => ({
  about,
  load,
  help: async () => (await load()).HELP,
})

/** Every command. Each is loaded when it is called, so that a hook does not pay for what `check` needs. */
export const COMMANDS: Commands = {
  run: {
    about: 'run an agent until it is really done',
    load: () => import('./run.ts'),
    help: async () => (await import('../run/options.ts')).HELP,
  },
  check: {
    about: 'decide once: is the agent really done?',
    load: () => import('./check.ts'),
    help: async () => (await hotHelp()).check,
  },
  next: {
    about: 'the same for shell loops: while exitgate next; do agent; done',
    load: () => import('./next.ts'),
    help: async () => (await hotHelp()).next,
  },
  explain: command(
    'why it was decided so, rule by rule, and what would have opened the gate',
    () => import('./explain.ts'),
  ),
  state: command('where the run stands', () => import('./state.ts')),
  report: command('a run as a page to look at, or as Markdown', () => import('./report.ts')),
  watch: command('all runs as a live page, or as a list in the terminal', () => import('./watch.ts')),
  history: command('the decisions of the past', () => import('./history.ts')),
  replay: command('re-check recorded decisions', () => import('./replay.ts')),
  backtest: command('see how past runs would have ended with other settings', () => import('./backtest.ts')),
  label: command('say afterwards whether the work of a run was good', () => import('./label.ts')),
  learn: command('what labelled runs teach about confidence and thresholds', () => import('./learn.ts')),
  force: command('a person says that the run is done; shown as forced', async () => (await controls()).force),
  skip: command('leave out the task or phase at hand', async () => (await controls()).skip),
  'reset-breaker': command('close the breaker; the run goes on', async () => (await controls()).resetBreaker),
  interrupt: command('like Ctrl+C, from another terminal', async () => (await controls()).interrupt),
  pause: command('hold the run before its next iteration, and let it go on', async () => (await controls()).pause),
  fleet: command('many loops on many machines, with a database between them', () => import('./fleet.ts')),
  reset: command('begin anew; the old journal is kept aside', () => import('./reset.ts')),
  config: command('every effective value and where it came from', () => import('./config.ts')),
  init: command('write a configuration, also from an older tool’s files', () => import('./init.ts')),
  doctor: command('which commands were found here, why, and what is missing', () => import('./doctor.ts')),
  hook: {
    about: 'answer a host that asks whether its agent may stop; install it there',
    load: () => import('./hook.ts'),
    help: async () => (await hotHelp()).hook,
  },
  goal: command('what has to be reached before an agent with the hook may stop', () => import('./goal.ts')),
  trust: command('show and approve what a hook would run in a folder', () => import('./trust.ts')),
  signal: {
    about: 'the agent says from its shell whether it is done',
    load: () => import('./signal.ts'),
    help: async () => (await hotHelp()).signal,
  },
  mcp: command('the same as a tool, with what is still missing, for agents that speak MCP', () => import('./mcp.ts')),
  demo: command('watch a claim being refused and a completion being verified', () => import('./demo.ts')),
  completion: command('a script that completes commands and options in your shell', async () =>
    (await import('./completion.ts')).completionCommand(COMMANDS),
  ),
  man: command('the manual page', async () => (await import('./man.ts')).manCommand(COMMANDS)),
}
