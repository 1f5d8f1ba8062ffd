import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterEach, describe, expect, it } from 'vitest'
import { startPostgres } from '../../scripts/postgres.mjs'
import { root } from '../source-tree.ts'
import { patience } from '../timing.ts'
import { ask, ownPostgres } from './postgres.ts'

const pg = ownPostgres()
const script = join(root, 'scripts/postgres.mjs')
const folders: string[] = []
const folder = (): string => {
  const made = mkdtempSync(join(tmpdir(), 'exitgate-pg-'))
  folders.push(made)
  return made
}
const call = (...args: string[]) => spawnSync(process.execPath, [script, ...args], { encoding: 'utf8' })
const noUrl = (url: string) => url.replace(/:[^:@/]+@/, ':PASSWORD@').replace(/:\d+\//, ':PORT/')

afterEach(() => {
  for (const dir of folders.splice(0)) rmSync(dir, { recursive: true, force: true })
})

describe('the test PostgreSQL', () => {
  it('gives every test a database of its own', async ({ skip }) => {
    skip(pg.missing !== undefined, pg.missing ?? '')
    const [one, other] = [await pg.database(), await pg.database()]
    await ask(one, 'CREATE TABLE only_here (n int)')
    const tables = "SELECT count(*)::int AS n FROM pg_tables WHERE tablename = 'only_here'"
    expect([await ask(one, tables), await ask(other, tables)]).toEqual([[{ n: 1 }], [{ n: 0 }]])
  })

  it('listens on loopback only, requires its password, and does not run as root', async ({ skip }) => {
    skip(pg.missing !== undefined, pg.missing ?? '')
    const { url, pid } = await pg.server()
    expect(noUrl(url)).toBe('postgresql://exitgate:PASSWORD@127.0.0.1:PORT/postgres')
    expect(await ask(url, 'SHOW listen_addresses')).toEqual([{ listen_addresses: '127.0.0.1' }])
    await expect(ask(url.replace(/:[^:@/]+@/, ':wrong@'), 'SELECT 1')).rejects.toThrow('password authentication failed')
    if (process.platform === 'linux') expect(statSync(`/proc/${pid}`).uid).not.toBe(0)
  })

  it.for(['restart', 'kill'] as const)('keeps its data over a %s, on the same address', async (how, { skip }) => {
    skip(pg.missing !== undefined, pg.missing ?? '')
    const server = await pg.server()
    const [url, before] = [await pg.database(), server.pid]
    await ask(url, 'CREATE TABLE kept AS SELECT 42 AS n')
    if (how === 'restart') await server.restart()
    else {
      await server.kill()
      await expect(ask(url, 'SELECT 1')).rejects.toThrow()
      await server.start()
    }
    expect(await ask(url, 'SELECT n FROM kept')).toEqual([{ n: 42 }])
    expect(server.pid).not.toBe(before)
  })

  it('ends when the process that started it is killed', async ({ skip }) => {
    skip(pg.missing !== undefined, pg.missing ?? '')
    const dir = folder()
    const code = `import { startPostgres } from ${JSON.stringify(pathToFileURL(script).href)}
      const { url } = await startPostgres({ dir: ${JSON.stringify(dir)}, fast: true })
      console.log(url)
      setInterval(() => {}, 1000)`
    const child = spawn(process.execPath, ['--input-type=module', '-e', code], { stdio: ['ignore', 'pipe', 'inherit'] })
    const [line] = (await once(child.stdout, 'data')) as [Buffer]
    expect(await ask(line.toString().trim(), 'SELECT 1 AS n')).toEqual([{ n: 1 }])
    child.kill('SIGKILL')
    await expect.poll(() => call('status', '--dir', dir).stdout, { timeout: patience(50_000) }).toBe('not running\n')
  })

  it('can be started, queried, restarted and stopped from the command line', async ({ skip }) => {
    skip(pg.missing !== undefined, pg.missing ?? '')
    const dir = folder()
    const [started, again] = [call('start', '--fast', '--dir', dir), call('start', '--fast', '--dir', dir)]
    try {
      expect(started).toMatchObject({ status: 0, stderr: '' })
      expect(noUrl(started.stdout)).toBe('postgresql://exitgate:PASSWORD@127.0.0.1:PORT/postgres\n')
      expect(again.stdout).toBe(started.stdout)
      expect(call('status', '--dir', dir)).toMatchObject({ status: 0, stdout: started.stdout })
      expect(call('restart', '--fast', '--dir', dir)).toMatchObject({ status: 0, stdout: started.stdout })
      expect(await ask(started.stdout.trim(), 'SHOW fsync')).toEqual([{ fsync: 'off' }])
    } finally {
      expect(call('stop', '--dir', dir)).toMatchObject({ status: 0, stdout: '' })
    }
    expect(call('status', '--dir', dir)).toMatchObject({ status: 1, stdout: 'not running\n' })
  })

  it('does not touch a folder with other content', async ({ skip }) => {
    skip(pg.missing !== undefined, pg.missing ?? '')
    const dir = folder()
    writeFileSync(join(dir, 'letter.txt'), 'mine')
    await expect(startPostgres({ dir })).rejects.toThrow(
      `${dir} contains letter.txt, which does not belong to PostgreSQL. Use another folder.`,
    )
  })
})
