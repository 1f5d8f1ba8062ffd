import { secretValues } from './environment.ts'

const HIDDEN = '[redacted]'

/** Tokens that are recognisable by their shape. Each pattern matches in only one way, so the time is linear. */
const SHAPES: readonly RegExp[] = [
  /\bsk-[A-Za-z0-9_-]{16,}/g,
  /\b(?:sk|rk|pk)_(?:live|test)_[A-Za-z0-9]{12,}/g,
  /\b(?:AKIA|ASIA|AROA|AIDA)[0-9A-Z]{16}\b/g,
  /\bgh[oprsu]_[A-Za-z0-9]{30,}/g,
  /\bgithub_pat_[A-Za-z0-9_]{30,}/g,
  /\bgl(?:pat|dt|rt|ft|cbt|soat)-[A-Za-z0-9_-]{16,}/g,
  /\bxox[abeoprs]-[A-Za-z0-9-]{10,}/g,
  /\bnpm_[A-Za-z0-9]{36,}/g,
  /\bpypi-[A-Za-z0-9_-]{32,}/g,
  /\bAIza[0-9A-Za-z_-]{35}/g,
  /\bya29\.[0-9A-Za-z_-]{20,}/g,
  /\bhf_[A-Za-z0-9]{30,}/g,
  /\bdop_v1_[a-f0-9]{40,}/g,
  /\bshp(?:at|ca|pa|ss)_[a-fA-F0-9]{32,}/g,
  /\bSG\.[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{16,}/g,
  /\beyJ[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]+/g,
]

/** A quick test, because large output is searched line by line and few lines have a token. */
const ANY_SHAPE = new RegExp(SHAPES.map(({ source }) => source).join('|'))

/** `https://name:password@host`: the host stays visible. */
const URL_LOGIN = /\b([a-z][a-z0-9+.-]{1,20}:\/\/)[^\s/@"'<>]{1,300}@/gi

const AUTHORIZATION = /\b(bearer|basic)(\s{1,4})([A-Za-z0-9._~+/=-]{8,})/gi

/** Name, separator, value. The name must be anchored, or every letter of a long word would be tried. */
const ASSIGNMENT =
  /(?<![A-Za-z0-9_.-])([A-Za-z0-9_.-]{2,80})(["']?[ \t]{0,4}(?:=>|[=:])[ \t]{0,4})("[^"\n]{1,2000}"|'[^'\n]{1,2000}'|[^\s"',;)}\]]{1,2000})/g

const SECRET_NAME =
  /(?:^|[._-])(?:token|secret|password|passwd|passphrase|pass|pwd|apikey|api[._-]?key|access[._-]?key|private[._-]?key|secret[._-]?key|auth[._-]?token|credentials?|authorization|cookie)s?$/i

/** Every secret name contains one of these. This is faster than splitting each name into words. */
const SECRET_WORD = /token|secret|pass|pwd|key|credential|authorization|cookie/i

/** Treats `apiKey` and `APIKey` like `api_key`. */
const words = (name: string) => name.replace(/([a-z0-9])([A-Z])/g, '$1_$2').replace(/([A-Z])([A-Z][a-z])/g, '$1_$2')

