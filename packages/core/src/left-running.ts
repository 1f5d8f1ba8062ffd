import { count } from './count.ts'

const MOST = 3

/** A sentence about the commands that were still running when the agent had finished; empty without any. */
export function leftRunningText(commands: readonly string[] = []): string {
  if (commands.length === 0) return ''
  const more = commands.length > MOST ? ` and ${commands.length - MOST} more` : ''
  return `exitgate ended what the agent left running: ${commands.slice(0, MOST).join(', ')}${more}.`
}

/** A reason with that sentence after it. */
export const withLeftRunning = (reason: string, commands: readonly string[] | undefined): string =>
  [reason, leftRunningText(commands)].filter((text) => text !== '').join(/[.!?]$/.test(reason) ? ' ' : '. ')

/** What was ended after a start of the agent, with the commands where they are known. */
export function leftBehindText({ leftBehind, leftRunning = [] }: LeftBehind): readonly string[] {
  if (leftRunning.length > 0) return [leftRunningText(leftRunning)]
  return leftBehind > 0 ? [`stopped ${count(leftBehind, 'process')} it left running`] : []
}

interface LeftBehind {
  readonly leftBehind: number
  readonly leftRunning?: readonly string[]
}
