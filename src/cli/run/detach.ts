import { spawn } from 'node:child_process'
import { isInForeground, terminalGroups } from '../../system/foreground.ts'
import { onSuspend } from '../../system/suspend.ts'
import type { Io } from '../io.ts'
import { keyboardOf } from '../live/menu.ts'

/** Bash sends no signal with `fg` if it knows that the job is running. */
const LOOK_MS = 250

/**
 * Gives the terminal back to the shell while the run continues. The job is stopped, as by Ctrl+Z, until the shell has taken its terminal.
 * Then it continues in the background, as by `bg`. Resolves when the terminal belongs to the run again, by `fg`.
 */
export function giveBackTerminal(io: Io): Promise<void> {
  const groups = terminalGroups()
  const isJob = groups !== undefined && groups.own === groups.terminal && groups.own !== groups.session
  const rows = [
    `Detached. The run continues in the background (process ${process.pid})${isJob ? ', even if your shell calls it stopped' : ''}.`,
    isJob ? '  fg                show it again in this terminal' : '  Enter             show it again in this terminal',
    '  exitgate attach   show it in any terminal',
    '  exitgate stop     end it after the current iteration',
    // A window that was opened for the run alone, or `ssh HOST exitgate run`.
    ...(isJob ? [] : ['There is no shell to return to. You can close this window.']),
  ]
  io.stdout.write(`${rows.join('\n')}\n`)
  return isJob ? jobIsBack(groups.own) : enterIsPressed(io)
}

function jobIsBack(group: string): Promise<void> {
  const helper = spawn('/bin/sh', ['-c', CONTINUE, 'sh', String(process.pid), group], {
    detached: true,
    stdio: 'ignore',
  })
  helper.on('error', () => {})
  helper.on('spawn', () => {
    helper.unref()
    // The whole job, because a program such as npx waits for us.
    process.kill(0, 'SIGTSTP')
  })
  return new Promise((resolve) => {
    let stopped = false
    const look = (): void => {
      // A closed terminal is not ours again: the shell's SIGHUP comes after it, and the run must still ignore that.
      if (!stopped || !isInForeground()) return
      clearInterval(timer)
      forget()
      resolve()
    }
    const forget = onSuspend({
      stop: () => {
        stopped = true
      },
      continue: () => {
        // If `fg` was faster, the helper must not continue a job that Ctrl+Z stops afterwards.
        helper.kill('SIGKILL')
        look()
      },
    })
    const timer = setInterval(look, LOOK_MS)
    timer.unref()
  })
}

function enterIsPressed(io: Io): Promise<void> {
  const keyboard = keyboardOf(io)
  return new Promise((resolve) => {
    const heard = (): void => {
      keyboard.off('data', heard)
      keyboard.pause()
      resolve()
    }
    keyboard.on('data', heard)
    keyboard.resume()
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
