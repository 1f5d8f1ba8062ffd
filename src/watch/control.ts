import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync, readlinkSync } from 'node:fs'
import type { IncomingMessage } from 'node:http'
import type { Control } from '../core/run.ts'
import { readJournal } from '../journal/read.ts'
import { agentMembers } from '../loop/agent/leftovers.ts'
import { askRun } from '../loop/control/ask.ts'
import { MARKS, whyNot } from '../loop/control/may-ask.ts'
import { findPlace } from '../loop/control/place.ts'
import type { ControlRequest } from '../loop/control/request.ts'
import type { PressAnswer } from '../reports/runs/row.ts'
import { nonce } from '../system/digest.ts'
import { findReaper } from '../system/open-files.ts'
import { ancestryOf, bootedAt, processLookup } from '../system/process-ancestry.ts'
import type { Refusal } from './guard.ts'

/** What the page has a button for. */
const KINDS = ['pause', 'resume', 'interrupt', 'force', 'accept', 'skip', 'reset-breaker', 'guidance'] as const
const LARGEST = 16 * 1024
const LONGEST_REASON = 4000
const BY = 'exitgate watch'

export interface Pressed {
  readonly journal: string
  readonly control: Control
}

/** The answer to the question for a one-time code; without a code, the question was cancelled. */
export interface Typed {
  readonly question: string
  readonly code?: string
}

/** The body of a request, as far as it is small. */
export async function bodyOf(request: IncomingMessage): Promise<string | Refusal> {
  const refusal: Refusal = { status: 413, why: `a request has at most ${LARGEST} bytes` }
  if (Number(request.headers['content-length'] ?? 0) > LARGEST) return refusal
  const pieces: Buffer[] = []
  let size = 0
  for await (const piece of request as AsyncIterable<Buffer>) {
    size += piece.length
    if (size > LARGEST) return refusal
    pieces.push(piece)
  }
  return Buffer.concat(pieces).toString('utf8')
}

export function readPressed(body: string): Pressed | Typed | Refusal {
  const wrong = (why: string): Refusal => ({ status: 400, why })
  let said: unknown
  try {
    said = JSON.parse(body)
  } catch {
    return wrong('this is not JSON')
  }
  if (typeof said !== 'object' || said === null || Array.isArray(said)) return wrong('a request is a JSON object')
  const { journal, kind, reason, ids, question, code } = said as Readonly<Record<string, unknown>>
  if (typeof question === 'string') return { question, ...(typeof code === 'string' && { code }) }
  const known = KINDS.find((each) => each === kind)
  if (known === undefined) return wrong(`"kind" is one of ${KINDS.join(', ')}`)
  if (typeof journal !== 'string') return wrong('"journal" names the run')
  if (typeof reason !== 'string' || reason.trim() === '' || reason.length > LONGEST_REASON)
    return wrong(`"reason" says why, in 1 to ${LONGEST_REASON} characters; it is written into the journal`)
  if (known === 'accept' && !isIds(ids)) return wrong('"ids" lists the findings')
  const named = known === 'accept' && isIds(ids) ? { ids } : {}
  return { journal, control: { kind: known, by: BY, reason: reason.trim(), ...named } }
}

const isIds = (ids: unknown): ids is readonly string[] =>
  Array.isArray(ids) && ids.length > 0 && ids.every((id) => typeof id === 'string')

export type TypeCode = (where: string, again: boolean) => Promise<string | undefined>

/** Requests that wait for the code that someone types into the page. */
export class CodeQuestions {
  readonly #open = new Map<string, (code: string | undefined) => Promise<PressAnswer>>()

  /** Starts a request. Its answer is the result, or the question for a code. */
  begin(start: (typeCode: TypeCode) => Promise<PressAnswer>): Promise<PressAnswer> {
    const question = nonce()
    let give: (code: string | undefined) => void = () => {}
    let tell: (answer: PressAnswer) => void = () => {}
    const listen = (): Promise<PressAnswer> =>
      new Promise((resolve) => {
        tell = resolve
      })
    const first = listen()
    this.#open.set(question, (code) => {
      const next = listen()
      give(code)
      return next
    })
    const typeCode: TypeCode = (where, again) => {
      const typed = new Promise<string | undefined>((resolve) => {
        give = resolve
      })
      tell({ taken: false, text: `${again ? 'That is not the code. ' : ''}Type the code shown in ${where}.`, question })
      return typed
    }
    start(typeCode)
      .catch(() => ({ taken: false, text: 'The run did not answer.' }))
      .then((answer) => {
        this.#open.delete(question)
        tell(answer)
      })
    return first
  }

  answer({ question, code }: Typed): Promise<PressAnswer> {
    const open = this.#open.get(question)
    return open?.(code) ?? Promise.resolve({ taken: false, text: 'The code came too late. Press the button again.' })
  }
}

/**
 * Asks the run itself, which looks at this process and decides. What the agent pressed is passed on as what it is: so the run refuses
 * it, and writes that down.
 */
