import { closeSync, openSync, readSync } from 'node:fs'
import { resolve } from 'node:path'
import { TextReader } from '../agents/text-reader.ts'
import { type TranscriptReader, transcriptReader } from '../agents/transcript-reader.ts'
import type { Config } from '../core/config.ts'
import { policyFor } from '../core/presets/index.ts'
import { discardClaim, NO_TRANSCRIPT, readSignals } from '../core/signals/read-signals.ts'
import type { Observation, Policy, Signals, Transcript } from '../core/types.ts'
import type { Gathered } from '../evidence/gather.ts'
import { hasOutput, readGivenWith } from '../evidence/given/reader.ts'
import type { DecideValues } from './decide-options.ts'
import { fileError, InputError } from './errors.ts'
import type { Where } from './gather-evidence.ts'
import { DEFAULT_BY, type Io } from './io.ts'
import { oneOf, wholeNumber } from './parse.ts'
import { readText } from './read-text.ts'

/** A larger buffer is not faster, and a smaller one costs more system calls. */
const CHUNK = 1024 * 1024
const MOST_MEGABYTES = 64

/** Reads the output of one iteration from a file or stdin, without ever holding all of it in memory. */
export async function readTranscript(
  source: { readonly path: string } | { readonly stdin: true },
  format: string,
): Promise<Transcript> {
  const known = format === 'auto' || format === 'text' ? undefined : await readerOfEvents(format)
  if ('stdin' in source) {
    const reader = known ?? (await readerOfEvents(format))
    for await (const chunk of process.stdin) reader.write(typeof chunk === 'string' ? Buffer.from(chunk) : chunk)
    return reader.end()
  }
  try {
    return await readFile(source.path, (start) => known ?? readerFor(format, start))
  } catch (error) {
    throw fileError('--transcript', source.path, error)
  }
}

async function readFile(
  path: string,
  readerOf: (start: Buffer) => TranscriptReader | Promise<TranscriptReader>,
): Promise<Transcript> {
  const fd = openSync(path, 'r')
  try {
    const buffer = Buffer.allocUnsafeSlow(CHUNK)
    const next = () => buffer.subarray(0, readSync(fd, buffer, 0, CHUNK, null))
    const start = next()
    const reader = await readerOf(start)
    for (let chunk = start; chunk.length > 0; chunk = next()) reader.write(chunk)
    return reader.end()
  } finally {
    closeSync(fd)
  }
}

/** Plain text needs no agent format, and loading the formats takes time. Events are JSON, so they have braces. */
function readerFor(format: string, start: Buffer): TranscriptReader | Promise<TranscriptReader> {
  const isText = format === 'text' || !(start.includes('{') || start.includes('['))
  return isText ? transcriptReader(new TextReader()) : readerOfEvents(format)
}

async function readerOfEvents(format: string): Promise<TranscriptReader> {
  const { FORMATS, openReader } = await import('../agents/reader.ts')
  return openReader(oneOf('--format', format, FORMATS))
}

export interface Observed {
  readonly observation: Observation
  readonly problems: readonly string[]
  /** The agent's final message. */
  readonly said: string
}

/** Reads the agent's output and gathers evidence: everything the decision will see. */
export async function observe(
  where: Where,
  values: DecideValues,
  config: Config,
  policy: Policy,
  promptOfLoop?: string,
): Promise<Observed> {
  const { cwd } = where.io
  const transcript = values.transcript === undefined ? NO_TRANSCRIPT : await transcriptOf(cwd, values)
  const prompt =
    promptOfLoop ??
    (values.prompt === undefined ? undefined : readText('--prompt', resolve(cwd, values.prompt), MOST_MEGABYTES))
  const reading = { ...policy.reading, ...(prompt === undefined ? {} : { prompt }) }
  const exitCode = wholeNumber('--exit-code', values['exit-code'], 0)
  const failed = exitCode ? { reason: `the agent ended with exit code ${exitCode}` } : undefined
  const said = claimedBy(await readSignals(transcript, reading), values.claimedBy)
  const signals = failed === undefined ? said : discardClaim(said, failed.reason)
  const place = { ...where, said: transcript.final, ...(prompt !== undefined && { prompt }) }
  const { evidence, problems } =
    values.evidence === undefined
      ? await (await import('./gather-evidence.ts')).gatherEvidence(place, values, config, signals.claim === true)
      : await given(where, values, config)
  const forced = await forcedOf(values, where.io)
  const stalled = stalledOf(values['timed-out'])
  return {
    problems: [...transcript.problems, ...problems],
    said: transcript.final,
    observation: {
      signals,
      evidence,
      spent: { ms: transcript.usage.ms ?? 0, tokens: transcript.usage.tokens ?? 0, usd: transcript.usage.usd ?? 0 },
      interrupted: values.interrupted === true,
      ...forced,
      ...(failed === undefined ? {} : { failed }),
      ...(stalled === undefined ? {} : { stalled }),
      ...(values.task === undefined ? {} : { task: values.task }),
      ...(values.phase === undefined ? {} : { phase: values.phase.toUpperCase() }),
      ...givenOf(values),
    },
  }
}

