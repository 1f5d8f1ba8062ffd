import type { DiffAnswer, Iteration } from '../../reports/page/types.ts'
import type { PressAnswer } from '../../reports/runs/row.ts'

const KEY = 'exitgate-token'

/** The token from the address, or the one this tab had before. It is removed from the address at once, because addresses are stored and shared. */
export function takeToken(): string | undefined {
  const given = /^#token=([\w-]+)$/.exec(location.hash)?.[1]
  if (given !== undefined) {
    sessionStorage.setItem(KEY, given)
    history.replaceState(null, '', location.pathname)
  }
  return given ?? sessionStorage.getItem(KEY) ?? undefined
}

export const withToken = (token: string): Record<string, string> => ({ authorization: `Bearer ${token}` })

const TOO_MANY = 429
/** With many tabs open, a request that is refused is made again after one to two times this long. */
const BUSY_MS = 2000

/** Requests of the page, in addition to the event stream. */
export interface Ask {
  iteration(id: string, run: string, n: number): Promise<Iteration | undefined>
  /** What the run changed, or one iteration of it. */
  diff(id: string, run: string, n?: number): Promise<DiffAnswer | undefined>
  press(id: string, kind: string, reason: string, ids?: readonly string[]): Promise<PressAnswer>
}

/** `typeCode` asks the user for the code that the run shows elsewhere; undefined gives up. */
export function askWith(token: string, typeCode: (text: string) => Promise<string | undefined>): Ask {
  const get = async <T>(path: string): Promise<T | undefined> => {
    try {
      const response = await fetch(path, { headers: withToken(token), cache: 'no-store' })
      if (response.status === TOO_MANY) {
        await new Promise((resolve) => setTimeout(resolve, BUSY_MS + Math.random() * BUSY_MS))
        return await get(path)
      }
      if (!response.ok) return undefined
      const found: T = await response.json()
      return found
    } catch {
      return undefined
    }
  }
  return {
    iteration: (id, run, n) =>
      get(`/iteration?journal=${encodeURIComponent(id)}&run=${encodeURIComponent(run)}&n=${n}`),
    diff: (journal, run, n) =>
      get(`/diff?${new URLSearchParams({ journal, run, ...(n !== undefined && { n: String(n) }) })}`),
    async press(journal, kind, reason, ids) {
      const first = await post({ journal, kind, reason, ...(ids && { ids }) })
      let answer = first
      while (answer.question !== undefined) {
        const code = await typeCode(answer.text)
        const next = await post({ question: answer.question, code })
        // The run must know of a cancelled question, because it has only one at a time.
        if (code === undefined) return { taken: false, text: 'No code was typed. Nothing was done.' }
        answer = next
      }
      return answer
    },
  }

  async function post(request: object): Promise<PressAnswer> {
    const headers = { ...withToken(token), 'content-type': 'application/json' }
    try {
      const body = JSON.stringify(request)
      const response = await fetch('/control', { method: 'POST', headers, body, cache: 'no-store' })
      const said: Partial<PressAnswer> & { readonly error?: string } = await response.json()
      const question = said.question === undefined ? {} : { question: said.question }
      return { taken: said.taken === true, text: said.text ?? said.error ?? 'no answer from the server', ...question }
    } catch {
      return { taken: false, text: 'exitgate watch is not reachable. Nothing was sent.' }
    }
  }
}
