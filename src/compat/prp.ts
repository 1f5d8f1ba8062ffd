import type { Config } from '../core/config.ts'
import { isoTime, json, oneLine, readJson } from './format.ts'
import { breakerOpenBlock, statusBlock } from './prp-block.ts'
import { breakerJson, loopStateJson, metricsJson } from './prp-session.ts'
import { gateCondition, gates, iterationOf, phaseOf, phaseValues, validateSession } from './prp-values.ts'
import type { CompatInput, CompatWriter, FileWrite, StoredSession } from './types.ts'

/** dual-gate.json: both gates of this iteration. */
export function dualGateJson(input: CompatInput) {
  const { gate1, gate2, canExit, forced } = gates(input)
  const phase = phaseOf(input)
  return {
    phase,
    iteration: iterationOf(input),
    gate_1: { satisfied: gate1, condition: gateCondition(phase, input.config), values: phaseValues(input) },
    gate_2: { satisfied: gate2, source: gate2 ? 'explicit_signal' : 'none' },
    can_exit: canExit,
    ...(forced && { forced_exit: true }),
    timestamp: isoTime(input.at),
  }
}

const folder = ({ prp }: Config): string => `${prp.sessionDir.replace(/\/+$/, '')}/`

function write(input: CompatInput): readonly FileWrite[] {
  const dir = folder(input.config)
  const log = `${dir}phase-status.log`
  const gap = (input.read(log) ?? '') === '' ? '' : '\n'
  const replace = (name: string, make: (input: CompatInput, path: string) => unknown): FileWrite => ({
    path: dir + name,
    mode: 'replace',
    text: json(make(input, dir + name)),
  })
  return [
    replace('dual-gate.json', dualGateJson),
    { path: log, mode: 'append', text: gap + statusBlock(input) },
    replace('circuit-breaker.json', breakerJson),
    replace('metrics.json', metricsJson),
    replace('loop-state.json', loopStateJson),
  ]
}

/** Only the position of the session changes; no gate was checked. */
function end(input: CompatInput): readonly FileWrite[] {
  const path = `${folder(input.config)}loop-state.json`
  return [{ path, mode: 'replace', text: json(loopStateJson(input, path)) }]
}

/** A session of PRP itself, or of a journal that is gone. Its breaker counts like its status. */
function session(config: Config, task: string | undefined, read: CompatInput['read']): StoredSession | undefined {
  const file = `${folder(config)}loop-state.json`
  if (read(file) === undefined) return undefined
  const stored = readJson({ read }, file)
  const requested = oneLine(task ?? config.run.prompt ?? config.plan ?? '')
  const isOpen = readJson({ read }, `${folder(config)}circuit-breaker.json`).state === 'OPEN'
  const { message } = validateSession(isOpen ? { ...stored, status: 'halted' } : stored, requested)
  const at = { file, id: oneLine(String(stored.session_id)), phase: String(stored.current_phase) }
  return { ...at, ...(message !== '' && { problem: oneLine(message) }) }
}

export const prp: CompatWriter = {
  write,
  end,
  session,
  paths: (config) => [folder(config)],
  breakerOpen: breakerOpenBlock,
}
