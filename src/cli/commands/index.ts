import type { Io } from '../io.ts'
import type { Options } from '../parse.ts'
import * as check from './check.ts'
import * as next from './next.ts'

export interface Command {
  run(args: readonly string[], io: Io): Promise<number>
  /** What its parser is given: help, manual and completion are held to it. */
  readonly OPTIONS: Options
}

interface Entry {
  readonly about: string
  readonly load: () => Promise<Command>
}

/** Every command. The two that run after every iteration are at hand, the others are loaded only when they are called. */
export const COMMANDS: Readonly<Record<string, Entry>> = {
  run: { about: 'run an agent until it is really done', load: () => import('./run.ts') },
  check: { about: 'decide once: is the agent really done?', load: async () => check },
  next: { about: 'the same for shell loops: while exitgate next; do agent; done', load: async () => next },
  explain: {
    about: 'why it was decided so, rule by rule, and what would have opened the gate',
    load: () => import('./explain.ts'),
  },
  state: { about: 'where the run stands', load: () => import('./state.ts') },
  report: { about: 'a run as a page to look at, or as Markdown', load: () => import('./report.ts') },
  watch: { about: 'all runs as a live page, or as a list in the terminal', load: () => import('./watch.ts') },
  history: { about: 'the decisions of the past', load: () => import('./history.ts') },
  replay: { about: 'decide the past again: is every verdict still the same?', load: () => import('./replay.ts') },
  backtest: {
    about: 'what past runs would have come to under another configuration',
    load: () => import('./backtest.ts'),
  },
  label: { about: 'say afterwards whether the work of a run was good', load: () => import('./label.ts') },
  learn: { about: 'what labelled runs teach about confidence and thresholds', load: () => import('./learn.ts') },
  force: { about: 'a person says that the run is done; shown as forced', load: () => import('./force.ts') },
  skip: { about: 'leave out the task or phase at hand', load: () => import('./skip.ts') },
  'reset-breaker': { about: 'close the breaker; the run goes on', load: () => import('./reset-breaker.ts') },
  interrupt: { about: 'like Ctrl+C, from another terminal', load: () => import('./interrupt.ts') },
  pause: { about: 'hold the run before its next iteration, and let it go on', load: () => import('./pause.ts') },
  fleet: { about: 'many loops on many machines, with a database between them', load: () => import('./fleet.ts') },
  reset: { about: 'begin anew; the old journal is kept aside', load: () => import('./reset.ts') },
  config: { about: 'every effective value and where it came from', load: () => import('./config.ts') },
  init: { about: 'write a configuration, also from an older tool’s files', load: () => import('./init.ts') },
  doctor: { about: 'which commands were found here, why, and what is missing', load: () => import('./doctor.ts') },
  hook: {
    about: 'answer a host that asks whether its agent may stop; install it there',
    load: () => import('./hook.ts'),
  },
  goal: { about: 'what has to be reached before an agent with the hook may stop', load: () => import('./goal.ts') },
  trust: { about: 'show and approve what a hook would run in a folder', load: () => import('./trust.ts') },
  signal: { about: 'the agent says from its shell whether it is done', load: () => import('./signal.ts') },
  mcp: {
    about: 'the same as a tool, with what is still missing, for agents that speak MCP',
    load: () => import('./mcp.ts'),
  },
  demo: { about: 'watch a claim being refused and a completion being verified', load: () => import('./demo.ts') },
  completion: {
    about: 'a script that completes commands and options in your shell',
    load: () => import('./completion.ts'),
  },
  man: { about: 'the manual page', load: () => import('./man.ts') },
}
