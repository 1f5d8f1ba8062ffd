import { request } from 'node:http'
import { connect } from 'node:net'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { openJournal } from '../../src/journal/log.ts'
import type { DiffNews, RunNews, SeenRun } from '../../src/reports/runs/row.ts'
import { decided, started } from '../journal/samples.ts'
import { type Served, serve, stateFolder } from './watch-server.ts'
import { NAME, watchedWork } from './watched-work.ts'

const TABS = 50

interface Tab {
  readonly status: number
  readonly news: readonly RunNews[]
  /** Marks of the diffs that the stream told. */
  readonly marks: readonly string[]
  until(like: (news: RunNews) => boolean): Promise<RunNews>
  untilMarks(count: number): Promise<void>
  close(): void
}

/** The network side of a page that shows one run. */
function openTab({ port, bearer }: Served, seen?: SeenRun, diff?: string): Promise<Tab> {
  const known = seen && { run: seen.run, iterations: `${seen.iterations}`, seq: `${seen.seq}` }
  const path = `/events?${new URLSearchParams({ journal: NAME, ...known, ...(diff !== undefined && { diff }) })}`
  return new Promise((resolve, reject) => {
    const news: RunNews[] = []
    const marks: string[] = []
    let rest = ''
    let heard = (): void => {}
    const sent = request({ host: '127.0.0.1', port, path, headers: bearer, agent: false }, (response) => {
      response.setEncoding('utf8').on('data', (piece: string) => {
        const pieces = (rest + piece).split('\n\n')
        rest = pieces.pop() ?? ''
        for (const each of pieces) {
          const data = /^event: report\ndata: (.*)$/.exec(each)?.[1]
          if (data !== undefined) news.push(JSON.parse(data))
          const diff = /^event: diff\ndata: (.*)$/.exec(each)?.[1]
          if (diff !== undefined) marks.push((JSON.parse(diff) as DiffNews).mark)
        }
        heard()
      })
      response.on('error', () => {})
      resolve({
        status: response.statusCode ?? 0,
        news,
        marks,
        untilMarks: (count) =>
          new Promise((found) => {
            heard = () => {
              if (marks.length >= count) found()
            }
            heard()
          }),
        close: () => sent.destroy(),
        until: (like) =>
          new Promise((found) => {
            heard = () => {
              const one = news.find(like)
              if (one !== undefined) found(one)
            }
            heard()
          }),
      })
    })
    sent.on('error', reject)
    sent.end()
  })
}

/** What a page would show after everything it received. */
const iterationsOf = (news: readonly RunNews[]): readonly number[] =>
  news.reduce<readonly number[]>((shown, each) => [...(each.whole ? [] : shown), ...each.columns.n], [])

describe('the stream', () => {
  it('sends a run to 50 tabs in parts, and none of them requests anything', async () => {
    const { write, root } = stateFolder()
    const watch = await serve(write(NAME, [started(), decided(1), decided(2)]))
    const tabs = await Promise.all(Array.from({ length: TABS }, () => openTab(watch)))
    expect(new Set(tabs.map(({ status }) => status))).toEqual(new Set([200]))
    await Promise.all(tabs.map((tab) => tab.until(({ iterations }) => iterations === 2)))
    const journal = openJournal(join(root, NAME))
    for (let n = 3; n <= 40; n++) journal.append([decided(n)], 1000 + n)
    journal.close()
    const last = await Promise.all(tabs.map((tab) => tab.until(({ iterations }) => iterations === 40)))
    for (const tab of tabs) {
      expect(iterationsOf(tab.news)).toEqual(Array.from({ length: 40 }, (_, n) => n + 1))
      expect(tab.news.map(({ whole }) => whole)).toEqual(tab.news.map((_, n) => n === 0))
    }
    expect(last[0]?.newest).toMatchObject({ n: 40, evidence: [{ check: 'tests' }] })
    // What did not change is not sent again.
    expect(tabs[0]?.news[0]?.head).toHaveProperty('config')
    expect(last[0]?.head).not.toHaveProperty('config')
    for (const tab of tabs) tab.close()
  })

  it('continues where a page was, and sends all of another run', async () => {
    const { write } = stateFolder()
    const watch = await serve(write(NAME, [started(), decided(1), decided(2), decided(3)]))
    const on = await openTab(watch, { run: 'r1', iterations: 2, seq: 3 })
    const some = await on.until(() => true)
    expect([some.whole, some.columns.n, some.iterations]).toEqual([false, [3], 3])
    const other = await openTab(watch, { run: 'r0', iterations: 2, seq: 3 })
    const all = await other.until(() => true)
    expect([all.whole, all.columns.n]).toEqual([true, [1, 2, 3]])
    write(NAME, [started({ run: 'r2' }), decided(1)])
    const next = await on.until(({ run }) => run === 'r2')
    expect([next.whole, next.columns.n]).toEqual([true, [1]])
    for (const tab of [on, other]) tab.close()
  })

  it('tells 50 tabs when the diff differs, so that no tab has to ask until then', async () => {
    const { dir, put, write } = await watchedWork({ 'a.txt': '0\n' }, { 'a.txt': '1\n' })
    const watch = await serve(dir)
    const tabs = await Promise.all(Array.from({ length: TABS }, () => openTab(watch)))
    await Promise.all(tabs.map((tab) => tab.until(({ iterations }) => iterations === 1)))
    const markNow = async (): Promise<string> => {
      const { status, body } = await watch.ask(`/diff?journal=${NAME}&run=r1`, { headers: watch.bearer })
      expect(status, body).toBe(200)
      return (JSON.parse(body) as { mark: string }).mark
    }
    const first = await markNow()
    await Promise.all(tabs.map((tab) => tab.untilMarks(1)))
    for (let n = 2; n <= 20; n++) write(NAME, [decided(n)])
    await Promise.all(tabs.map((tab) => tab.until(({ iterations }) => iterations === 20)))
    put({ 'a.txt': '2\n' })
    write(NAME, [decided(21)])
    await Promise.all(tabs.map((tab) => tab.untilMarks(2)))
    const second = await markNow()
    expect(second).not.toBe(first)
    // Nineteen decisions that changed no file were not told.
    for (const tab of tabs) expect(tab.marks).toEqual([first, second])
    // A tab that was away hears what it missed, and one that has it hears nothing.
    const away = await openTab(watch, undefined, first)
    await away.untilMarks(1)
    const known = await openTab(watch, undefined, second)
    await known.until(({ iterations }) => iterations === 21)
    expect([away.marks, known.marks]).toEqual([[second], []])
    for (const tab of [...tabs, away, known]) tab.close()
  })

  it('does not let a tab that reads nothing delay the others', async () => {
    const { write, root } = stateFolder()
    const watch = await serve(write(NAME, [started(), decided(1)]))
    const lines = [`GET /events?journal=${NAME} HTTP/1.1`, `Host: 127.0.0.1:${watch.port}`]
    const slow = connect(watch.port, '127.0.0.1')
    slow.on('error', () => {}).pause()
    slow.write(`${[...lines, `Authorization: ${watch.bearer.authorization}`].join('\r\n')}\r\n\r\n`)
    const tab = await openTab(watch)
    const journal = openJournal(join(root, NAME))
    for (let n = 2; n <= 20; n++) journal.append([decided(n)], 1000 + n)
    journal.close()
    await tab.until(({ iterations }) => iterations === 20)
    expect(iterationsOf(tab.news)).toHaveLength(20)
    slow.destroy()
    tab.close()
  })
})
