import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { redact } from '../../src/system/redact.ts'

// Built at run time, so that secret scanners don't report this file.
const mixed = 'Ab1'.repeat(14)
const key = (kind: string) => `-----BEGIN ${kind}-----\nMIIEpAIBAAKCAQEA\nabc\n-----END ${kind}-----`
const privateKey = key(`RSA ${'PRIVATE'} KEY`)

const hidden: [text: string, shown: string][] = [
  [`token sk-ant-${mixed} refused`, 'token [redacted] refused'],
  [`sk-${'proj'}-${mixed}`, '[redacted]'],
  [`AKIA${'ABCDEFGHIJKLMNOP'} is invalid`, '[redacted] is invalid'],
  [`ghp_${mixed}`, '[redacted]'],
  [`github_pat_${mixed}`, '[redacted]'],
  [`glpat-${mixed}`, '[redacted]'],
  [`xoxb-${mixed}`, '[redacted]'],
  [`npm_${mixed}`, '[redacted]'],
  [`AIza${mixed.slice(0, 35)}`, '[redacted]'],
  [`hf_${mixed}`, '[redacted]'],
  [`eyJ${mixed}.eyJ${mixed}.${mixed}`, '[redacted]'],
  [`postgres://app:${mixed}@db:5432/app`, 'postgres://[redacted]@db:5432/app'],
  ['fetching https://user:pw@example.com/a.git', 'fetching https://[redacted]@example.com/a.git'],
  [`Authorization: Bearer ${mixed}`, 'Authorization: Bearer [redacted]'],
  ['API_KEY=abcd', 'API_KEY=[redacted]'],
  ['DB_PASSWORD="hunter 22" npm test', 'DB_PASSWORD="[redacted]" npm test'],
  ["export MY_SECRET='a b c d'", "export MY_SECRET='[redacted]'"],
  ['{"apiKey": "k3y-9999", "user": "ada"}', '{"apiKey": "[redacted]", "user": "ada"}'],
  ['password: s3cr3t-enough', 'password: [redacted]'],
  ['client_secret => "abc123def"', 'client_secret => "[redacted]"'],
  ['//registry.example/:_authToken=0a1b2c3d', '//registry.example/:_authToken=[redacted]'],
  [`before\n${privateKey}\nafter`, 'before\n[redacted] private key\nafter'],
  [privateKey.slice(0, 50), '[redacted] private key'],
  ['the password of the machine is correct-horse', 'the password of the machine is [redacted]'],
]

const shown = [
  'SyntaxError: Unexpected token: identifier',
  "SyntaxError: Unexpected token '}' in JSON at position 12",
  'expected key: "name"',
  'primaryKey: 17',
  'token: 12345',
  'passed: 12, failed: 0',
  'PASS src/a.test.ts',
  'tests passed=9 token_count=1200',
  'API_KEY=',
  'API_KEY=$API_KEY',
  'password: true',
  'password: [redacted]',
  'https://example.com/a@b',
  'mail someone@example.com',
  'at Object.<anonymous> (/home/a/project/src/token.test.ts:12:5)',
  'commit 0123456789abcdef0123456789abcdef01234567',
  'task-list-item sk-ip to the next',
  key('CERTIFICATE'),
  'basic arithmetic works',
]

describe('redaction of secrets', () => {
  it.each(hidden)('%j', (text, expected) => {
    expect(redact(text, ['correct-horse'])).toBe(expected)
  })

  const secret = 'p/w+"a?b c\u00e9-0123456789'
  const encoded: readonly (readonly [string, string])[] = [
    ['as it is', secret],
    ['in JSON', JSON.stringify({ a: secret })],
    ['in an address', `https://h/?q=${encodeURIComponent(secret)}`],
    ['in an address in small letters', encodeURIComponent(secret).replace(/%../g, (code) => code.toLowerCase())],
    ['in hex', Buffer.from(secret).toString('hex')],
    ...['', 'u', 'us', 'user:'].map((before): [string, string] => [
      `in base64 after "${before}"`,
      Buffer.from(`${before}${secret} and more`).toString('base64'),
    ]),
    ['in base64 for addresses', Buffer.from(secret).toString('base64url')],
    ['with colours in it', [...secret].join('\x1b[1m')],
    ['wrapped over lines', `${secret.slice(0, 9)}\n  ${secret.slice(9, 14)}\r\n${secret.slice(14)}`],
  ]
  it.each(encoded)('a value %s', (_, text) => {
    const once = redact(`before ${text} after`, [secret])
    expect(once).toContain('[redacted]')
    expect(once).not.toContain(text.slice(6, 20))
    expect(once).toMatch(/^before .* after$/s)
  })

  it.each(shown)('leaves %j', (text) => {
    expect(redact(text, [])).toBe(text)
  })

  it('is complete after one pass', () => {
    for (const [text] of hidden) {
      const once = redact(text, ['correct-horse'])
      expect(redact(once, ['correct-horse'])).toBe(once)
    }
  })

  it('works in any context', () => {
    const word = fc.stringMatching(/^[ a-z:=\n"]{0,20}$/)
    fc.assert(
      fc.property(word, word, (before, after) => {
        expect(redact(`${before} AKIA${'ABCDEFGHIJKLMNOP'} ${after}`, [])).not.toContain('ABCDEFGHIJKLMNOP')
      }),
    )
  })
})

describe('takes linear time', () => {
  const traps: [name: string, text: (n: number) => string][] = [
    ['a long word', (n) => 'a'.repeat(n)],
    ['a long name', (n) => 'A_'.repeat(n / 2)],
    ['equal signs', (n) => 'a='.repeat(n / 2)],
    ['spaces', (n) => `token${' '.repeat(n)}`],
    ['quotes', (n) => 'token="'.repeat(n / 7)],
    ['schemes', (n) => 'a://'.repeat(n / 4)],
    ['long scheme', (n) => `https://${'a'.repeat(n)}`],
    ['incomplete keys', (n) => '-----BEGIN '.repeat(n / 11)],
    ['incomplete private keys', (n) => `-----BEGIN ${'PRIVATE'} KEY-----\n`.repeat(n / 28)],
    ['incomplete web tokens', (n) => 'eyJaaaaaaaa.'.repeat(n / 12)],
    ['incomplete tokens', (n) => 'SG.aaaaaaaaaaaaaaaa.'.repeat(n / 20)],
    ['dashes', (n) => 'sk-'.repeat(n / 3)],
    ['bearers', (n) => 'bearer '.repeat(n / 7)],
  ]
  // With four million characters, anything quadratic would exceed the test's time limit.
  it.each(traps)('%s', (_name, text) => {
    expect(redact(text(4_000_000), []).length).toBeGreaterThan(0)
  })
})
