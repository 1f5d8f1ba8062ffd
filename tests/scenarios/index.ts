import { cub } from './cub.ts'
import { prp } from './prp.ts'
import type { Row } from './row.ts'

/** Every row, by the file that holds it. */
export const scenarios: Readonly<Record<string, readonly Row[]>> = { cub, prp }