function transcriptOf(cwd: string, values: DecideValues): Promise<Transcript> {
  const path = values.transcript ?? '-'
  return readTranscript(path === '-' ? { stdin: true } : { path: resolve(cwd, path) }, values.format ?? 'auto')
}

/** If the agent's output says neither yes nor no, the caller may make the claim. An explicit "not done" still wins. */
function claimedBy(signals: Signals, source: DecideValues['claimedBy']): Signals {
  if (source === undefined || signals.claim !== undefined) return signals
  return { ...signals, claim: true, claims: { ...signals.claims, [source]: true }, source }
}

/** Evidence from --evidence. The plan is still read, unless the file contains it too. */
async function given({ workspace, io }: Where, values: DecideValues, config: Config): Promise<Gathered> {
  const json = givenJson(io.cwd, values.evidence ?? '')
  const found = readGivenWith(hasOutput(json) ? await outputReader() : () => undefined, json)
  if (found.evidence.checklist !== undefined || config.plan === undefined) return found
  const { optionalSections } = config
  const { required, plansOnly } = policyFor(config).checks.plan
  const { collectPlan } = await import('../evidence/checks/judge-plan.ts')
  const plan = collectPlan(workspace, config.plan, { optionalSections, plansOnly })
  // The default plan of a preset may be missing.
  const counts = plan.answer !== 'unknown' || required || values.plan !== undefined
  return counts ? { ...found, evidence: { ...found.evidence, checklist: plan } } : found
}

const outputReader = async () => (await import('../../packages/test-output/src/index.ts')).readTestOutput

function givenJson(cwd: string, path: string): object {
  const text = readText('--evidence', resolve(cwd, path), MOST_MEGABYTES)
  try {
    const value: unknown = JSON.parse(text)
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value
    throw new Error('it is not an object with one entry per check')
  } catch (error) {
    throw new InputError(
      `--evidence ${resolve(cwd, path)} can't be used: ${(error as Error).message}. It should look like {"tests": {"answer": "yes"}}.`,
    )
  }
}

async function forcedOf(values: DecideValues, io: Io): Promise<Pick<Observation, 'forced'>> {
  const scope = values['force-complete'] ? 'run' : values['skip-phase'] ? 'phase' : undefined
  if (scope === undefined) return {}
  const flag = scope === 'run' ? '--force-complete' : '--skip-phase'
  if (!values.reason?.trim()) throw new InputError(`Add --reason "..." to ${flag}: the journal records why.`)
  const { userOnly } = await import('./refuse-agent.ts')
  userOnly(`check ${flag}`, io)
  return { forced: { by: values.by ?? DEFAULT_BY, reason: values.reason, scope } }
}

/** Counters of a caller that counts itself: `--iteration 5`, `--breaker "open: no progress"`. */
function givenOf(values: DecideValues): Pick<Observation, 'given'> {
  const phaseIteration = wholeNumber('--iteration', values.iteration, 1)
  const [word = '', ...reason] = (values.breaker ?? '').split(':')
  const breaker =
    values.breaker === undefined
      ? undefined
      : {
          state: oneOf('--breaker', word.trim().toLowerCase().replace('_', '-'), BREAKER_STATES),
          ...reasonOf(reason.join(':')),
        }
  if (phaseIteration === undefined && breaker === undefined) return {}
  return {
    given: {
      ...(phaseIteration === undefined ? {} : { phaseIteration }),
      ...(breaker === undefined ? {} : { breaker }),
    },
  }
}

const BREAKER_STATES = ['closed', 'half-open', 'open'] as const
const reasonOf = (text: string): { reason?: string } => (text.trim() === '' ? {} : { reason: text.trim() })

/** `--timed-out overall:30` or `activity:15`, in minutes. */
function stalledOf(text: string | undefined): Observation['stalled'] {
  if (text === undefined) return undefined
  const match = /^(overall|activity):(\d+(?:\.\d+)?)$/.exec(text)
  if (!match) throw new InputError(`--timed-out must be overall:MINUTES or activity:MINUTES, not "${text}".`)
  return { kind: match[1] as 'overall' | 'activity', minutes: Number(match[2]) }
}
