import { lstatSync } from 'node:fs'
import { join } from 'node:path'
import { attemptsFile, readAttempts, writeAttempts } from './attempts.ts'
import { type FoundWorkspace, findWorkspace } from './find-workspace.ts'
import type { Host, Reply, Stop } from './host.ts'
import { lastMessage } from './last-message.ts'
import { mayClaim } from './may-claim.ts'
import type { MessageClaim } from './read-message.ts'
import type { HookCall, StopToVerify } from './stop-request.ts'

const PASS: Reply = { action: 'pass' }

/**
 * What a host is answered. With a goal, every end of a turn is held against the project; without one, only the end of a turn that
 * claims completion is, and any other passes at once.
 */
export async function answerStop(call: HookCall): Promise<{ readonly reply: Reply; readonly stop?: Stop }> {
  const { host, payload, world } = call
  // The loop that started this agent decides itself, after the agent has ended.
  if (world.env.EXITGATE_RUN) return { reply: PASS }
  if (typeof payload === 'string') return unreadable(call, payload)
  const kept = host.remember?.(payload, world.env)
  if (kept !== undefined) return { reply: rememberMessage(call, kept.stop, kept.text), stop: kept.stop }
  const stop = host.read(payload, world.env)
  if (stop === undefined) return { reply: PASS }
  if (stop.notAnEnd !== undefined) return { reply: PASS, stop }
  const place = findWorkspace(stop.folders, world)
  const message = messageOf(host, stop, place)
  const request = { call, stop, place, message, heard: withSignals(await hear(message, stop.asked), place) }
  const reply = immediateReply(request)
  if (reply !== undefined) return { reply, stop }
  const { verifyStop } = await import('./verify-stop.ts')
  return { reply: await verifyStop(request), stop }
}

/** What reads the message is loaded only for one that may claim something. */
async function hear(message: string, asked: string | undefined): Promise<MessageClaim> {
  if (!mayClaim(message)) return { explicit: undefined, inWords: false }
  const { readMessage } = await import('./read-message.ts')
  return readMessage(message, asked)
}

/** The answer that needs no look at the project; undefined when one is needed. */
function immediateReply({ stop, place, heard }: StopToVerify): Reply | undefined {
  const claims = heard.explicit === true || (heard.explicit === undefined && heard.inWords)
  if (place.goal === undefined) {
    if (stop.of === 'turn') return claims ? undefined : PASS
    // Helpers work side by side and end with a report; only an explicit claim of theirs is taken at its word.
    return stop.of === 'helper' && heard.explicit === true ? undefined : PASS
  }
  if (stop.of === 'task') return undefined
  if (stop.of === 'helper' || stop.maybeMore) return claims ? undefined : PASS
  if (heard.explicit === true || stop.pending.length === 0) return undefined
  return {
    action: 'pass',
    message: `exitgate: the goal is not verified yet; this still runs: ${stop.pending.slice(0, 5).join(', ').slice(0, 300)}`,
  }
}

function messageOf(host: Host, stop: Stop, place: FoundWorkspace): string {
  if (stop.message !== undefined) return stop.message
  const kept = readAttempts(attemptsFile(place.stateDir, host, stop), stop).text
  return kept ?? (stop.transcript === undefined ? undefined : lastMessage(stop.transcript)) ?? ''
}

function rememberMessage({ host, world }: HookCall, stop: Stop, text: string): Reply {
  const file = attemptsFile(findWorkspace(stop.folders, world).stateDir, host, stop)
  writeAttempts(file, { ...readAttempts(file, stop), text: text.slice(-256 * 1024) }, world.now())
  return PASS
}

/** A claim by tool call lies in the inbox of the workspace; what it says is read when the stop is verified. */
function withSignals(heard: MessageClaim, { stateDir }: FoundWorkspace): MessageClaim {
  if (heard.explicit !== undefined) return heard
  const waiting = lstatSync(join(stateDir, 'inbox', 'session.claims'), { throwIfNoEntry: false })
  return waiting?.isFile() && waiting.size > 0 ? { ...heard, explicit: true } : heard
}

/** Without the host's words nothing is known about the stop; only a goal makes that a reason to refuse. */
async function unreadable(call: HookCall, problem: string): Promise<{ readonly reply: Reply; readonly stop: Stop }> {
  const stop: Stop = { of: 'turn', session: '', prompt: '', part: '', folders: [call.world.cwd], pending: [] }
  const place = findWorkspace(stop.folders, call.world)
  if (place.goal === undefined) return { reply: { action: 'pass', message: `exitgate: ${problem}` }, stop }
  const { refuseUnverified: refuseUnseen } = await import('./verify-stop.ts')
  const heard = { explicit: undefined, inWords: false }
  return { reply: refuseUnseen({ call, stop, place, message: '', heard }, problem), stop }
}
