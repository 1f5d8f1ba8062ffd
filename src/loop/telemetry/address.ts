import type { Environment } from '../../system/environment.ts'

/** Where OpenTelemetry's own variables say to send a signal; undefined if they don't, or turn it off. */
export function addressOf(signal: 'traces' | 'metrics', env: Environment): string | undefined {
  const own = env[`OTEL_EXPORTER_OTLP_${signal.toUpperCase()}_ENDPOINT`]
  const shared = env.OTEL_EXPORTER_OTLP_ENDPOINT
  const exporter = env[`OTEL_${signal.toUpperCase()}_EXPORTER`] ?? 'otlp'
  if (/^true$/i.test(env.OTEL_SDK_DISABLED ?? '') || !exporter.split(',').includes('otlp')) return undefined
  if (own) return own
  return shared ? `${shared.replace(/\/$/, '')}/v1/${signal}` : undefined
}
