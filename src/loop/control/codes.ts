import { createHash, randomInt, timingSafeEqual } from 'node:crypto'
import { join } from 'node:path'
import { PLAIN_LETTERS } from '../../core/accepting.ts'
import type { Control } from '../../core/run.ts'
import { removeFile, writeFileAtomic } from '../../system/files.ts'

const LENGTH = 6
export const MOST_TRIES = 3
export const CODE_MS = 5 * 60_000

/** What only the user may do. Stopping and pausing a run helps no agent, and resuming it needs a terminal or a code. */
const NEEDS_CODE: readonly Control['kind'][] = ['force', 'accept', 'skip', 'reset-breaker', 'guidance']
export const needsCode = (kind: Control['kind'], terminal = true): boolean =>
  NEEDS_CODE.includes(kind) || (kind === 'resume' && !terminal)

export const newCode = (): string =>
  Array.from({ length: LENGTH }, () => PLAIN_LETTERS[randomInt(PLAIN_LETTERS.length)]).join('')

/** Compares in constant time. Case, spaces and dashes don't matter. */
export function isCode(given: string, code: string): boolean {
  const hash = (text: string): Buffer => createHash('sha256').update(text).digest()
  return timingSafeEqual(hash(given.toUpperCase().replace(/[\s-]/g, '')), hash(code))
}

/** Where a code lies when there is no terminal to show it in. The sandbox hides this folder from agents and checks. */
export const codeFile = (dir: string): string => join(dir, 'one-time-code')

export function writeCode(dir: string, code: string, action: string): string {
  const path = codeFile(dir)
  writeFileAtomic(path, `${code}\nThis code confirms once, within five minutes: ${action}\n`)
  return path
}

export const removeCode = (dir: string): void => removeFile(codeFile(dir))

/** A code that one request waits for. */
export interface PendingCode {
  readonly where: string
  /** Whether this is the code. `over`: too late, or too many wrong codes. */
  check(given: string): 'right' | 'wrong' | 'over'
  close(): void
}

/**
 * The codes of one run. `show` shows a code to the user and returns where; `hide` removes it when it is no longer needed. A code belongs to one request and counts once. After three wrong codes no new one is given out for as long as
 * a code is valid, so that guessing gets nowhere.
 */
export function openCodes({
  now,
  show,
  hide,
}: {
  now(): number
  show(code: string, action: string): string
  hide(): void
}) {
  let pending = false
  let wrong: number[] = []
  return {
    /** Gives out a code for this request, or says why not. */
    ask(action: string): PendingCode | string {
      wrong = wrong.filter((at) => now() - at < CODE_MS)
      if (wrong.length >= MOST_TRIES) return 'too many wrong codes; try again in five minutes'
      if (pending) return 'another request waits for its code; finish that one first'
      pending = true
      const code = newCode()
      const until = now() + CODE_MS
      let open = true
      const close = (): void => {
        if (!open) return
        open = false
        pending = false
        hide()
      }
      return {
        where: show(code, action),
        check(given) {
          if (!open || now() >= until) return 'over'
          if (isCode(given, code)) {
            close()
            return 'right'
          }
          wrong.push(now())
          if (wrong.length < MOST_TRIES) return 'wrong'
          close()
          return 'over'
        },
        close,
      }
    },
  }
}

export type Codes = ReturnType<typeof openCodes>

/** `force (reviewed by hand)`: what the code is for, in words. */
export function actionText(
  request: Pick<Control, 'kind' | 'by' | 'reason'> & { readonly ids?: readonly string[] },
): string {
  const { kind, by, reason, ids = [] } = request
  if (kind === 'guidance') return `say by ${by} (${reason})`
  return `${kind}${ids.length > 0 ? ` ${ids.join(' ')}` : ''} by ${by} (${reason})`
}

/** Asks until the right code comes; a sentence if none does. */
export async function whyNoCode(
  codes: Codes,
  action: string,
  ask: (question: { readonly code: string; readonly again: boolean }) => Promise<string | undefined>,
): Promise<string | undefined> {
  const pending = codes.ask(action)
  if (typeof pending === 'string') return pending
  try {
    for (let again = false; ; again = true) {
      const line = await ask({ code: pending.where, again })
      const checked = line === undefined || line === 'too long' ? 'over' : pending.check(codeIn(line))
      if (checked !== 'wrong') return checked === 'right' ? undefined : 'no right code was typed'
    }
  } finally {
    pending.close()
  }
}

function codeIn(line: string): string {
  try {
    const said: unknown = JSON.parse(line)
    return typeof said === 'object' && said !== null && 'code' in said && typeof said.code === 'string' ? said.code : ''
  } catch {
    return ''
  }
}
