import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Decided, State } from '../core/journal/events.ts'
import { plainWords } from '../core/policy/plain-words.ts'
import type { Task } from '../core/run.ts'
import type { Policy } from '../core/types.ts'

export interface PromptParts {
  /** What the user wrote. */
  readonly user: string
  /** How the preset wants the agent to say where it stands. */
  readonly protocol: string
  /** Whether the agent has the exit_signal tool. */
  readonly tool?: boolean
  readonly task?: Task
  readonly phase?: string
  readonly last?: Decided
  /** What a person added on the way. */
  readonly guidance: readonly string[]
}

/** The prompt of the next iteration. */
export function promptFor(user: string, { prompt: protocol }: Policy, state: State, task: Task | undefined): string {
  const { config, guidance = [], counters, last } = state
  return promptOf({
    user,
    protocol,
    tool: config?.run.mcp === true,
    guidance,
    ...(task === undefined ? {} : { task }),
    ...(counters.phase === undefined ? {} : { phase: counters.phase }),
    ...(last === undefined ? {} : { last: last.verdict }),
  })
}

/**
 * One iteration's prompt: the user's words first, then what is to be done now, what is still missing after a refused claim, and the
 * protocol. Whatever comes from tests, plans or the agent itself goes in as plain words, so that no token of completion comes back.
 */
export function promptOf(parts: PromptParts): string {
  const sections = [
    parts.user.trim(),
    taskSection(parts.task),
    parts.phase === undefined ? '' : `## Current phase\n\n${parts.phase}`,
    missingSection(parts.last),
    listSection('Guidance from the person in charge', parts.guidance),
    parts.protocol.trim(),
    parts.tool === true ? TOOL : '',
  ]
  return `${sections.filter((section) => section !== '').join('\n\n')}\n`
}

const TOOL = `You also have the tool exit_signal of the server exitgate: calling it says the same as these lines, and it cannot be
misread. gate_status tells what is still missing.`

function taskSection(task: Task | undefined): string {
  if (task === undefined) return ''
  const name = task.title === task.id ? task.title : `${task.id}: ${task.title}`
  const detail = task.detail?.trim() ?? ''
  return `## Current task\n\n${plainWords(name)}${detail === '' ? '' : `\n\n${detail.split('\n').map(withoutTokens).join('\n')}`}`
}

/** Line by line, because criteria are lists and must stay lists. */
const withoutTokens = (line: string): string => `${/^\s*/.exec(line)?.[0] ?? ''}${plainWords(line)}`

/** Only a refused claim is answered: an agent that is still at work has not asked. */
function missingSection(last: Decided | undefined): string {
  if (last === undefined || last.action !== 'continue' || last.gate.claim !== 'yes') return ''
  const lines = last.missing.map(plainWords).filter((line) => line !== '')
  if (lines.length === 0) return ''
  return [
    '## Not done yet',
    '',
    'You said that the work was done. It was checked against the project itself, and this is still missing:',
    '',
    ...lines.map((line) => `- ${line}`),
  ].join('\n')
}

function listSection(title: string, lines: readonly string[]): string {
  if (lines.length === 0) return ''
  return [`## ${title}`, '', ...lines.map((line) => `- ${plainWords(line)}`)].join('\n')
}

/** The prompt of a run as the person wrote it when the run began; undefined when it was not kept. */
export function keptPrompt(dir: string, run: string | undefined): string | undefined {
  if (run === undefined) return undefined
  try {
    return readFileSync(join(dir, 'prompts', `${run}.md`), 'utf8')
  } catch {
    return undefined
  }
}

/** The agent can write the file it came from, so it is kept beside the journal. */
export function keepPrompt(dir: string, run: string, text: string): void {
  mkdirSync(join(dir, 'prompts'), { recursive: true, mode: 0o700 })
  writeFileSync(join(dir, 'prompts', `${run}.md`), text, { mode: 0o600 })
}
