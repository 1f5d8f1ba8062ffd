import { LAUNCHERS } from '../../agents/launch/index.ts'
import { FORMATS } from '../../agents/reader.ts'
import { SYSTEMS } from '../../config/migrate/index.ts'
import { PRESETS } from '../../core/presets/index.ts'
import { HOSTS } from '../../hooks/index.ts'
import { CONFIDENCES, STATUSES } from '../../inbox/signal.ts'

/** What may stand behind an option: one of a few words, a path, or anything. */
export type Takes = 'text' | 'file' | 'folder' | readonly string[]

export const SHELLS = ['bash', 'zsh', 'fish'] as const

const hosts = HOSTS.map(({ name }) => name)

/** By the option's name; where commands mean different things by it, with the command in front. What is not here is any text. */
export const VALUES: Readonly<Record<string, Takes>> = {
  preset: Object.keys(PRESETS),
  agent: [...LAUNCHERS.map(({ name }) => name), 'acp'],
  format: FORMATS,
  'report format': ['html', 'markdown', 'json'],
  'init format': ['json', 'yaml'],
  from: SYSTEMS.map(({ name }) => name),
  interrupt: ['graceful', 'immediate'],
  confidence: CONFIDENCES,
  dir: 'folder',
  'state-dir': 'folder',
  config: 'file',
  transcript: 'file',
  prompt: 'file',
  evidence: 'file',
  plan: 'file',
  tasks: 'file',
  sarif: 'file',
  out: 'file',
  inbox: 'file',
}

/** Words that a command takes in its first and second place. */
export const WORDS: Readonly<Record<string, readonly (readonly string[])[]>> = {
  hook: [['install', 'uninstall', 'status', ...hosts], hosts],
  goal: [['start', 'status', 'stop']],
  signal: [STATUSES],
  completion: [SHELLS],
}
