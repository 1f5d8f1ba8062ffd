import {
  appendFileSync,
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterEach, describe, expect, it } from 'vitest'
import type { EventInput } from '../../src/core/journal/events.ts'
import { emptyState } from '../../src/core/journal/reduce.ts'
import { addressWithEnvironment, type Query } from '../../src/fleet/database/connect.ts'
import { LostRun } from '../../src/fleet/errors.ts'
import { JournalReplay } from '../../src/fleet/journal-replay.ts'
import { JournalTail } from '../../src/fleet/journal-tail.ts'
import { leaseOf } from '../../src/fleet/lease.ts'
import { GIVEN_BACK, RunLease } from '../../src/fleet/run-lease.ts'
import { fromStored, toStored } from '../../src/fleet/stored-result.ts'
import { withoutSecrets } from '../../src/fleet/without-secrets.ts'
import { readWorkerFile } from '../../src/fleet/worker-file.ts'
import { openWorkerFolder, sweepWorkers } from '../../src/fleet/worker-folder.ts'
import type { WorkspaceOptions } from '../../src/fleet/worker-workspace.ts'
import { agentEnvironment, gitEnvironment, processEnvironment } from '../../src/fleet/workspace-environment.ts'
import { openJournal } from '../../src/journal/log.ts'
import { type StepId, stepName } from '../../src/loop/engine.ts'

const dirs: string[] = []
const folder = (): string => {
  const dir = mkdtempSync(join(tmpdir(), 'exitgate-parts-'))
  dirs.push(dir)
  return dir
}
afterEach(() => {
  for (const dir of dirs.splice(0)) rmSync(dir, { recursive: true, force: true })
})

const notes = (...texts: readonly string[]): readonly EventInput[] => texts.map((text) => ({ type: 'note', text }))

describe('RunLease', () => {
  /** A run whose database commits what it is given, and does more before the answer arrives. */
  function leaseWith(beforeAnswer: (lease: RunLease) => void): RunLease {
    const transaction = async <T>(work: (query: Query) => Promise<T>): Promise<T> => {
      const result = await work((async (sql: string) =>
        sql.startsWith('SELECT') ? [{ epoch: 1, standing: 'running', step: null }] : []) as Query)
      beforeAnswer(lease)
      return result
    }
    const options = { run: 'one-1', epoch: 1, lease: leaseOf(60), database: { transaction } }
    const lease = new RunLease(options as unknown as WorkspaceOptions)
    return lease
  }

  const beforeTheAnswer: readonly (readonly [string, (lease: RunLease) => void])[] = [
    ['nothing', () => {}],
    ['a heartbeat that no longer finds the run', (lease) => lease.lose(new LostRun('another worker has the run'))],
  ]
  it.each(beforeTheAnswer)('is given back and ends what waits for it, before the answer: %s', async (_, happens) => {
    const lease = leaseWith(happens)
    const waiting = lease.unlessLost(new Promise(() => {}))
    await Promise.all([lease.giveBack(), expect(waiting).rejects.toThrow(GIVEN_BACK)])
    expect(lease.lost?.message).toBe(GIVEN_BACK)
  })

  it('that another worker has is lost, not given back', async () => {
    const lease = leaseWith(() => {
      throw new LostRun('another worker has the run')
    })
    await expect(lease.giveBack()).rejects.toThrow('another worker has the run')
    expect(lease.lost?.message).toBe('another worker has the run')
  })
})

describe('JournalTail', () => {
  it('returns every line once, byte for byte, and repeats it until it is published', () => {
    const dir = folder()
    const journal = openJournal(dir)
    journal.append(notes('before'), 1)
    const tail = new JournalTail(dir, journal.state)
    journal.append(notes('one', 'zwei\0 \ud800 \u2028'), 2)
    const texts = () => tail.newLines(journal.state).lines.map(({ seq, text }) => [seq, text])
    const written = readFileSync(join(dir, 'journal.jsonl'), 'utf8').trimEnd().split('\n')
    expect(texts()).toEqual([
      [2, written[1]],
      [3, written[2]],
    ])
    expect(texts()).toHaveLength(2)
    tail.newLines(journal.state).markPublished()
    expect(texts()).toEqual([])
    journal.close()
  })

  /** An agent runs as the same user and may find the folder. */
  const forgeries: readonly (readonly [string, (file: string, line: string) => void])[] = [
    ['an extra line', (file, line) => appendFileSync(file, `${line}\n`)],
    ['an invalid line', (file) => appendFileSync(file, '{}\n')],
    ['a changed line', (file) => writeFileSync(file, readFileSync(file, 'utf8').replace('real', 'fake'))],
    ['nothing', (file) => writeFileSync(file, '')],
  ]
  it.each(forgeries)('does not publish %s', (_, tamper) => {
    const [dir, elsewhere] = [folder(), folder()]
    const [journal, other] = [openJournal(dir), openJournal(elsewhere)]
    const tail = new JournalTail(dir, journal.state)
    journal.append(notes('real'), 1)
    other.append(notes('real'), 1)
    other.append(notes('forged'), 1)
    const [, line = ''] = readFileSync(join(elsewhere, 'journal.jsonl'), 'utf8').split('\n')
    tamper(join(dir, 'journal.jsonl'), line)
    expect(() => tail.newLines(journal.state)).toThrow('contains lines this worker did not write')
    journal.close()
    other.close()
  })
})

