import { execFileSync, spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { endOf } from '../../src/loop/ending.ts'
import { addressOf } from '../../src/loop/telemetry/address.ts'
import { openTelemetry } from '../../src/loop/telemetry/open.ts'
import { project } from '../cli/run-cli.ts'
import { tellRun } from '../reports/live-scenes.ts'
import { STORY } from '../reports/page-runs.ts'
import { patience } from '../timing.ts'
import { type Receiver, receiver } from './receiver.ts'

const DONE = 'All done.\n\nEXIT_STATUS: COMPLETE\nEXIT_REASON: done\nREMAINING_WORK: none\n'
/** A collector on a busy machine may need this long to answer. */
const PATIENT = { OTEL_EXPORTER_OTLP_TIMEOUT: String(patience(60_000)) }
const SECRET = 'sk-abcdefghijklmnopqrstuvwx'

/** What Claude Code prints: a message, and a result with tokens, cost and model. */
const CLAUDE = [
  { type: 'system', subtype: 'init', session_id: 'session-1', model: 'claude-opus-5' },
  {
    type: 'assistant',
    session_id: 'session-1',
    message: { id: 'm1', model: 'claude-opus-5', role: 'assistant', content: [{ type: 'text', text: DONE }] },
  },
  {
    type: 'result',
    subtype: 'success',
    is_error: false,
    session_id: 'session-1',
    result: DONE,
    total_cost_usd: 0.25,
    num_turns: 1,
    usage: { input_tokens: 10, cache_read_input_tokens: 100, output_tokens: 20 },
    modelUsage: {
      'claude-opus-5': {
        inputTokens: 10,
        cacheReadInputTokens: 100,
        cacheCreationInputTokens: 0,
        outputTokens: 20,
        costUSD: 0.25,
      },
    },
  },
]

/** A real run of one iteration, with an agent that speaks Claude's format. */
function tracedProject() {
  const made = project({
    'a.txt': 'a',
    'agent.js': `require('fs').writeFileSync('a.txt', 'b'); console.log(${JSON.stringify(CLAUDE.map((line) => JSON.stringify(line)).join('\n'))})`,
    'test.sh': `echo "TAP version 13"; echo "ok 1 - works"; echo "1..1"`,
  })
  execFileSync('sh', ['-c', 'git init -q && git add -A && git -c user.name=a -c user.email=a@b commit -qm start'], {
    cwd: made.dir,
  })
  const args = [
    'run',
    '--quiet',
    '--anyway',
    '--max-iterations',
    '1',
    '--test',
    `sh test.sh --key ${SECRET}`,
    '--',
    process.execPath,
    'agent.js',
  ]
  return {
    ...made,
    args,
    loop: (env: Record<string, string>) => made.run(args, { PATH: process.env.PATH ?? '', ...env }),
  }
}

const named = ({ spans }: Receiver, name: string) => spans.filter((span) => span.name === name)

describe('a run with a collector', () => {
  it(
    'is one trace: run, iteration, agent, evidence with its commands, decision',
    async () => {
      const got = await receiver()
      const { loop } = tracedProject()
      const traceparent = `00-${'1'.repeat(32)}-${'2'.repeat(16)}-01`
      const { code } = await loop({ ...PATIENT, OTEL_EXPORTER_OTLP_ENDPOINT: got.url, TRACEPARENT: traceparent })
      const [run] = named(got, 'exitgate run')
      const [iteration] = named(got, 'iteration 1')
      const [agent] = named(got, 'invoke_agent node')
      const [evidence] = named(got, 'evidence')
      const [decision] = named(got, 'decision')
      expect(new Set(got.spans.map(({ traceId }) => traceId)).size).toBe(1)
      const parents = new Map([run, iteration, evidence].map((span) => [span?.spanId, span?.name]))
      expect([iteration, agent, evidence, decision].map((span) => parents.get(span?.parent))).toEqual([
        'exitgate run',
        'iteration 1',
        'iteration 1',
        'iteration 1',
      ])
      const commands = named(got, 'check tests')
      expect(commands.length).toBeGreaterThanOrEqual(2)
      expect(commands.map(({ parent }) => parents.get(parent))).toContain('evidence')
      expect(commands.at(-1)?.attributes).toMatchObject({ 'process.exit.code': 0, 'exitgate.check': 'tests' })
      expect(agent?.attributes).toMatchObject({
        'gen_ai.operation.name': 'invoke_agent',
        'gen_ai.agent.name': 'node',
        'gen_ai.provider.name': 'anthropic',
        'gen_ai.request.model': 'claude-opus-5',
        'gen_ai.conversation.id': 'session-1',
        'gen_ai.usage.input_tokens': 110,
        'gen_ai.usage.cache_read.input_tokens': 100,
        'gen_ai.usage.output_tokens': 20,
        'gen_ai.usage.cost': 0.25,
      })
      expect(decision?.attributes).toMatchObject({ 'exitgate.claim': 'yes' })
      expect(evidence?.events).toEqual(expect.arrayContaining(['tests', 'changed']))
      for (const { from, to } of got.spans) expect(from).toBeLessThanOrEqual(to)
      expect(run?.attributes['exitgate.outcome']).toBe(code === 0 ? 'completed' : 'aborted')
      expect(run?.status).toBe(code === 0 ? 'STATUS_CODE_OK' : 'STATUS_CODE_ERROR')
      expect(run?.traceId === Buffer.from('1'.repeat(32), 'hex').toString('base64')).toBe(true)
      expect(got.resources[0]).toMatchObject({ 'service.name': 'exitgate' })
      expect(got.bytes.join()).not.toContain(SECRET)
      expect(got.bytes.join()).toContain('[redacted]')
      expect(got.bytes.join()).not.toContain('All done.')
    },
    patience(60_000),
  )
})

/** The events of a whole run, told at once. */
async function tellStory(env: Record<string, string>): Promise<readonly string[]> {
  const warnings: string[] = []
  const telemetry = openTelemetry(env, (text) => warnings.push(text))
  const { events, state, at } = tellRun({ iterations: STORY })
  for (const event of events) telemetry?.tell(event)
  telemetry?.tell({ type: 'ended', end: endOf(state), at })
  await telemetry?.close()
  return warnings
}

describe('metrics', () => {
  it('count outcomes, decisions, rejected claims and checks', async () => {
    const got = await receiver()
    expect(await tellStory({ ...PATIENT, OTEL_EXPORTER_OTLP_ENDPOINT: `${got.url}/` })).toEqual([])
    expect(Object.fromEntries(got.sums)).toMatchObject({
      'exitgate.runs exitgate.ending=verified exitgate.outcome=completed': 1,
      'exitgate.iterations exitgate.action=continue': 3,
      'exitgate.iterations exitgate.action=stop': 1,
      'exitgate.claims.rejected exitgate.rule=warn': 1,
      'exitgate.evidence.duration exitgate.answer=no exitgate.check=tests': 2,
      'exitgate.evidence.duration exitgate.answer=yes exitgate.check=tests': 1,
    })
    expect(named(got, 'exitgate run')).toHaveLength(1)
    expect(got.spans.filter(({ name }) => name.startsWith('iteration '))).toHaveLength(4)
  })
})

describe('a collector that does not answer', () => {
  it('refuses what it gets: one warning, and the run ends as ever', async () => {
    const { url } = await receiver({ answer: 400 })
    expect(await tellStory({ ...PATIENT, OTEL_EXPORTER_OTLP_ENDPOINT: url })).toEqual([
      'Telemetry could not be sent: Bad Request. The run continues without it.',
    ])
  })

  const silent: readonly (readonly [string, () => Promise<string>])[] = [
    ['is not there', async () => 'http://user:hunter2secret@127.0.0.1:9'],
    ['accepts connections and stays silent', async () => (await receiver({ answer: 0 })).url],
  ]
  it.each(silent)('%s: the end of the run does not depend on it', async (_name, address) => {
    expect(await tellStory({ OTEL_EXPORTER_OTLP_ENDPOINT: await address() })).toEqual([])
  })

  it('answers late: the end waits as long as OTEL_EXPORTER_OTLP_TIMEOUT says', async () => {
    const held: ServerResponse[] = []
    let isSent = false
    const server = createServer((request, response) => {
      request.resume()
      held.push(response)
      isSent ||= request.url === '/v1/traces'
    })
    await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready))
    onTestFinished(() => {
      server.closeAllConnections()
      server.close()
    })
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    onTestFinished(() => void vi.useRealTimers())
    const { port } = server.address() as AddressInfo
    let isOver = false
    const story = tellStory({ ...PATIENT, OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}` }).finally(() => {
      isOver = true
    })
    // Traces are sent at the end.
    while (!isSent) await setImmediate()
    await vi.advanceTimersByTimeAsync(30_000)
    expect(isOver).toBe(false)
    server.removeAllListeners('request').on('request', (_request, response) => response.end())
    for (const response of held) response.end()
    expect(await story).toEqual([])
  })

  it('speaks another protocol: a warning that says what to do', async () => {
    const env = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9', OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' }
    expect(await tellStory(env)).toEqual([
      'Telemetry is off: exitgate sends http/protobuf only. Unset OTEL_EXPORTER_OTLP_PROTOCOL (now grpc).',
    ])
  })
})

describe('the address', () => {
  const base = 'http://collector:4318'
  const rows: readonly (readonly [Record<string, string>, string | undefined, string | undefined])[] = [
    [{}, undefined, undefined],
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: '' }, undefined, undefined],
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: base }, `${base}/v1/traces`, `${base}/v1/metrics`],
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: `${base}/otel/` }, `${base}/otel/v1/traces`, `${base}/otel/v1/metrics`],
    [{ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `${base}/t` }, `${base}/t`, undefined],
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: base, OTEL_METRICS_EXPORTER: 'none' }, `${base}/v1/traces`, undefined],
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: base, OTEL_SDK_DISABLED: 'true' }, undefined, undefined],
  ]
  it.each(rows)('%j', (env, traces, metrics) => {
    expect([addressOf('traces', env), addressOf('metrics', env)]).toEqual([traces, metrics])
  })
})

it(
  'without an address, the program loads no package of OpenTelemetry',
  () => {
    const { dir, root, args } = tracedProject()
    const probe = join(root, 'probe.cjs')
    const loads = "Object.keys(require.cache).some((path) => path.includes('@opentelemetry'))"
    writeFileSync(probe, `process.on('exit', () => require('fs').writeSync(2, 'loads: ' + ${loads}))`)
    const program = join(import.meta.dirname, '../../dist/cli/cli.cjs')
    const load = (env: Record<string, string>): string =>
      spawnSync(process.execPath, ['--require', probe, program, ...args], {
        cwd: dir,
        env: { PATH: process.env.PATH ?? '', HOME: root, EXITGATE_SANDBOX: 'off', ...env },
        encoding: 'utf8',
      }).stderr
    expect(load({})).toContain('loads: false')
    expect(load({ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9' })).toContain('loads: true')
  },
  patience(60_000),
)
