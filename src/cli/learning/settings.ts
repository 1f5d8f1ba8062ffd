import { resolve } from 'node:path'
import { type Loaded, loadConfig } from '../../config/load.ts'
import { PRESETS } from '../../core/presets/index.ts'
import type { Learning } from '../../core/types.ts'
import type { Io } from '../io.ts'

export const settingsOf = (workspace: string, io: Io, file?: string): Promise<Loaded> =>
  loadConfig({
    dir: workspace,
    file: file === undefined ? undefined : resolve(io.cwd, file),
    env: io.env,
    flags: {},
    presets: PRESETS,
    runsCode: true,
  })

export const learningOf = async (workspace: string, io: Io): Promise<Learning> =>
  (await settingsOf(workspace, io)).config.learning
