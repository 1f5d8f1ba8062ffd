import { join } from 'node:path'
import { beforeEach, expect, it } from 'vitest'
import { receiver } from '../telemetry/receiver.ts'
import { patience } from '../timing.ts'
import { fleetProject, LEASE_SECONDS, running } from './fleet-project.ts'
import { ownPostgres } from './postgres.ts'

const pg = ownPostgres()
beforeEach(({ skip }) => skip(pg.missing !== undefined, pg.missing))

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
    const worker = running(
      fleet.start(['--lease', String(LEASE_SECONDS), '--folder', join(fleet.root, 'fleet')], { more }),
    )
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

it(
  'sends a run that moves to another worker as two traces, and only the second has an outcome',
  async () => {
    const collector = await receiver()
    const fleet = await fleetProject(await pg.fleet())
    const more = {
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_EXPORTER_OTLP_TIMEOUT: String(patience(60_000)),
    }
    const worker = (name: string) =>
      running(fleet.start(['--lease', String(LEASE_SECONDS), '--folder', join(fleet.root, name)], { more }))
    fleet.closeGate('agent.2')
    await fleet.submit([fleet.task('moving')])
    const first = worker('first')
    await fleet.gateReached('agent.2')
    first.child.kill('SIGTERM')
    await first.until(({ type }) => type === 'draining')
    fleet.openGate('agent.2')
    await first.until(({ type }) => type === 'given-back')
    await first.exited
    const second = worker('second')
    await second.until(({ type }) => type === 'ended')
    second.child.kill('SIGTERM')
    await second.exited
    const runs = collector.spans.filter(({ name }) => name === 'exitgate run')
    expect(runs.map(({ attributes }) => attributes['exitgate.outcome'])).toEqual([undefined, 'completed'])
    const names = (traceId: string | undefined) =>
      collector.spans
        .filter((span) => span.traceId === traceId && span.name.startsWith('iteration'))
        .map(({ name }) => name)
    expect(runs.map(({ traceId }) => names(traceId))).toEqual([['iteration 1', 'iteration 2'], ['iteration 3']])
  },
  patience(120_000),
)
