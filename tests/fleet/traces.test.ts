import { join } from 'node:path'
import { expect, it } from 'vitest'
import { receiver } from '../telemetry/receiver.ts'
import { patience } from '../timing.ts'
import { fleetProject, running } from './fleet-project.ts'
import { ownPostgres } from './postgres.ts'

const pg = ownPostgres()

it(
  'sends a run of a worker as a trace, without secrets',
  async () => {
    const collector = await receiver()
    const fleet = await fleetProject(await pg.fleet())
    await fleet.submit([fleet.task('alone')])
    const more = {
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_EXPORTER_OTLP_TIMEOUT: String(patience(60_000)),
    }
    const worker = running(fleet.start(['--folder', join(fleet.root, 'fleet')], { more }))
    await worker.until(({ type }) => type === 'ended')
    worker.child.kill('SIGTERM')
    await worker.exited
    const [run, ...others] = collector.spans.filter(({ name }) => name === 'exitgate run')
    expect(others).toEqual([])
    expect(run?.attributes).toMatchObject({ 'exitgate.outcome': 'completed', 'exitgate.iterations': 3 })
    const inRun = collector.spans.filter(({ traceId }) => traceId === run?.traceId).map(({ name }) => name)
    expect(inRun).toEqual(expect.arrayContaining(['iteration 1', 'iteration 3', 'evidence']))
    expect(collector.sums.size).toBeGreaterThan(0)
    expect(collector.bytes.join('')).not.toContain('not-for-agents-0123')
  },
  patience(120_000),
)
