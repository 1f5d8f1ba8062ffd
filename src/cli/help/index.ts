import { page as backtest } from './backtest.ts'
import { page as check } from './check.ts'
import { page as completion } from './completion.ts'
import { page as config } from './config.ts'
import { page as demo } from './demo.ts'
import { page as doctor } from './doctor.ts'
import { page as explain } from './explain.ts'
import { page as fleet } from './fleet.ts'
import { page as force } from './force.ts'
import { page as goal } from './goal.ts'
import { page as history } from './history.ts'
import { page as hook } from './hook.ts'
import { page as init } from './init.ts'
import { page as interrupt } from './interrupt.ts'
import { page as label } from './label.ts'
import { page as learn } from './learn.ts'
import { page as man } from './man.ts'
import { page as mcp } from './mcp.ts'
import { page as next } from './next.ts'
import type { Page } from './page.ts'
import { page as pause } from './pause.ts'
import { page as replay } from './replay.ts'
import { page as report } from './report.ts'
import { page as reset } from './reset.ts'
import { page as resetBreaker } from './reset-breaker.ts'
import { page as run } from './run.ts'
import { page as signal } from './signal.ts'
import { page as skip } from './skip.ts'
import { page as state } from './state.ts'
import { page as trust } from './trust.ts'
import { page as watch } from './watch.ts'

/** One page a command, in the order in which the commands are listed. A new command is a new file and a line here. */
export const HELP: Readonly<Record<string, Page>> = {
  run,
  check,
  next,
  explain,
  state,
  report,
  watch,
  history,
  replay,
  backtest,
  label,
  learn,
  force,
  skip,
  'reset-breaker': resetBreaker,
  interrupt,
  pause,
  fleet,
  reset,
  config,
  init,
  doctor,
  hook,
  goal,
  trust,
  signal,
  mcp,
  demo,
  completion,
  man,
}