/** In prose ("unexpected token: identifier") a word follows the name. Secrets are long and mix character types. */
function isValue(sign: string, name: string, value: string): boolean {
  const bare = value.replace(/^["']|["']$/g, '')
  if (bare.length < 4 || /^(?:true|false|null|undefined|none|\*+|\[redacted\]?|\$\{?\w+\}?|<[^>]*>)$/i.test(bare))
    return false
  if (/^(?:bearer|basic)$/i.test(bare)) return false
  if (sign.includes('=') && !sign.includes('>') && /^[A-Z0-9_]+$/.test(name)) return true
  return bare.length >= 6 && /\d/.test(bare) && !/^[\d.,:]+$/.test(bare)
}

function withoutKeys(text: string): string {
  let out = ''
  let from = 0
  for (let at = text.indexOf('-----BEGIN '); at >= 0; at = text.indexOf('-----BEGIN ', from)) {
    const line = text.slice(at, at + 80)
    out += text.slice(from, at)
    if (!/^-----BEGIN [A-Z0-9 ]*PRIVATE KEY/.test(line)) {
      out += '-----BEGIN '
      from = at + 11
      continue
    }
    const end = text.indexOf('-----END ', at)
    const close = end < 0 ? -1 : text.indexOf('-----', end + 9)
    out += `${HIDDEN} private key`
    // A truncated key is still a key.
    from = close < 0 ? text.length : close + 5
  }
  return out + text.slice(from)
}

/**
 * Every line that `redact` changes contains one of these in lower case, apart from secret values. Large outputs are searched for
 * them first.
 */
export const SECRET_HINTS: readonly string[] = [
  ...['sk-', 'sk_', 'rk_', 'pk_', 'akia', 'asia', 'aroa', 'aida', 'github_pat_', 'xox', 'npm_', 'pypi-', 'aiza'],
  ...['gho_', 'ghp_', 'ghr_', 'ghs_', 'ghu_', 'glpat-', 'gldt-', 'glrt-', 'glft-', 'glcbt-', 'glsoat-', 'ya29.'],
  ...['hf_', 'dop_v1_', 'shpat_', 'shpca_', 'shppa_', 'shpss_', 'sg.', 'eyj', '-----begin ', '://', 'bearer', 'basic'],
  ...['token', 'secret', 'pass', 'pwd', 'key', 'credential', 'authorization', 'cookie'],
]

const formsKnown = new Map<string, readonly string[]>()

/** A value as it is printed: as it is, in JSON, in an address, in base64 (where it may begin at any of three places) and in hex. */
export function formsOf(value: string): readonly string[] {
  const known = formsKnown.get(value)
  if (known !== undefined) return known
  const bytes = Buffer.from(value)
  const base64 = [0, 1, 2].map((shift) => {
    const text = Buffer.concat([Buffer.alloc(shift), bytes])
      .toString('base64')
      .replace(/=+$/, '')
    // The first and the last characters also depend on what is next to the value.
    const end = (shift + bytes.length) % 3 === 0 ? text.length : text.length - 1
    return text.slice(shift === 0 ? 0 : shift + 1, end)
  })
  const encoded = encodeURIComponent(value)
  const forms = [
    value,
    JSON.stringify(value).slice(1, -1),
    encoded,
    encoded.replace(/%[0-9A-F]{2}/g, (code) => code.toLowerCase()),
    bytes.toString('hex'),
    ...base64,
    ...base64.map((text) => text.replaceAll('+', '-').replaceAll('/', '_')),
  ]
  const found = [...new Set(forms.filter((form) => form.length >= Math.min(value.length, SHORTEST_FORM)))]
  formsKnown.set(value, found)
  return found
}

const SHORTEST_FORM = 8

const SPLIT = String.raw`(?:\x1b\[[0-9;?]*[A-Za-z]|\r?\n[ \t]*)`
const SPLITS = new RegExp(SPLIT, 'g')
const MAY_SPLIT = /[\x1b\n]/

/** Replaces secret values in every form they are printed in, also where colours or line breaks are in the middle of them. */
export function withoutValues(text: string, values: readonly string[]): string {
  const forms = values.flatMap((value) => (value === '' ? [] : formsOf(value)))
  let shown = text
  for (const form of forms) shown = shown.replaceAll(form, HIDDEN)
  if (forms.length === 0 || !MAY_SPLIT.test(shown)) return shown
  const joined = shown.replace(SPLITS, '')
  for (const form of forms.filter((each) => joined.includes(each))) {
    const letters = [...form].map((letter) => letter.replace(/[.*+?^${}()|[\]\\/-]/g, '\\$&'))
    shown = shown.replace(new RegExp(letters.join(`${SPLIT}*`), 'g'), HIDDEN)
  }
  return shown
}

/** The text without anything that looks like a secret and without the secret values of our environment. */
export function redact(text: string, values: readonly string[] = secretValues(process.env)): string {
  let shown = withoutKeys(text)
  shown = withoutValues(shown, values)
  if (ANY_SHAPE.test(shown)) for (const shape of SHAPES) shown = shown.replace(shape, HIDDEN)
  // Most lines contain no such mark, and searching for it is much faster than the patterns.
  if (shown.includes('://')) shown = shown.replace(URL_LOGIN, `$1${HIDDEN}@`)
  shown = shown.replace(AUTHORIZATION, (all, kind: string, gap: string, value: string) =>
    /[\d=]/.test(value) ? `${kind}${gap}${HIDDEN}` : all,
  )
  if ((!shown.includes('=') && !shown.includes(':')) || !SECRET_WORD.test(shown)) return shown
  return shown.replace(ASSIGNMENT, (all, name: string, sign: string, value: string) => {
    if (!SECRET_WORD.test(name) || !SECRET_NAME.test(words(name)) || !isValue(sign, name, value)) return all
    const quote = value[0] === '"' || value[0] === "'" ? value[0] : ''
    return `${name}${sign}${quote}${HIDDEN}${quote}`
  })
}

/** The same data with every text in it redacted. */
export function redactAll<T>(data: T, values: readonly string[] = secretValues(process.env)): T {
  const walk = (value: unknown): unknown => {
    if (typeof value === 'string') return redact(value, values)
    if (Array.isArray(value)) return value.map(walk)
    if (typeof value !== 'object' || value === null) return value
    return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, walk(each)]))
  }
  return walk(data) as T
}
