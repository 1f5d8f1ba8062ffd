import { spawn } from 'node:child_process'
import { terminalGroups } from '../../system/foreground.ts'
import type { Io } from '../io.ts'

/**
 * Gives the terminal back to the shell while the run continues. The job is stopped, as by Ctrl+Z, until the shell has taken its terminal.
 * Then it continues in the background, as by `bg`. Without a shell that waits, nothing is stopped.
 */
export function giveBackTerminal(io: Io): void {
  io.stdout.write(
    [
      `Detached. The run continues in the background (process ${process.pid}), even if your shell calls it stopped.`,
      '  exitgate attach   show it again',
      '  exitgate stop     end it after the current iteration',
      '',
    ].join('\n'),
  )
  const groups = terminalGroups()
  if (groups === undefined || groups.own !== groups.terminal) return
  const helper = spawn('/bin/sh', ['-c', CONTINUE, 'sh', String(process.pid), groups.own], {
    detached: true,
    stdio: 'ignore',
  })
  helper.on('error', () => {})
  helper.on('spawn', () => {
    helper.unref()
    // The whole job, because a program such as npx waits for us.
    process.kill(0, 'SIGTSTP')
  })
}

/** Waits until the terminal belongs to another group, at most five seconds, and continues the job. */
const CONTINUE = [
  'pid=$1; group=$2; n=0',
  'while [ "$n" -lt 100 ]; do',
  '  if [ -r "/proc/$pid/stat" ]; then read -r line < "/proc/$pid/stat"; set -- ${line##*) }; owner=$6',
  '  else owner=$(ps -o tpgid= -p "$pid" | tr -d " "); fi',
  '  [ "$owner" != "$group" ] && break',
  '  n=$((n+1)); sleep 0.05',
  'done',
  'kill -CONT "-$group"',
].join('\n')
