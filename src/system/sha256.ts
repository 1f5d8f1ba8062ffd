/** The most bytes that `sha256` takes at once: what fits into the memory of the module. */
export const MOST_BYTES = 64 * 1024

const MESSAGE = 1024

/**
 * SHA-256 in WebAssembly, for up to `MOST_BYTES`. A program that starts hashes only a few thousand bytes. JavaScript would be slow for
 * that, because it runs in the interpreter at first, and loading node:crypto takes longer than all of this. Returns nothing if there
 * is no WebAssembly (`--jitless`), or no memory for it.
 */
export function sha256(bytes: Uint8Array): string | undefined {
  hasher ??= load()
  if (hasher === undefined) return undefined
  const { memory, hash } = hasher
  const length = ((bytes.length + 72) >>> 6) << 6
  const padded = Buffer.from(memory.buffer, MESSAGE, length)
  padded.set(bytes)
  padded.fill(0, bytes.length)
  padded[bytes.length] = 0x80
  padded.writeInt32BE(bytes.length << 3, length - 4)
  padded.swap32()
  new Uint32Array(memory.buffer, 0, START.length).set(START)
  hash(MESSAGE + length)
  return Buffer.from(memory.buffer, 0, START.length * 4)
    .swap32()
    .toString('hex')
}

type Hasher = { readonly memory: { readonly buffer: ArrayBuffer }; readonly hash: (end: number) => void }

// The types of Node don't contain it.
declare const WebAssembly:
  | undefined
  | {
      Module: new (bytes: Uint8Array) => object
      Instance: new (module: object) => { exports: unknown }
    }

let hasher: Hasher | undefined

function load(): Hasher | undefined {
  if (typeof WebAssembly === 'undefined') return undefined
  try {
    const module = new WebAssembly.Module(Buffer.from(MODULE, 'base64'))
    return new WebAssembly.Instance(module).exports as Hasher
  } catch {
    // V8 reserves gigabytes of addresses for it, more than a limit such as `ulimit -v` may allow.
    return undefined
  }
}

/** The constants of the standard: the first 32 bits of the fractional parts of the square roots of the first primes. */
// biome-ignore format: a table
const START = [0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19]

/** Assembled by scripts/make-sha256.mjs, which is its readable form. */
export const MODULE =
  'AGFzbQEAAAABBQFgAX8AAwIBAAUDAQACBxECBm1lbW9yeQIABGhhc2gAAAqsAwGpAwELf0GACCEJA0BBgAQgCUHAAPwKAABBwAAhCgNAIAogCigCwAMg' +
  'CigCxAMhCyALQQd4IAtBEnhzIAtBA3ZzaiAKKALkA2ogCigC+AMhCyALQRF4IAtBE3hzIAtBCnZzajYCgAQgCkEEaiIKQYACSQ0AC0EAKAIAIQFBACgC' +
  'BCECQQAoAgghA0EAKAIMIQRBACgCECEFQQAoAhQhBkEAKAIYIQdBACgCHCEIQQAhCgNAIAggBUEGeCAFQQt4cyAFQRl4c2ogBSAGIAdzcSAHc2ogCigC' +
  'gAJqIAooAoAEaiELIAsgAUECeCABQQ14cyABQRZ4c2ogASACIANzcSACIANxc2ogByEIIAYhByAFIQYgBCALaiEFIAMhBCACIQMgASECIQEgCkEEaiIK' +
  'QYACSQ0AC0EAQQAoAgAgAWo2AgBBAEEAKAIEIAJqNgIEQQBBACgCCCADajYCCEEAQQAoAgwgBGo2AgxBAEEAKAIQIAVqNgIQQQBBACgCFCAGajYCFEEA' +
  'QQAoAhggB2o2AhhBAEEAKAIcIAhqNgIcIAlBwABqIgkgAEkNAAsLC4gCAQBBgAILgAKYL4pCkUQ3cc/7wLWl27XpW8JWOfER8Vmkgj+S1V4cq5iqB9gB' +
  'W4MSvoUxJMN9DFV0Xb5y/rHegKcG3Jt08ZvBwWmb5IZHvu/GncEPzKEMJG8s6S2qhHRK3KmwXNqI+XZSUT6YbcYxqMgnA7DHf1m/8wvgxkeRp9VRY8oG' +
  'ZykpFIUKtyc4IRsu/G0sTRMNOFNUcwpluwpqdi7JwoGFLHKSoei/oktmGqhwi0vCo1FsxxnoktEkBpnWhTUO9HCgahAWwaQZCGw3Hkx3SCe1vLA0swwc' +
  'OUqq2E5Pypxb828uaO6Cj3RvY6V4FHjIhAgCx4z6/76Q62xQpPej+b7yeHHG'
