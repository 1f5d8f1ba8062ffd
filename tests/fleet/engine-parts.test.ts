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
import { wholeAddress } from '../../src/fleet/database/connect.ts'
import { JournalReplay } from '../../src/fleet/journal-replay.ts'
import { JournalTail } from '../../src/fleet/journal-tail.ts'
import { leaseOf } from '../../src/fleet/lease.ts'
import { fromStored, toStored } from '../../src/fleet/stored-result.ts'
import { withoutSecrets } from '../../src/fleet/without-secrets.ts'
import { readWorkerFile } from '../../src/fleet/worker-file.ts'
import { openWorkerFolder, sweepWorkers } from '../../src/fleet/worker-folder.ts'
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

describe("the tail of a worker's journal", () => {
  it('gives every line once, byte for byte, and again until it is taken', () => {
    const dir = folder()
    const journal = openJournal(dir)
    journal.append(notes('before'), 1)
    const tail = new JournalTail(dir, journal.state)
    journal.append(notes('one', 'zwei\0 \ud800 \u2028'), 2)
    const texts = () => tail.news(journal.state).lines.map(({ seq, text }) => [seq, text])
    const written = readFileSync(join(dir, 'journal.jsonl'), 'utf8').trimEnd().split('\n')
    expect(texts()).toEqual([
      [2, written[1]],
      [3, written[2]],
    ])
    expect(texts()).toHaveLength(2)
    tail.news(journal.state).taken()
    expect(texts()).toEqual([])
    journal.close()
  })

  /** An agent runs as the same user, and may find the folder. */
  const forgeries: readonly (readonly [string, (file: string, line: string) => void])[] = [
    ['a line more', (file, line) => appendFileSync(file, `${line}\n`)],
    ['a line that is none', (file) => appendFileSync(file, '{}\n')],
    ['other words in a line', (file) => writeFileSync(file, readFileSync(file, 'utf8').replace('real', 'fake'))],
    ['nothing', (file) => writeFileSync(file, '')],
  ]
  it.each(forgeries)('does not take over %s', (_, forge) => {
    const [dir, elsewhere] = [folder(), folder()]
    const [journal, other] = [openJournal(dir), openJournal(elsewhere)]
    const tail = new JournalTail(dir, journal.state)
    journal.append(notes('real'), 1)
    other.append(notes('real'), 1)
    other.append(notes('forged'), 1)
    const [, line = ''] = readFileSync(join(elsewhere, 'journal.jsonl'), 'utf8').split('\n')
    forge(join(dir, 'journal.jsonl'), line)
    expect(() => tail.news(journal.state)).toThrow('something else than this worker wrote')
    journal.close()
    other.close()
  })
})

describe('what is kept of a step', () => {
  it('is what the step gave, when it is played again', () => {
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
    const played = new JournalReplay(readFileSync(join(dir, 'journal.jsonl'), 'utf8').trimEnd().split('\n'))
    for (const [id, result, kept] of taken)
      expect(fromStored(id.kind, stepName(id), JSON.parse(JSON.stringify(kept)), played)).toEqual(result)
    for (const [{ kind }, , kept] of taken) if (kind !== 'ready') expect(JSON.stringify(kept).length).toBeLessThan(24)
    expect(() => played.stateAt(99)).toThrow('line 99 is asked for')
    expect(() => new JournalReplay(['{"v":1}'])).toThrow('not as it was written')
    journal.close()
    expect(emptyState().seq).toBe(0)
  })
})

describe('a lease', () => {
  it('is over for its worker before it is over for anybody else', () => {
    fc.assert(
      fc.property(
        fc.array(fc.record({ wait: fc.nat(4_000), trip: fc.nat(3_000), lost: fc.boolean() }), { maxLength: 30 }),
        fc.integer({ min: 2, max: 10 }),
        (beats, seconds) => {
          let now = 0
          // The database counts from when the sign of life arrives, the worker from when it sent it.
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
    ['queues: [', 'w.yaml is not YAML'],
    ['- a', 'the file is not a list of names'],
    ['secrets: [A_KEY]', 'the file has "secrets", which is not known; it may have queues, agents'],
    ['queues:\n  q:\n    secrets: [LANG]', '"LANG", which does not look like a secret\'s name'],
    ['queues:\n  q:\n    settings: [A_TOKEN]', '"A_TOKEN", which looks like a secret; name it under secrets'],
    ['queues:\n  q:\n    secrets: A_KEY', 'queues.q.secrets is not a list of words'],
    ['queues:\n  q:\n    agent: [x]', 'queues.q.agent is no name'],
    ['agents:\n  x: []', 'agents.x is empty'],
    ['agents:\n  x: run it', 'agents.x is not a list of words'],
  ]
  it.each(wrong)('%j is refused: %s', async (text, words) => {
    await expect(readWorkerFile(text, 'w.yaml')).rejects.toThrow(words)
  })

  it('says what agents, evidence and git may see of the environment', async () => {
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

describe('what leaves a worker', () => {
  it('has no secret in it, wherever it stood', () => {
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
    fc.assert(fc.property(tree, (value) => !JSON.stringify(withoutSecrets(value, [secret])).includes(secret)))
  })

  it('is otherwise as it was', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(withoutSecrets(value, ['hush-hush-0123456789'])).toEqual(value)
      }),
    )
  })
})

describe('the address of the database', () => {
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
  it.each(rows)('%s with %j is %s', (url, env, whole) => {
    expect(wholeAddress(url, env)).toBe(whole)
  })
})

describe('the folders of dead workers', () => {
  it('go, also where an agent left what may not be written to', async ({ skip }) => {
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
