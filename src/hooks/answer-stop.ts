import { existsSync, lstatSync } from 'node:fs'
import { join } from 'node:path'
import { attemptsFile, closeTurn, readAttempts, writeAttempts } from './attempts.ts'
import { type FoundWorkspace, findWorkspace } from './find-workspace.ts'
import type { HookClient, Reply, Stop } from './hook-client.ts'
import { completeTranscript, lastMessage, lastPart } from './last-message.ts'
import { mayClaim } from './may-claim.ts'
import type { MessageClaim } from './read-message.ts'
import type { HookCall, StopToVerify } from './stop-request.ts'

const PASS: Reply = { action: 'pass' }

/**
 * Answers a stop. With a goal, every end of a turn is checked against the project. Without a goal, only a turn that claims completion
 * is checked, and any other stop passes at once.
 */
export async function answerStop(call: HookCall): Promise<{ readonly reply: Reply; readonly stop?: Stop }> {
  const { client, payload, world } = call
  // Inside `exitgate run`, the loop decides after the agent has ended.
  if (world.env.EXITGATE_RUN) return { reply: PASS }
  if (typeof payload === 'string') return unreadable(call, payload)
  const kept = client.remember?.(payload, world.env)
  if (kept !== undefined) return { reply: rememberMessage(call, kept.stop, kept.text), stop: kept.stop }
  const stop = client.read(payload, world.env)
  if (stop === undefined) return { reply: PASS }
  if (stop.notAnEnd !== undefined) return { reply: PASS, stop }
  const place = findWorkspace(stop.folders, world)
  const message = await messageOf(client, stop, place)
  const request = { call, stop, place, message, claim: withSignals(await readClaim(message, stop.asked), place) }
  const reply = immediateReply(request)
  if (reply !== undefined) {
    closeTurn(request)
    return { reply, stop }
  }
  const { verifyOnce } = await import('./verify-stop.ts')
  return { reply: await verifyOnce(request), stop }
}

/** The reader is loaded only for a message that may claim something. */
async function readClaim(message: string, asked: string | undefined): Promise<MessageClaim> {
  if (!mayClaim(message)) return { explicit: undefined, inWords: false }
  const { readMessage } = await import('./read-message.ts')
  return readMessage(message, asked)
}

/** The answer if the project need not be checked; otherwise undefined. */
function immediateReply({ stop, place, claim }: StopToVerify): Reply | undefined {
  const claims = claim.explicit === true || (claim.explicit === undefined && claim.inWords)
  if (place.goal === undefined) {
    if (stop.of === 'turn') return claims ? undefined : PASS
    // Sub-agents run in parallel and end with a report; only an explicit claim is checked.
    return stop.of === 'helper' && claim.explicit === true ? undefined : PASS
  }
  if (stop.of === 'task') return undefined
  if (stop.of === 'helper' || stop.maybeMore) return claims ? undefined : PASS
  if (claim.explicit === true || stop.pending.length === 0) return undefined
  return {
    action: 'pass',
    message: `exitgate: the goal is not verified yet. Still running: ${stop.pending.slice(0, 5).join(', ').slice(0, 300)}`,
  }
}

async function messageOf(client: HookClient, stop: Stop, place: FoundWorkspace): Promise<string> {
  if (stop.message !== undefined) return stop.message
  const { text, seen } = readAttempts(attemptsFile(place.stateDir, client, stop), stop)
  if (stop.soFar !== undefined) return lastPart(stop.soFar, stop.transcript, seen)
  if (text !== undefined || stop.transcript === undefined) return text ?? ''
  if (stop.isComplete !== undefined) await completeTranscript(stop.transcript, stop.isComplete)
  return lastMessage(stop.transcript) ?? ''
}

function rememberMessage({ client, world }: HookCall, stop: Stop, text: string): Reply {
  const file = attemptsFile(findWorkspace(stop.folders, world).stateDir, client, stop)
  writeAttempts(file, { ...readAttempts(file, stop), text: text.slice(-256 * 1024) }, world.now())
  return PASS
}

/** A claim by tool call is in the inbox of the workspace. It is read when the stop is verified. */
function withSignals(claim: MessageClaim, { stateDir }: FoundWorkspace): MessageClaim {
  if (claim.explicit !== undefined) return claim
  const file = join(stateDir, 'inbox', 'session.claims')
  const waiting = existsSync(file) ? lstatSync(file, { throwIfNoEntry: false }) : undefined
  return waiting?.isFile() && waiting.size > 0 ? { ...claim, explicit: true } : claim
}

/** If the client's message can't be read, nothing is known about the stop. It is refused only if there is a goal. */
async function unreadable(call: HookCall, problem: string): Promise<{ readonly reply: Reply; readonly stop: Stop }> {
  const stop: Stop = { of: 'turn', session: '', prompt: '', part: '', folders: [call.world.cwd], pending: [] }
  const place = findWorkspace(stop.folders, call.world)
  if (place.goal === undefined) return { reply: { action: 'pass', message: `exitgate: ${problem}` }, stop }
  const { refuseUnverified } = await import('./verify-stop.ts')
  const claim = { explicit: undefined, inWords: false }
  return { reply: refuseUnverified({ call, stop, place, message: '', claim }, problem), stop }
}
