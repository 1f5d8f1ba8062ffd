import { describe, expect, it } from 'vitest'
import { sharedService } from '../../packages/exitgate/src/checks/shared-services.ts'

type Row = readonly [
  name: string,
  files: Readonly<Record<string, string>>,
  environment: Readonly<Record<string, string>>,
  found: string | undefined,
]
const compose = (image: string) => ({ 'compose.yaml': `services:\n  one:\n    image: ${image}\n` })
const rows: readonly Row[] = [
  ['nothing', { 'package.json': '{}' }, { PATH: '/bin' }, undefined],
  ['a URL in the environment', {}, { DATABASE_URL: 'postgres://localhost/test' }, 'DATABASE_URL'],
  ['a URL of the test database', {}, { TEST_DATABASE_URL: 'mysql://localhost/test' }, 'TEST_DATABASE_URL'],
  ['a host of PostgreSQL', {}, { PGHOST: 'localhost' }, 'PGHOST'],
  ['a queue', {}, { REDIS_URL: 'redis://localhost' }, 'REDIS_URL'],
  ['a database in a file', {}, { DATABASE_URL: 'sqlite:///app.db' }, undefined],
  ['a database in memory', {}, { DATABASE_URL: 'sqlite+aiosqlite:///:memory:' }, undefined],
  ['a path', {}, { DATABASE_URL: './data/app.sqlite3' }, undefined],
  ['an empty variable', {}, { DATABASE_URL: '' }, undefined],
  ['a variable of something else', {}, { DB_POOL_SIZE: '4', FEEDBACK_URL: 'https://localhost' }, undefined],
  ['settings of the tests', { '.env.test': 'A=1\nexport DATABASE_URL="postgres://db/test"\n' }, {}, '.env.test'],
  ['settings with a database in a file', { '.env': "DATABASE_URL='file:./dev.db'\n" }, {}, undefined],
  ['a commented setting', { '.env': '# DATABASE_URL=postgres://db\n' }, {}, undefined],
  ['settings of production', { '.env.production': 'DATABASE_URL=postgres://db\n' }, {}, undefined],
  ['a service of Compose', compose('postgres:16'), {}, 'compose.yaml'],
  ['a service of Compose, with a registry', compose('registry.local/library/redis:7-alpine'), {}, 'compose.yaml'],
  ['a Compose file without a database', compose('nginx:1'), {}, undefined],
  ['a Compose file in a folder', { 'examples/compose.yaml': compose('mysql')['compose.yaml'] }, {}, undefined],
]

describe('a service that runs of the tests share', () => {
  it.each(rows)('%s', (_name, files, environment, found) => {
    const tree = { paths: Object.keys(files), read: (path: string) => files[path] }
    expect(sharedService(tree, environment)).toBe(found)
  })
})