describe('a stored step result', () => {
  it('is the same result in a replay', () => {
    const dir = folder()
    const journal = openJournal(dir)
    const taken: (readonly [StepId, unknown, ReturnType<typeof toStored>])[] = []
    const done = (id: StepId, result: unknown) => taken.push([id, result, toStored(id.kind, result, journal.state)])
    journal.append(notes('a'), 1)
    done({ kind: 'begin' }, { state: journal.state })
    done({ kind: 'ready', turn: 1 }, { at: 6 })
    journal.append(notes('b', 'c'), 2)
    done({ kind: 'record', what: 'start', turn: 1 }, journal.state)
    journal.append([{ type: 'iteration.started', iteration: 1, attempt: 1 }], 3)
    journal.append([{ type: 'step.done', name: 'agent 1.1', result: { code: 0 } }], 4)
    done({ kind: 'agent', iteration: 1, attempt: 1 }, { code: 0 })
    done({ kind: 'wait', turn: 1 }, undefined)
    const replay = new JournalReplay(readFileSync(join(dir, 'journal.jsonl'), 'utf8').trimEnd().split('\n'))
    for (const [id, result, kept] of taken)
      expect(fromStored(id.kind, stepName(id), JSON.parse(JSON.stringify(kept)), replay)).toEqual(result)
    for (const [{ kind }, , kept] of taken) if (kind !== 'ready') expect(JSON.stringify(kept).length).toBeLessThan(24)
    expect(() => replay.stateAt(99)).toThrow('line 99 is missing')
    expect(() => new JournalReplay(['{"v":1}'])).toThrow('is damaged')
    journal.close()
    expect(emptyState().seq).toBe(0)
  })
})

describe('a lease', () => {
  it('expires for its own worker before it expires for others', () => {
    fc.assert(
      fc.property(
        fc.array(fc.record({ wait: fc.nat(4_000), trip: fc.nat(3_000), lost: fc.boolean() }), { maxLength: 30 }),
        fc.integer({ min: 2, max: 10 }),
        (beats, seconds) => {
          let now = 0
          // The database counts from the arrival of a heartbeat, the worker from sending it.
          let database = 0
          const lease = leaseOf(seconds, () => now)
          for (const { wait, trip, lost } of beats) {
            now += wait
            const sentAt = now
            now += trip
            if (!lost) {
              database = now
              lease.renewed(sentAt)
            }
            if (lease.held()) expect(now - database).toBeLessThan(seconds * 1000)
          }
        },
      ),
    )
  })
})

describe("a worker's file", () => {
  const wrong: readonly (readonly [string, string])[] = [
    ['queues: [', 'w.yaml is not valid YAML'],
    ['- a', 'the file must be a mapping'],
    ['secrets: [A_KEY]', 'the file has an unknown key "secrets". Known keys: queues, agents.'],
    ['queues:\n  q:\n    secrets: [LANG]', '"LANG", which doesn\'t look like the name of a secret'],
    ['queues:\n  q:\n    settings: [A_TOKEN]', '"A_TOKEN", which looks like a secret. List it under secrets.'],
    ['queues:\n  q:\n    secrets: A_KEY', 'queues.q.secrets must be a list of strings'],
    ['queues:\n  q:\n    agent: [x]', 'queues.q.agent must be the name of an agent'],
    ['agents:\n  x: []', 'agents.x is empty'],
    ['agents:\n  x: run it', 'agents.x must be a list of strings'],
  ]
  it.each(wrong)('%j is refused: %s', async (text, words) => {
    await expect(readWorkerFile(text, 'w.yaml')).rejects.toThrow(words)
  })

  it('decides which variables agents, checks and git see', async () => {
    const text = 'queues:\n  q:\n    secrets: [A_KEY]\n    settings: [MODEL]\n  other:\n    secrets: [B_KEY]'
    const file = await readWorkerFile(text, 'w.yaml')
    const env = {
      PATH: '/bin',
      HOME: '/me',
      A_KEY: 'a',
      B_KEY: 'b',
      MODEL: 'm',
      PGPASSWORD: 'p',
      SSH_AUTH_SOCK: '/s',
      X: 'x',
    }
    expect(agentEnvironment(env, file, 'q', '/own')).toEqual({ PATH: '/bin', HOME: '/own', A_KEY: 'a', MODEL: 'm' })
    expect(agentEnvironment(env, file, 'none', '/own')).toEqual({ PATH: '/bin', HOME: '/own' })
    expect(processEnvironment(env, file, 'q')).toEqual({ PATH: '/bin', HOME: '/me', A_KEY: 'a', MODEL: 'm' })
    expect(gitEnvironment(env)).toEqual({ PATH: '/bin', HOME: '/me', SSH_AUTH_SOCK: '/s' })
  })
})