export async function press(
  dir: string,
  run: string,
  control: Control,
  ends: Ends,
  typeCode: TypeCode,
): Promise<PressAnswer> {
  const why = await whyRefused(dir, control.kind, ends)
  const answer = await askRun(dir, control, why === undefined ? { typeCode } : { inside: run })
  if (answer === undefined) return { taken: false, text: 'No run is active there. Use the same command in a terminal.' }
  if (why !== undefined) return { taken: false, text: `refused: ${why}` }
  return { taken: answer.taken, text: answer.text }
}

/** Both ends of the connection over which a button was pressed. */
export interface Ends {
  readonly theirPort: number
  readonly ourPort: number
}

/**
 * Why the sender may not press a button or follow the run. The run checks this process, which you started. But the agent may have found the token. So the
 * same checks apply to the program at the other end, with one difference: a browser needs no terminal.
 */
export async function whyRefused(dir: string, kind: ControlRequest['kind'], ends: Ends): Promise<string | undefined> {
  const peers = peersOf(ends.theirPort, ends.ourPort)
  const { state } = readJournal(dir)
  const look = processLookup(MARKS)
  const agent = state.running?.agent
  const runner = ancestryOf(findPlace(dir)?.pid ?? 0, look)
  const startedAt = state.startedAt ?? 0
  const about = {
    runner,
    agent: new Set(agent === undefined ? [] : agentMembers(agent).map(({ pid }) => pid)),
    reaper: await findReaper(),
    since: startedAt < bootedAt() ? (runner[0]?.startedAt ?? startedAt) : startedAt,
    allowRemote: false,
  }
  if (peers === undefined) return whyNot(kind, { ...about, blind: process.platform === 'win32', lineage: undefined })
  for (const pid of peers) {
    const [first, ...rest] = ancestryOf(pid, look)
    const lineage = first === undefined ? undefined : [{ ...first, terminal: true }, ...rest]
    const why = whyNot(kind, { ...about, blind: false, lineage })
    if (why !== undefined) return why
  }
  return undefined
}

/**
 * The processes at the other end of a loopback connection; undefined if unknown. The token shows that the sender saw the terminal, or a
 * file of this user. This shows which process it is.
 */
export function peersOf(theirPort: number, ourPort: number): readonly number[] | undefined {
  if (process.platform === 'linux') return peersByProc(theirPort, ourPort)
  return process.platform === 'win32' ? undefined : peersByLsof(theirPort, ourPort)
}

function peersByProc(theirPort: number, ourPort: number): readonly number[] | undefined {
  const inodes = ['/proc/net/tcp', '/proc/net/tcp6'].flatMap((table) => inodesIn(table, theirPort, ourPort))
  if (inodes.length === 0) return undefined
  const links = new Set(inodes.map((inode) => `socket:[${inode}]`))
  const holders = namesIn('/proc').filter((name) => /^\d+$/.test(name) && holdsOne(name, links))
  return holders.length === 0 ? undefined : holders.map(Number)
}

const holdsOne = (pid: string, links: ReadonlySet<string>): boolean =>
  namesIn(`/proc/${pid}/fd`).some((fd) => links.has(linkOf(`/proc/${pid}/fd/${fd}`)))

function inodesIn(table: string, theirPort: number, ourPort: number): readonly string[] {
  return textOf(table)
    .split('\n')
    .slice(1)
    .flatMap((line) => {
      const fields = line.trim().split(/\s+/)
      const inode = fields[9] ?? '0'
      return inode !== '0' && portIn(fields[1]) === theirPort && portIn(fields[2]) === ourPort ? [inode] : []
    })
}

/** `0100007F:1F90`, all in hex. */
const portIn = (address = ''): number => Number.parseInt(address.slice(address.lastIndexOf(':') + 1), 16)

export function peersByLsof(theirPort: number, ourPort: number): readonly number[] | undefined {
  const env = { PATH: '/usr/sbin:/usr/bin:/sbin:/bin', LC_ALL: 'C' }
  const args = ['-nP', `-iTCP:${theirPort}`, '-Fpn']
  const asked = spawnSync('lsof', args, { encoding: 'utf8', env, timeout: 10_000 })
  if (asked.error !== undefined) return undefined
  const found: number[] = []
  let pid = 0
  for (const line of asked.stdout.split('\n')) {
    if (line.startsWith('p')) pid = Number(line.slice(1))
    else if (new RegExp(`^n\\S*:${theirPort}->\\S*:${ourPort}$`).test(line)) found.push(pid)
  }
  return found.length === 0 ? undefined : found
}

const namesIn = (folder: string): readonly string[] => found(() => readdirSync(folder), [])
const linkOf = (path: string): string => found(() => readlinkSync(path), '')
const textOf = (path: string): string => found(() => readFileSync(path, 'latin1'), '')

/** It may be gone, or belong to another user. */
function found<T>(look: () => T, otherwise: T): T {
  try {
    return look()
  } catch {
    return otherwise
  }
}
