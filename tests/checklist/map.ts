import { blackboxLines } from './blackbox.ts'
import { cubLines } from './cub.ts'
import { doyakenLines } from './doyaken.ts'
import { gsdLines } from './gsd.ts'
import type { Lines } from './lines.ts'
import { prpLines } from './prp.ts'

/** Every requirement of the five older tools, with the tests that cover it. */
export const SYSTEMS: readonly {
  readonly name: string
  readonly prefix: string
  readonly count: number
  readonly lines: Lines
}[] = [
  { name: 'cub', prefix: 'S0', count: 61, lines: cubLines },
  { name: 'prp', prefix: 'S1', count: 52, lines: prpLines },
  { name: 'doyaken', prefix: 'S2', count: 48, lines: doyakenLines },
  { name: 'blackbox', prefix: 'S3', count: 67, lines: blackboxLines },
  { name: 'gsd', prefix: 'S4', count: 53, lines: gsdLines },
]
