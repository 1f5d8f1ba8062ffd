import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { RedactedLines } from '../../src/loop/agent/redacted-lines.ts'
import { redact, redactAll, SECRET_HINTS } from '../../src/system/redact.ts'

const OWN = 'own-välue-2001'

function redacted(chunks: readonly Buffer[], values: readonly string[] = [OWN]): string {
  const passed: Buffer[] = []
  const lines = new RedactedLines(values, (bytes) => passed.push(bytes))
  for (const chunk of chunks) lines.write(chunk)
  lines.end()
  return Buffer.concat(passed).toString()
}
const redactedText = (text: string) => redacted([Buffer.from(text)])

/** Written in two halves, so that secret scanners ignore this file. */
const secrets = [
  `sk-${'a1B2'.repeat(6)}`,
  `sk_${'live_a1B2a1B2a1B2'}`,
  `AKIA${'A1B2C3D4E5F6G7H8'}`,
  `ghp_${'a1B2'.repeat(9)}`,
  `github_pat_${'a1B2'.repeat(9)}`,
  `glpat-${'a1B2'.repeat(5)}`,
  `xoxb-${'12345-abcde'}`,
  `npm_${'a1B2'.repeat(9)}`,
  `pypi-${'a1B2'.repeat(9)}`,
  `AIza${'a1B2c'.repeat(7)}`,
  `ya29.${'a1B2'.repeat(6)}`,
  `hf_${'a1B2'.repeat(8)}`,
  `dop_v1_${'a1b2'.repeat(10)}`,
  `shpat_${'a1b2'.repeat(8)}`,
  `SG.${'a1B2'.repeat(4)}.${'a1B2'.repeat(4)}`,
  `eyJ${'hbGciOiJIUzI1NiJ9'}.eyJ${'zdWIiOiIxMjM0In0'}.a1B2`,
  OWN,
]
const contexts: [name: string, around: (secret: string) => string][] = [
  ['alone', (secret) => `${secret}\n`],
  ['without a line end', (secret) => `before ${secret}`],
  ['in colour', (secret) => `\x1b[1;31m${secret}\x1b[0m\n`],
  ['in an event', (secret) => `{"type":"user","text":${JSON.stringify(`cat .env\n${secret}\nend`)}}\n`],
  ['in a part of an event', (secret) => `"text":"cat\\n${secret}\\nend"}\n`],
  ['in a coloured event', (secret) => `"text":"\\u001b[31m${secret}\\u001b[0m"}\n`],
  ['in an object in an event', (secret) => `{"result":${JSON.stringify(JSON.stringify({ some: [secret] }))}}\n`],
]

describe('no secret reaches the disk', () => {
  it.each(contexts)('%s', (_name, around) => {
    const seen = secrets.filter((secret) => redactedText(around(secret)).includes(secret))
    expect(seen).toEqual([])
  })

  const rows: [name: string, text: string, shown: string][] = [
    ['a name and its value', 'API_KEY=abc123def\nnext\n', 'API_KEY=[redacted]\nnext\n'],
    ['the same in an event', '{"text":"API_KEY=abc123def\\nnext"}\n', '{"text":"API_KEY=[redacted]\\nnext"}\n'],
    [
      'an object in an event',
      `{"text":${JSON.stringify('{"apiKey": "abc123def"}')}}\n`,
      `{"text":${JSON.stringify('{"apiKey": "[redacted]"}')}}\n`,
    ],
    ['a header', 'Authorization: Bearer abcdef12345\n', 'Authorization: Bearer [redacted]\n'],
    ['a URL', 'git clone https://me:pa55@host/x\n', 'git clone https://[redacted]@host/x\n'],
    [
      'a private key',
      'a\n-----BEGIN RSA PRIVATE KEY-----\nMIIE\nabcd\n-----END RSA PRIVATE KEY-----\nb\n',
      'a\n[redacted] private key\nb\n',
    ],
    ['a private key that is cut off', 'a\n-----BEGIN PRIVATE KEY-----\nMIIE\nabcd\n', 'a\n[redacted] private key'],
    [
      'a private key in an event',
      `{"t":${JSON.stringify('-----BEGIN PRIVATE KEY-----\nMIIE\n-----END PRIVATE KEY-----')}}\n`,
      '{"t":"[redacted] private key"}\n',
    ],
  ]
  it.each(rows)('%s', (_name, text, shown) => {
    expect(redactedText(text)).toBe(shown)
  })
})

