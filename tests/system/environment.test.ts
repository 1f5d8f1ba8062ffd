import { expect, it } from 'vitest'
import { isSecretName, secretValues } from '../../src/system/environment.ts'

it('returns secret values, longest first', () => {
  const env = {
    A_TOKEN: 'abcdefgh',
    B_TOKEN: 'abcdefgh-and-more',
    SHORT_KEY: 'abc',
    GOOGLE_APPLICATION_CREDENTIALS: '/home/a/key.json',
    AWS_REGION: 'eu-central-1',
    AWS_SECRET_ACCESS_KEY: 'abc/DEF+ghi',
    PATH: '/usr/bin:/bin',
  }
  expect(secretValues(env)).toEqual(['abcdefgh-and-more', 'abc/DEF+ghi', 'abcdefgh'])
})

it.each(['PGPASSWORD', 'MYSQL_PWD', 'DB_PWD', 'CLIENTSECRET', 'API_TOKEN', 'NPM_AUTH', 'my_password'])(
  '%s holds a secret',
  (name) => {
    expect(isSecretName(name)).toBe(true)
  },
)

it.each(['PWD', 'OLDPWD', 'PATH', 'KEYBOARD', 'TOKENIZERS_PARALLELISM', 'PASSENGERS'])('%s does not', (name) => {
  expect(isSecretName(name)).toBe(false)
})
