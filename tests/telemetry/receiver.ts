import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { gunzipSync } from 'node:zlib'
import definitions from 'otlp-definitions/build/src/generated/root.js'
import { onTestFinished } from 'vitest'

interface Message {
  decode(bytes: Uint8Array): object
  toObject(message: object, options: { longs: typeof String; bytes: typeof String; enums: typeof String }): object
}
interface Definitions {
  readonly opentelemetry: {
    readonly proto: {
      readonly collector: {
        readonly trace: { readonly v1: { readonly ExportTraceServiceRequest: Message } }
        readonly metrics: { readonly v1: { readonly ExportMetricsServiceRequest: Message } }
      }
    }
  }
}

/** The official definitions, compiled. Later versions of this package no longer contain them. */
const { collector } = (definitions as unknown as Definitions).opentelemetry.proto
const TYPES = {
  '/v1/traces': collector.trace.v1.ExportTraceServiceRequest,
  '/v1/metrics': collector.metrics.v1.ExportMetricsServiceRequest,
}

interface Value {
  readonly stringValue?: string
  readonly intValue?: string
  readonly doubleValue?: number
  readonly boolValue?: boolean
}
type Attributes = readonly { readonly key: string; readonly value: Value }[]

export interface ReceivedSpan {
  readonly name: string
  readonly traceId: string
  readonly spanId: string
  readonly parent: string | undefined
  readonly from: number
  readonly to: number
  readonly attributes: Readonly<Record<string, string | number | boolean | undefined>>
  readonly events: readonly string[]
  readonly status: string | undefined
}

export interface Receiver {
  readonly url: string
  readonly spans: ReceivedSpan[]
  /** Sums of each metric, by its name and attributes. */
  readonly sums: Map<string, number>
  /** Everything that arrived, as text. */
  readonly bytes: string[]
  readonly headers: IncomingMessage['headers'][]
  readonly resources: Record<string, unknown>[]
}

const plain = (attributes: Attributes = []) =>
  Object.fromEntries(
    attributes.map(({ key, value: { stringValue, intValue, doubleValue, boolValue } }) => [
      key,
      stringValue ?? doubleValue ?? boolValue ?? (intValue === undefined ? undefined : Number(intValue)),
    ]),
  )

/** An OTLP/HTTP receiver on loopback. It answers with this status; with 0 it accepts connections and never answers. */
export async function receiver({ answer = 200 }: { readonly answer?: number } = {}): Promise<Receiver> {
  const made = { spans: [], sums: new Map(), bytes: [], headers: [], resources: [] } as Omit<Receiver, 'url'>
  const server = createServer((request, response) => {
    const parts: Buffer[] = []
    request.on('data', (part: Buffer) => parts.push(part))
    request.on('end', () => {
      if (answer === 0) return
      if (answer !== 200) return response.writeHead(answer).end()
      const type = TYPES[request.url as keyof typeof TYPES]
      if (request.headers['content-type'] !== 'application/x-protobuf') response.writeHead(415).end()
      const sent = Buffer.concat(parts)
      const body = request.headers['content-encoding'] === 'gzip' ? gunzipSync(sent) : sent
      made.headers.push(request.headers)
      made.bytes.push(body.toString('latin1'))
      const decoded = type.toObject(type.decode(body), { longs: String, bytes: String, enums: String })
      if (request.url === '/v1/traces') takeSpans(made, decoded as Traces)
      else takeMetrics(made, decoded as Metrics)
      response.writeHead(200, { 'content-type': 'application/x-protobuf' }).end()
    })
  })
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return { ...made, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
}

/** What the decoder gives for the messages of the definitions. */
interface Traces {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: Attributes }
    readonly scopeSpans: readonly {
      readonly spans: readonly {
        readonly name: string
        readonly traceId: string
        readonly spanId: string
        readonly parentSpanId?: string
        readonly startTimeUnixNano: string
        readonly endTimeUnixNano: string
        readonly attributes?: Attributes
        readonly events?: readonly { readonly name: string }[]
        readonly status?: { readonly code?: string }
      }[]
    }[]
  }[]
}

interface Points {
  readonly dataPoints: readonly {
    readonly attributes?: Attributes
    readonly asDouble?: number
    readonly asInt?: string
    readonly count?: string
  }[]
}

interface Metrics {
  readonly resourceMetrics: readonly {
    readonly scopeMetrics: readonly {
      readonly metrics: readonly { readonly name: string; readonly sum?: Points; readonly histogram?: Points }[]
    }[]
  }[]
}

function takeSpans({ spans, resources }: Omit<Receiver, 'url'>, decoded: Traces): void {
  for (const { resource, scopeSpans } of decoded.resourceSpans) {
    resources.push(plain(resource.attributes))
    for (const each of scopeSpans.flatMap((scope) => scope.spans))
      spans.push({
        name: each.name,
        traceId: each.traceId,
        spanId: each.spanId,
        parent: each.parentSpanId || undefined,
        from: Number(each.startTimeUnixNano) / 1e6,
        to: Number(each.endTimeUnixNano) / 1e6,
        attributes: plain(each.attributes),
        events: (each.events ?? []).map(({ name }) => name),
        status: each.status?.code,
      })
  }
}

function takeMetrics({ sums }: Omit<Receiver, 'url'>, decoded: Metrics): void {
  const metrics = decoded.resourceMetrics.flatMap((each) => each.scopeMetrics).flatMap((each) => each.metrics)
  for (const { name, sum, histogram } of metrics) {
    for (const { attributes, asDouble, asInt, count } of (sum ?? histogram)?.dataPoints ?? []) {
      const about = Object.entries(plain(attributes)).map(([key, value]) => `${key}=${value}`)
      sums.set([name, ...about.sort()].join(' '), Number(asDouble ?? asInt ?? count))
    }
  }
}
