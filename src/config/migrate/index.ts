import { blackbox } from './blackbox.ts'
import type { OldTool } from './carry.ts'
import { cub } from './cub.ts'
import { doyaken } from './doyaken.ts'
import { gsd } from './gsd.ts'
import { prp } from './prp.ts'
import { ralph } from './ralph.ts'

/** The tools whose settings can be migrated. */
export const SYSTEMS: readonly OldTool[] = [cub, prp, doyaken, blackbox, gsd, ralph]
