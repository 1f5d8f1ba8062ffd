import type { ScriptedError } from './turn.ts'

const TYPES: Readonly<Record<number, string>> = { 401: 'invalid_request_error', 429: 'rate_limit_exceeded' }

/** The error format of both OpenAI APIs. */
export function openaiError({ status, message, type }: ScriptedError): object {
  return { error: { message, type: type ?? TYPES[status] ?? 'server_error', param: null, code: null } }
}
