import { sha256 } from './sha256.ts'

const FEW_BYTES = 16 * 1024
let hashed = 0

/**
 * SHA-256 in hex. Loading node:crypto costs more than a tenth of a bare start of Node, so the few bytes of one decision are
 * hashed here; whoever hashes more gets the native one.
 */
export function digest(text: string | Uint8Array): string {
  const bytes = typeof text === 'string' ? Buffer.from(text) : text
  hashed += bytes.length
  if (hashed > FEW_BYTES) return process.getBuiltinModule('node:crypto').hash('sha256', bytes, 'hex')
  return sha256(bytes)
}

/** Different every time and for every process; it need not be secret. */
export function nonce(): string {
  const parts = [BigInt(process.pid), process.hrtime.bigint(), BigInt(Math.trunc(Math.random() * 2 ** 48))]
  return parts
    .map((part) => part.toString(16))
    .join('')
    .padStart(32, '0')
    .slice(-32)
}