describe('everything else is written unchanged', () => {
  const rows = [
    'plain words\n',
    'a key, a token and a pass, without any value\n',
    '{"usage":{"input_tokens":12345,"output_tokens":7},"n":12345678901234567890}\n',
    '\x1b[31mtoken\x1b[0m of colour\n',
    '\\n \\t C:\\\\new\\\\token \v\x0e\n',
    '-----BEGIN CERTIFICATE-----\nMIIE\n-----END CERTIFICATE-----\n',
    'no line end',
  ]
  it.each(rows)('%j', (text) => {
    expect(redactedText(text)).toBe(text)
  })

  it('byte for byte', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        const passed: Buffer[] = []
        const lines = new RedactedLines([], (each) => passed.push(each))
        lines.write(Buffer.from(bytes))
        lines.end()
        const text = Buffer.from(bytes).toString('latin1')
        if (redact(text, []) === text) expect(Buffer.concat(passed).equals(Buffer.from(bytes))).toBe(true)
      }),
    )
  })

  it('also after the start of a key that never ends', () => {
    const text = `-----BEGIN PRIVATE KEY-----\n${'all of this is hidden\n'.repeat(2000)}`
    const shown = redactedText(text)
    expect(shown).toMatch(/^\[redacted\] private key\nall of this/)
    expect(text.length - shown.length).toBeLessThan(17 * 1024)
  })

  it('in lines of any length', () => {
    const line = `${'word '.repeat(700_000)}sk-${'a1B2'.repeat(6)} end\n`
    const chunks = Array.from({ length: Math.ceil(line.length / 65536) }, (_, at) =>
      Buffer.from(line.slice(at * 65536, (at + 1) * 65536)),
    )
    expect(redacted(chunks)).toBe(`${'word '.repeat(700_000)}[redacted] end\n`)
  })
})

it('chunk boundaries do not matter', () => {
  const text = contexts.map(([, around], at) => around(secrets[at % secrets.length]!)).join('words\n')
  const bytes = Buffer.from(text)
  const expected = redactedText(text)
  fc.assert(
    fc.property(fc.array(fc.nat(bytes.length), { maxLength: 20 }), (cuts) => {
      const at = [0, ...cuts.sort((one, two) => one - two), bytes.length]
      expect(redacted(at.slice(1).map((to, index) => bytes.subarray(at[index], to)))).toBe(expected)
    }),
  )
})

it('every redacted line contains one of the hints', () => {
  const piece = fc.oneof(
    fc.constantFrom(
      ...secrets.slice(0, -1),
      'Bearer abcdef12345',
      'https://me:pa55@host',
      '-----BEGIN PRIVATE KEY-----',
    ),
    fc
      .constantFrom('password', 'apiKey', 'PWD', 'auth_token', 'credentials', 'Cookie')
      .map((name) => `${name}=a1b2c3d4`),
    fc.string(),
  )
  fc.assert(
    fc.property(fc.array(piece, { minLength: 1, maxLength: 4 }), fc.boolean(), (pieces, upper) => {
      const text = pieces.join(' ')
      const line = upper ? text.toUpperCase() : text
      if (redact(line, []) === line) return
      expect(SECRET_HINTS.some((hint) => line.toLowerCase().includes(hint))).toBe(true)
    }),
  )
})

it('data is redacted in every text, whatever form the secret has', () => {
  const value = 'dummy-value-for-tests-77'
  const base64 = Buffer.from(value).toString('base64')
  const data = { text: `a ${base64}`, said: { REASON: encodeURIComponent(value) }, n: [1, value], claim: true }
  const shown = redactAll(data, [value])
  expect(JSON.stringify(shown)).not.toMatch(new RegExp(`${value}|${base64.slice(0, 28)}`))
  expect(shown).toMatchObject({ n: [1, '[redacted]'], claim: true })
})
