import type { Config, PresetName } from '../core/config.ts'
import { blackbox } from './blackbox.ts'
import { cub } from './cub.ts'
import { doyaken } from './doyaken.ts'
import { gsd } from './gsd.ts'
import { prp } from './prp.ts'
import { ralph } from './ralph.ts'
import type { CompatInput, CompatWriter, FileWrite } from './types.ts'

export type { CompatInput, CompatWriter, FileWrite } from './types.ts'

const none: CompatWriter = { write: () => [], paths: () => [] }

/** The files an older system's users and tools look for, by the preset that stands for it. */
export const compatWriters: Readonly<Record<PresetName, CompatWriter>> = {
  default: none,
  cub,
  prp,
  doyaken,
  blackbox,
  gsd,
  ralph,
}

/** A preset of the project's own has no older system. */
export const writerNamed = (preset: string): CompatWriter => compatWriters[preset as PresetName] ?? none
const writerFor = ({ preset }: Config): CompatWriter => writerNamed(preset)

/** What to write after a decision; nothing when the configuration does not want the files. */
export const compatWrites = (input: CompatInput): readonly FileWrite[] =>
  input.config.files ? writerFor(input.config).write(input) : []

/** What to write after an end that no iteration decided: before one could start, or in place of one. */
export const compatEndWrites = (input: CompatInput): readonly FileWrite[] =>
  input.config.files ? (writerFor(input.config).end?.(input) ?? []) : []

/** Where these files are, so that git evidence can leave them out. */
export const compatPaths = (config: Config): readonly string[] => (config.files ? writerFor(config).paths(config) : [])
