import type { Config, PresetName } from '../core/config.ts'
import { blackbox } from './blackbox.ts'
import { cub } from './cub.ts'
import { doyaken } from './doyaken.ts'
import { gsd } from './gsd.ts'
import { prp } from './prp.ts'
import { ralph } from './ralph.ts'
import type { CompatInput, CompatWriter, FileWrite, StoredSession } from './types.ts'

export type { CompatInput, CompatWriter, FileWrite, StoredSession } from './types.ts'

const none: CompatWriter = { write: () => [], paths: () => [] }

/** The files that users and tools of an older system look for, by its preset. The program loads them when one of them is read. */
export const compatWriters: Readonly<Record<PresetName, CompatWriter>> = {
  default: none,
  get cub() {
    return cub
  },
  get prp() {
    return prp
  },
  get doyaken() {
    return doyaken
  },
  get blackbox() {
    return blackbox
  },
  get gsd() {
    return gsd
  },
  get ralph() {
    return ralph
  },
}

/** A preset defined by the project has no older system. */
export const writerNamed = (preset: string): CompatWriter => compatWriters[preset as PresetName] ?? none
const writerFor = ({ preset }: Config): CompatWriter => writerNamed(preset)

/** The files to write after a decision; none if the configuration disables them. */
export const compatWrites = (input: CompatInput): readonly FileWrite[] =>
  input.config.files ? writerFor(input.config).write(input) : []

/** The files to write after an end without a decision: before an iteration could start, or instead of one. */
export const compatEndWrites = (input: CompatInput): readonly FileWrite[] =>
  input.config.files ? (writerFor(input.config).end?.(input) ?? []) : []

/** Paths of these files, so that git evidence can exclude them. */
export const compatPaths = (config: Config): readonly string[] => (config.files ? writerFor(config).paths(config) : [])

/** The session that an older system left unfinished in this workspace. Only for a user who resumes it. */
export const storedSession = (
  config: Config,
  task: string | undefined,
  read: CompatInput['read'],
): StoredSession | undefined => (config.files ? writerFor(config).session?.(config, task, read) : undefined)
