import type { TestCase, TestState } from '../types.ts'
import { stateOf } from '../words.ts'

export type Fields = Readonly<Record<string, unknown>>

export const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
export const fields = (value: unknown): Fields => (isFields(value) ? value : {})
export const list = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])
export const text = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined)
export const countIn = (value: unknown): number => (typeof value === 'number' && value > 0 ? Math.floor(value) : 0)
export const isCount = (value: unknown): value is number => typeof value === 'number' && value >= 0

/** The state that a report's word means. An unknown one is not a pass. */
export const stateIn = (word: unknown, own: Readonly<Record<string, TestState>> = {}): TestState =>
  stateOf(text(word) ?? '', own) ?? 'failed'

/** What libraries say when there is no network. A refused connection is not among them: that is a service that does not run. */
const NO_NETWORK =
  /\b(?:ENOTFOUND|EAI_AGAIN|ENETUNREACH|EHOSTUNREACH|ENETDOWN)\b|getaddrinfo (?:failed|E\w+)|Name or service not known|[Tt]emporary failure in name resolution|nodename nor servname provided|No address associated with hostname|[Nn]etwork is unreachable|No route to host|dial (?:tcp|udp): lookup|no such host|[Cc]ould not resolve host|[Ff]ailed to resolve|NameResolutionError|UnknownHostException|php_network_getaddresses/

/** Whether the message of a failed test says there is no network. */
export const saysNoNetwork = (message: string): boolean => NO_NETWORK.test(message)

interface Details {
  readonly file?: unknown
  /** It needed more than one try. */
  readonly flaky?: boolean
  /** Why it failed. */
  readonly error?: string | undefined
}

/** A test with what a report says about it. */
export const testCase = (name: string, state: TestState, { file, flaky, error }: Details): TestCase => ({
  name,
  state,
  ...(typeof file === 'string' && { file }),
  ...(state === 'passed' && flaky === true && { flaky: true as const }),
  ...(state === 'failed' && saysNoNetwork(error ?? '') && { network: true as const }),
})
