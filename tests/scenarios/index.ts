import { blackbox } from './blackbox.ts'
import { cub } from './cub.ts'
import { doyaken } from './doyaken.ts'
import { gsd } from './gsd.ts'
import { prp } from './prp.ts'
import type { Row } from './row.ts'

/** Every row, by the file that holds it. */
export const scenarios: Readonly<Record<string, readonly Row[]>> = { cub, prp, doyaken, blackbox, gsd }
