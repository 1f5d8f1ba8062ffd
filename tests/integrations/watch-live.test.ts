import type { ServerResponse } from 'node:http'
import { createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { writePlace } from '../../src/loop/control/place.ts'
import type { LiveNews } from '../../src/reports/runs/live.ts'
import { Diffs } from '../../src/watch/diffs.ts'
import { LiveFeed } from '../../src/watch/live.ts'
import { Reports } from '../../src/watch/reports.ts'
import { Runs } from '../../src/watch/runs.ts'
import { Streams } from '../../src/watch/stream.ts'
import { decided, started } from '../journal/samples.ts'
import { patience } from '../timing.ts'
import { stateFolder } from './watch-server.ts'

const NAME = 'parser-0123456789ab'
const PATIENCE = { timeout: patience(30_000) }
beforeEach(({ skip }) => skip(process.platform === 'win32', 'a named pipe is not in a folder'))

type Answer = (socket: Socket) => void
const says =
  (...lines: readonly object[]): Answer =>
  (socket) =>
    void socket.write(lines.map((line) => `${JSON.stringify(line)}\n`).join(''))
const ACCEPTED = { taken: true, text: 'following the run' }
const PRINTED = { type: 'output', text: 'a line of the agent', at: 1 }
const busy = says({ taken: false, text: 'too many requests at once; try again' })
const refused = says({ taken: false, text: 'refused: it came from inside a run' })
const hangsUp: Answer = (socket) => socket.destroy()

/** A run whose socket gives these answers, one for each connection; the last one again and again. */
async function runThat(...answers: readonly Answer[]) {
  const dir = stateFolder().write(NAME, [started(), decided(1)])
  const sockets: Socket[] = []
  const server = createServer((socket) => {
    sockets.push(socket)
    const answer = answers[Math.min(sockets.length, answers.length) - 1]
    socket.on('error', () => {}).once('data', () => answer?.(socket))
  })
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  const path = join(dir, 'socket')
  await new Promise<void>((resolve) => server.listen(path, resolve))
  writePlace(dir, { path, folder: dir, run: 'r1', pid: process.pid })
  const runs = new Runs({ dir, all: false })
  runs.look()
  return { runs, sockets }
}

/** What a new tab gets. */
const newsOf = (feed: LiveFeed): LiveNews => JSON.parse(/^data: (.*)$/m.exec(String(feed.since(undefined)))?.[1] ?? '')

describe('the live feed', () => {
  const joined = (runs: Runs): LiveFeed => {
    const feed = new LiveFeed(NAME, runs, () => 0)
    onTestFinished(() => feed.close())
    feed.join({ tellLive: () => {} })
    return feed
  }

  it.each([
    ['is busy', busy],
    ['hangs up', hangsUp],
  ])('connects again after the run %s', async (_name, first) => {
    const { runs } = await runThat(first, says(ACCEPTED, PRINTED))
    const feed = joined(runs)
    await expect.poll(() => newsOf(feed), PATIENCE).toMatchObject({ connected: true, log: [{ text: PRINTED.text }] })
    expect(newsOf(feed)).not.toHaveProperty('refused')
  })

  it('says why it is refused', async () => {
    const { runs } = await runThat(refused)
    const feed = joined(runs)
    await expect
      .poll(() => newsOf(feed), PATIENCE)
      .toMatchObject({ connected: false, refused: 'it came from inside a run' })
  })

  it('keeps what it has until the run accepts the next connection', async () => {
    const { runs, sockets } = await runThat(says(ACCEPTED, PRINTED), hangsUp)
    const feed = joined(runs)
    await expect.poll(() => newsOf(feed).log, PATIENCE).toMatchObject([{ text: PRINTED.text }])
    sockets[0]?.destroy()
    await expect.poll(() => sockets.length, PATIENCE).toBeGreaterThan(2)
    expect(newsOf(feed)).toMatchObject({ connected: false, log: [{ text: PRINTED.text }] })
  })
})

it('a page is checked again after the check failed', async () => {
  const { runs } = await runThat(says(ACCEPTED, PRINTED))
  const reports = new Reports(runs, () => 0)
  const streams = new Streams(runs, reports, new Diffs(runs, reports, () => 0))
  const response = new PassThrough()
  onTestFinished(() => void response.destroy())
  let heard = ''
  response.setEncoding('utf8').on('data', (piece: string) => {
    heard += piece
  })
  let checks = 0
  const mayFollow = async (): Promise<boolean> => {
    checks += 1
    if (checks === 1) throw new Error('the journal is being replaced')
    return true
  }
  streams.add(response as unknown as ServerResponse, undefined, { journal: NAME, mayFollow })
  await expect.poll(() => heard, PATIENCE).toContain(PRINTED.text)
  expect(checks).toBe(2)
})
