/** SHA-256 in hex. node:crypto is loaded only when it is used: that takes a tenth of the time in which Node starts. */
export function digest(text: string | Uint8Array): string {
  return process.getBuiltinModule('node:crypto').hash('sha256', text, 'hex')
}

/** Unique per call and process. It doesn't have to be secret. */
export function nonce(): string {
  const parts = [BigInt(process.pid), process.hrtime.bigint(), BigInt(Math.trunc(Math.random() * 2 ** 48))]
  const hex = parts.map((part) => part.toString(16)).join('')
  return hex.padStart(32, '0').slice(-32)
}
