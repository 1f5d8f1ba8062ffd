import { MOST_BYTES, sha256 } from './sha256.ts'

let hashed = 0

/** SHA-256 in hex. Loading node:crypto takes more than a tenth of Node's startup time, so only larger inputs use it. */
export function digest(text: string | Uint8Array): string {
  const bytes = typeof text === 'string' ? Buffer.from(text) : text
  hashed += bytes.length
  const small = hashed > MOST_BYTES ? undefined : sha256(bytes)
  return small ?? process.getBuiltinModule('node:crypto').hash('sha256', bytes, 'hex')
}

/** Unique per call and process. It doesn't have to be secret. */
export function nonce(): string {
  const parts = [BigInt(process.pid), process.hrtime.bigint(), BigInt(Math.trunc(Math.random() * 2 ** 48))]
  const hex = parts.map((part) => part.toString(16)).join('')
  return hex.padStart(32, '0').slice(-32)
}
