import { blackbox } from './blackbox.ts'
import { blackboxMore } from './blackbox-more.ts'
import { cub } from './cub.ts'
import { cubMore } from './cub-more.ts'
import { byDefault } from './default.ts'
import { defaultAsks } from './default-asks.ts'
import { defaultFailing } from './default-failing.ts'
import { defaultProof } from './default-proof.ts'
import { defaultStops } from './default-stops.ts'
import { doyaken } from './doyaken.ts'
import { doyakenMore } from './doyaken-more.ts'
import { gsd } from './gsd.ts'
import { gsdMore } from './gsd-more.ts'
import { prp } from './prp.ts'
import { prpMore } from './prp-more.ts'
import { prpWay } from './prp-way.ts'
import { ralph } from './ralph.ts'
import { ralphMore } from './ralph-more.ts'
import type { Row } from './row.ts'

/** Every row, by file. */
export const scenarios: Readonly<Record<string, readonly Row[]>> = {
  default: byDefault,
  'default-asks': defaultAsks,
  'default-failing': defaultFailing,
  'default-proof': defaultProof,
  'default-stops': defaultStops,
  cub,
  'cub-more': cubMore,
  prp,
  'prp-more': prpMore,
  'prp-way': prpWay,
  doyaken,
  'doyaken-more': doyakenMore,
  blackbox,
  'blackbox-more': blackboxMore,
  gsd,
  'gsd-more': gsdMore,
  ralph,
  'ralph-more': ralphMore,
}
