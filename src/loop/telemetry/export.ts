import type { Context } from '@opentelemetry/api'
import { ROOT_CONTEXT, trace } from '@opentelemetry/api'
import { OTLPMetricExporter } from '@opentelemetry/exporter-metrics-otlp-proto'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto'
import { defaultResource, detectResources, envDetector, resourceFromAttributes } from '@opentelemetry/resources'
import { MeterProvider, PeriodicExportingMetricReader } from '@opentelemetry/sdk-metrics'
import { BasicTracerProvider, BatchSpanProcessor } from '@opentelemetry/sdk-trace-base'
import type { LoopEvent } from '../../core/loop-event.ts'
import type { Environment } from '../../system/environment.ts'
import { redact } from '../../system/redact.ts'
import { withTimeout } from '../../system/timeout.ts'
import { addressOf } from './address.ts'
import { RunMetrics } from './run-metrics.ts'
import { RunTrace } from './run-trace.ts'

/** A consumer of the events of a run that sends them to a collector. */
export interface Telemetry {
  tell(event: LoopEvent): void
  /**
   * Sends what is left. Waits at most a second, or as long as OTEL_EXPORTER_OTLP_TIMEOUT says, and not at all for a collector that
   * doesn't answer.
   */
  close(): Promise<void>
}

/** A healthy collector answers much faster. OTEL_EXPORTER_OTLP_TIMEOUT replaces both. */
const ANSWERS_WITHIN_MS = 1_000
const TIMEOUT_MS = 5_000

type Result = { readonly code: number; readonly error?: Error }
interface Exporter<Items> {
  export(items: Items, done: (result: Result) => void): void
}

/** Knows whether the collector answers, so that the end of a run never waits for one that doesn't. */
class Collector {
  #firstAsked: number | undefined
  #last: 'none' | 'answered' | 'failed' = 'none'

  constructor(
    readonly warn: (text: string) => void,
    readonly answersWithinMs: number,
  ) {}

  watch<Items, Each extends Exporter<Items>>(exporter: Each): Each {
    const send = exporter.export.bind(exporter)
    exporter.export = (items, done) => {
      this.#firstAsked ??= performance.now()
      send(items, (result) => {
        this.#note(result)
        done(result)
      })
    }
    return exporter
  }

  #note({ code, error }: Result): void {
    if (code !== 0 && this.#last !== 'failed')
      this.warn(`Telemetry could not be sent: ${redact(error?.message || 'no answer')}. The run continues without it.`)
    this.#last = code === 0 ? 'answered' : 'failed'
  }

  get mayAnswer(): boolean {
    if (this.#last !== 'none') return this.#last === 'answered'
    return performance.now() - (this.#firstAsked ?? performance.now()) < this.answersWithinMs
  }
}

export function openExport(env: Environment, warn: (text: string) => void): Telemetry {
  const givenMs = Number(env.OTEL_EXPORTER_OTLP_TIMEOUT) || undefined
  const timeoutMillis = givenMs ?? TIMEOUT_MS
  const collector = new Collector(warn, givenMs ?? ANSWERS_WITHIN_MS)
  const resource = defaultResource()
    .merge(resourceFromAttributes({ 'service.name': env.OTEL_SERVICE_NAME || 'exitgate' }))
    .merge(detectResources({ detectors: [envDetector] }))
  const [traces, metrics] = [addressOf('traces', env), addressOf('metrics', env)]
  const limits = { exportTimeoutMillis: timeoutMillis }
  const tracers = new BasicTracerProvider({
    resource,
    spanProcessors:
      traces === undefined
        ? []
        : [new BatchSpanProcessor(collector.watch(new OTLPTraceExporter({ url: traces, timeoutMillis })), limits)],
  })
  const meters = new MeterProvider({
    resource,
    readers:
      metrics === undefined
        ? []
        : [
            new PeriodicExportingMetricReader({
              exporter: collector.watch(new OTLPMetricExporter({ url: metrics, timeoutMillis })),
              ...limits,
            }),
          ],
  })
  const runTrace = new RunTrace(tracers.getTracer('exitgate'), parentIn(env))
  const runMetrics = new RunMetrics(meters.getMeter('exitgate'))
  return {
    tell(event) {
      runTrace.tell(event)
      runMetrics.tell(event)
      // An early export shows whether the collector answers.
      if (event.type === 'started') void meters.forceFlush().catch(() => {})
    },
    async close() {
      runTrace.close()
      const sent = Promise.allSettled([tracers.shutdown(), meters.shutdown()])
      if (collector.mayAnswer) await withTimeout(collector.answersWithinMs, sent)
    },
  }
}

/** A run that a traced CI job starts becomes a part of its trace. */
function parentIn({ TRACEPARENT = '' }: Environment): Context {
  const [, traceId, spanId, flags = '00'] = /^00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/.exec(TRACEPARENT) ?? []
  if (traceId === undefined || spanId === undefined) return ROOT_CONTEXT
  const traceFlags = Number.parseInt(flags, 16)
  return trace.setSpanContext(ROOT_CONTEXT, { traceId, spanId, traceFlags, isRemote: true })
}
