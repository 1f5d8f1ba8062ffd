import { isPrinted, type LoopEvent } from '../../core/loop-event.ts'
import type { Environment } from '../../system/environment.ts'
import { errorCode } from '../../system/files.ts'
import { redact } from '../../system/redact.ts'
import { addressOf } from './address.ts'
import type { Telemetry } from './export.ts'

const PROTOCOL = 'http/protobuf'
const PACKAGES =
  '@opentelemetry/api @opentelemetry/resources @opentelemetry/sdk-trace-base @opentelemetry/sdk-metrics @opentelemetry/exporter-trace-otlp-proto @opentelemetry/exporter-metrics-otlp-proto'

/** Undefined without an address. Until the packages are loaded, events are kept. Nothing here can fail the run. */
export function openTelemetry(env: Environment, warn: (text: string) => void): Telemetry | undefined {
  if (addressOf('traces', env) === undefined && addressOf('metrics', env) === undefined) return undefined
  const waiting: LoopEvent[] = []
  let opened: Telemetry | undefined
  let failed = false
  const fail = (error: unknown): void => {
    failed = true
    waiting.length = 0
    warn(failureText(error))
  }
  const guarded = (event: LoopEvent): void => {
    try {
      if (!failed) opened?.tell(event)
    } catch (error) {
      fail(error)
    }
  }
  const load = async (): Promise<void> => {
    const protocol = env.OTEL_EXPORTER_OTLP_PROTOCOL || PROTOCOL
    if (protocol !== PROTOCOL)
      throw new Error(`exitgate sends ${PROTOCOL} only. Unset OTEL_EXPORTER_OTLP_PROTOCOL (now ${protocol}).`)
    const { openExport } = await import('./export.ts')
    opened = openExport(env, warn)
    for (const event of waiting.splice(0)) guarded(event)
  }
  // After the caller has what it needs to show a warning.
  const ready = Promise.resolve().then(load).catch(fail)
  return {
    tell(event) {
      if (isPrinted(event) || failed) return
      if (opened === undefined) waiting.push(event)
      else guarded(event)
    },
    async close() {
      await ready
      if (!failed) await opened?.close().catch(fail)
    },
  }
}

function failureText(error: unknown): string {
  const code = errorCode(error)
  if (code === 'ERR_MODULE_NOT_FOUND' || code === 'MODULE_NOT_FOUND')
    return `Telemetry is off: its packages are not installed. Run npm install ${PACKAGES}, or unset OTEL_EXPORTER_OTLP_ENDPOINT.`
  return `Telemetry is off: ${redact(error instanceof Error ? error.message : String(error))}`
}
