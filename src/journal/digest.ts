import { sha256 } from './sha256.ts'

const FEW = 6
let asked = 0

/**
 * SHA-256 in hex. Loading node:crypto costs more than a tenth of a bare start of Node, so the handful of hashes of one decision is
 * computed here; whoever hashes more gets the native one.
 */
export function digest(text: string | Uint8Array): string {
  asked += 1
  if (asked > FEW) return process.getBuiltinModule('node:crypto').hash('sha256', text, 'hex')
  return sha256(typeof text === 'string' ? Buffer.from(text) : text)
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
