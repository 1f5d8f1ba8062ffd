// Faults of a fleet: the database is unreachable for longer than the lease, workers are killed, the database restarts without
// warning.
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { argv } from 'node:process'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { inFleet } from './fleet-trial.mjs'

/** The default of a worker. On a machine with much else to do, a longer one loses fewer runs. */
const LEASE = Number(process.env.FAULTS_LEASE ?? 5)
const HOW = { kill: 'killed', stop: 'shut down', silence: 'without an answer' }

/**
 * The database is away for some seconds while tasks are in every phase. Meanwhile one worker gets SIGTERM, one gets SIGINT and one
 * starts.
 */
const outage = (seconds, { workers = 2, lease = LEASE, how = 'kill' } = {}) => ({
  name: `fleet: database ${HOW[how]} for ${seconds} s, ${workers} workers, lease ${lease} s`,
  run: ({ dir, log }) =>
    inFleet({ dir, workers: workers + 2, lease, tasks: mixed(workers * 3) }, async (fleet) => {
      await fleet.started(workers + 2)
      await fleet.pause('waits')
      // Each round hits other moments of the runs.
      const moment = Math.round(Math.random() * 4000)
      await sleep(moment)
      await fleet.cut(how)
      log(`the database is away for ${seconds} s, ${moment} ms after the first iterations`)
      await sleep((seconds * 1000) / 2)
      await Promise.all([fleet.leave('SIGTERM'), fleet.leave('SIGINT')])
      fleet.begin()
      await sleep((seconds * 1000) / 2)
      await fleet.repair(how)
      await fleet.resume('waits')
    }),
})

/** Kills a worker with SIGKILL repeatedly and starts a new one each time. Afterwards nothing of the dead ones is left. */
const kills = (count) => ({
  name: `fleet: ${count} workers killed`,
  run: ({ dir }) =>
    inFleet({ dir, workers: 2, lease: 2, tasks: plain(count * 2), isSwept: true }, async (fleet) => {
      for (let n = 1; n <= count; n++) {
        await fleet.started(n)
        await fleet.replace()
      }
    }),
})

/** Kills the database and restarts it at once, several times. */
const restarts = (count) => ({
  name: `fleet: ${count} immediate restarts of the database`,
  run: ({ dir }) =>
    inFleet({ dir, workers: 2, lease: 5, tasks: plain(count * 4) }, async (fleet) => {
      for (let n = 1; n <= count; n++) {
        await fleet.started(n * 2)
        await fleet.cut('kill')
        await fleet.repair('kill')
      }
    }),
})

/** As if a firewall had forgotten the connections: neither side gets an error. */
const forgotten = () => ({
  name: 'fleet: connections lost while DBOS starts',
  run: ({ dir }) =>
    inFleet({ dir, workers: 0, lease: LEASE, tasks: plain(2) }, async (fleet) => {
      await fleet.whileWaitingFor('exitgate_dbos.application_versions', () => fleet.cut('loss'))
      await fleet.repair('loss')
    }),
})

const plain = (count) => Array.from({ length: count }, (_, n) => ({ id: `t${n}`, agent: 'second' }))

/** Tasks whose agents, tests and waits are in progress at the same time, and tasks that wait for others. */
const mixed = (count) => [
  { id: 'waits', agent: 'twice', priority: 9 },
  ...Array.from({ length: count }, (_, n) => [
    { id: `quick${n}`, agent: 'instant' },
    { id: `long${n}`, agent: 'long' },
    { id: `twice${n}`, agent: 'twice' },
    { id: `tests${n}`, agent: 'tests' },
  ])
    .flat()
    .slice(0, count),
  { id: 'after', agent: 'more', after: ['waits', 'quick0'] },
]

export const rows = [
  outage(12),
  outage(60),
  outage(60, { workers: 4 }),
  outage(60, { how: 'silence' }),
  outage(60, { workers: 4, how: 'stop' }),
  kills(6),
  restarts(3),
  forgotten(),
]

/** Standalone: `node faults/fleet.mjs [PART OF A NAME] [--rounds N] [--kills N]`. */
async function main(args) {
  const given = (name, usual) => (args.includes(name) ? Number(args[args.indexOf(name) + 1]) : usual)
  const [words = ''] = args.filter((word, at) => !word.startsWith('--') && !args[at - 1]?.startsWith('--'))
  const chosen = args.includes('--kills') ? [kills(given('--kills'))] : rows.filter(({ name }) => name.includes(words))
  for (let round = 1; round <= given('--rounds', 1); round++)
    for (const row of chosen) {
      const dir = mkdtempSync(join(tmpdir(), 'exitgate-faults-'))
      const { ok, detail } = await row
        .run({ dir, log: () => {} })
        .catch((error) => ({ ok: false, detail: error.stack }))
      if (!ok) process.exitCode = 1
      console.log(`${ok ? 'ok' : 'FAILED'} ${row.name}, round ${round}: ${detail}`)
    }
}

if (argv[1] === fileURLToPath(import.meta.url)) await main(argv.slice(2))
