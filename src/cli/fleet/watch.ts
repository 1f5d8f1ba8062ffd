import { mkdtempSync, realpathSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { removeFolderSync } from '../../system/remove-folder.ts'
import { run as watch } from '../commands/watch.ts'
import { placeOf } from '../place.ts'
import { openMirror } from './mirror.ts'
import type { FleetCall } from './options.ts'

const LOOK_MS = 1000

/** `exitgate fleet watch`: the runs of the fleet on the live page of local ones; its buttons reach the worker. */
export async function run({ url, values, io }: FleetCall): Promise<number> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'exitgate-fleet-')))
  const states = join(folder, 'state')
  const over = new AbortController()
  const { queue } = values
  const mirror = openMirror({
    url,
    dirOf: (task) => placeOf(join(folder, task), states, io).dir,
    ...(queue === undefined ? {} : { queue }),
  })
  const told = new Set<string>()
  const following = (async () => {
    while (!over.signal.aborted) {
      try {
        await mirror.look()
      } catch (error) {
        const text = error instanceof Error ? error.message : String(error)
        if (!told.has(text)) io.stderr.write(`exitgate: ${text}\n`)
        told.add(text)
      }
      await sleep(LOOK_MS, undefined, { signal: over.signal }).catch(() => {})
    }
  })()
  try {
    const flags = values.json ? ['--json'] : []
    return await watch(['--all', '--dir', folder, '--state-dir', states, ...flags], io)
  } finally {
    over.abort()
    await following
    mirror.close()
    removeFolderSync(folder)
  }
}
