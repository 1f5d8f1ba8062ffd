import { BASE } from '../../config/defaults.ts'
import { shown } from '../../config/errors.ts'
import type { Config } from '../../core/config.ts'
import type { JournalEvent } from '../../core/journal/events.ts'
import { shipped } from '../../core/presets/index.ts'
import { JournalError } from '../../journal/errors.ts'
import { readEvents } from '../../journal/read.ts'

/** The events of a journal one by one, each configuration made whole: one of an earlier release lacks what came since. */
export function* pastEvents(dir: string): Generator<JournalEvent> {
  for (const event of readEvents(dir)) {
    if (event.type === 'run.started')
      yield event.config === undefined ? event : { ...event, config: whole(event.config, dir) }
    else if (event.type === 'config.changed' || event.type === 'task.config')
      yield { ...event, config: whole(event.config, dir) }
    else yield event
  }
}

function whole(config: Config, dir: string): Config {
  if (shipped(config.preset) !== undefined || config.extensions !== undefined) return { ...BASE, ...config }
  throw new JournalError(
    `${dir} holds a run with the preset ${shown(config.preset)}, which this exitgate does not know; install the release that wrote it`,
  )
}