describe('withoutSecrets', () => {
  it('removes secrets from every place', () => {
    const secret = 'hush-hush-0123456789'
    const tree = fc.letrec((tie) => ({
      value: fc.oneof(
        fc.string().map((text) => `${text}${secret}${text}`),
        fc.constant(null),
        fc.integer(),
        fc.array(tie('value'), { maxLength: 3 }),
        fc.dictionary(fc.constantFrom('a', secret, `${secret}!`), tie('value'), { maxKeys: 3 }),
      ),
    })).value
    fc.assert(
      fc.property(tree, (value) => {
        expect(JSON.stringify(withoutSecrets(value, [secret]))).not.toContain(secret)
      }),
    )
  })

  it('changes nothing else', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(withoutSecrets(value, ['hush-hush-0123456789'])).toEqual(value)
      }),
    )
  })
})

describe('addressWithEnvironment', () => {
  const PG = {
    PGUSER: 'me',
    PGPASSWORD: 'p:w',
    PGSSLMODE: 'verify-full',
    PGHOST: 'db.test',
    PGPORT: '5433',
    PGDATABASE: 'd',
  }
  const rows: readonly (readonly [string, Readonly<Record<string, string>>, string])[] = [
    ['postgresql://h/d', {}, 'postgresql://h/d'],
    ['postgresql://h/d', PG, 'postgresql://me:p%3Aw@h:5433/d?sslmode=verify-full'],
    ['postgresql://you:own@h:1/x?sslmode=disable', PG, 'postgresql://you:own@h:1/x?sslmode=disable'],
    ['postgresql://h/d?sslrootcert=ca.pem', { PGSSLMODE: 'disable' }, 'postgresql://h/d?sslrootcert=ca.pem'],
    ['postgresql:///', PG, 'postgresql://me:p%3Aw@db.test:5433/d?sslmode=verify-full'],
    ['postgresql:///d', { PGHOST: '/run/pg' }, 'postgresql:///d?host=%2Frun%2Fpg'],
    ['nothing', PG, 'nothing'],
  ]
  it.each(rows)('%s with %j is %s', (url, env, expected) => {
    expect(addressWithEnvironment(url, env)).toBe(expected)
  })
})

describe('folders of dead workers', () => {
  it('do not include the folder that a starting worker has not locked yet', async () => {
    const dir = folder()
    mkdirSync(join(dir, 'workers', 'starting'), { recursive: true })
    mkdirSync(join(dir, 'workers', 'locking'), { recursive: true })
    writeFileSync(join(dir, 'workers', 'locking', 'lock.wait-000001794000000-0123456789abcdef'), '')
    mkdirSync(join(dir, 'workers', 'dead', 'one-1'), { recursive: true })
    await sweepWorkers(dir)
    expect(readdirSync(join(dir, 'workers')).sort()).toEqual(['locking', 'starting'])
    const { release } = openWorkerFolder(dir, 'starting')
    await release()
  })

  it('are removed, even if an agent made them read-only', async ({ skip }) => {
    skip(process.getuid?.() === 0, 'root may write everywhere')
    const dir = folder()
    const { dir: mine, release } = openWorkerFolder(dir, 'living')
    const locked = join(dir, 'workers', 'dead', 'one-1', 'home', 'go', 'pkg')
    mkdirSync(locked, { recursive: true })
    writeFileSync(join(locked, 'module.go'), '')
    chmodSync(locked, 0o555)
    await sweepWorkers(dir)
    expect(readdirSync(join(dir, 'workers'))).toEqual(['living'])
    mkdirSync(join(mine, 'one-1', 'home'), { recursive: true })
    chmodSync(join(mine, 'one-1'), 0o555)
    await release()
    expect(readdirSync(join(dir, 'workers'))).toEqual([])
  })
})
