import { readFileSync } from 'node:fs'
import type { FleetEvent } from '../../src/fleet/types.ts'
import { runWorker } from '../../src/fleet/worker.ts'
import { readWorkerFile } from '../../src/fleet/worker-file.ts'
import { agentOf } from '../../src/loop/agent/choose-agent.ts'

/** What a test hands to the process of a worker, in a file: nothing of it is for others to see. */
export interface WorkerSettings {
  readonly url: string
  readonly queue: string
  readonly concurrency: number
  readonly leaseSeconds: number
  readonly folder: string
  readonly file: string
}

const [path = ''] = process.argv.slice(2)
const { file, ...settings } = JSON.parse(readFileSync(path, 'utf8')) as WorkerSettings
const drain = new AbortController()
process.on('SIGTERM', () => drain.abort())
const print = (
  value: FleetEvent | { readonly type: 'over'; readonly ended: number; readonly givenBack: number },
): void => {
  process.stdout.write(`${JSON.stringify(value)}\n`)
}
const end = await runWorker({
  ...settings,
  file: await readWorkerFile(file, 'worker.yaml'),
  env: process.env,
  agentOf,
  now: Date.now,
  tell: print,
  drain: drain.signal,
})
print({ type: 'over', ...end })
process.exit(0)
