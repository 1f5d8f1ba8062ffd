import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { askRun } from '../../src/loop/control/ask.ts'
import { followRun } from '../../src/loop/control/follow-run.ts'
import { openControl } from '../../src/loop/control/server.ts'
import { findReaper, hasFileOpen, hasFileOpenByLsof } from '../../src/system/open-files.ts'
import { compile } from '../evidence/compiled.ts'
import { patience } from '../timing.ts'
import { fixture, inTerminal, noTerminal, type Talk, talkTo } from './talk.ts'

const root = realpathSync(mkdtempSync(join(tmpdir(), 'eg-')))
const compiled = join(root, 'compiled')
beforeAll(() => {
  compile(compiled, 'src/loop/control/server.ts')
  compile(compiled, 'src/loop/control/ask.ts')
  compile(compiled, 'src/loop/control/event-feed.ts')
})
afterAll(() => rmSync(root, { recursive: true, force: true }))
beforeEach(({ skip }) => skip(process.platform === 'win32', 'a named pipe has no file permissions'))

let nth = 0
const newDir = () => join(root, `state ${++nth}`)
const loopIn = (dir: string, more: object = {}): readonly string[] => [
  process.execPath,
  fixture('controlled.mjs'),
  compiled,
  dir,
  JSON.stringify(more),
]
const asking = (dir: string, kind: string, reason = 'a reason', file = ''): readonly string[] => [
  process.execPath,
  fixture('ask.mjs'),
  compiled,
  dir,
  kind,
  reason,
  ...(file === '' ? [] : [file]),
]

async function started(argv: readonly string[]): Promise<{ loop: Talk; path: string }> {
  const loop = talkTo(argv)
  return { loop, path: (await loop.hears(/^ready/)).slice('ready '.length) }
}

/** Sends raw bytes, and returns what it receives until the connection closes. */
function send(path: string, bytes: string | Buffer, end = false): Promise<string> {
  return new Promise((resolve) => {
    let answer = ''
    const socket = connect(path)
    socket.on('data', (chunk) => {
      answer += chunk
    })
    socket.on('error', () => {})
    socket.on('close', () => resolve(answer))
    if (end) socket.end(bytes)
    else socket.write(bytes)
  })
}

describe('events for other processes', () => {
  const tell = async (loop: Talk, event: object, times = 1): Promise<void> => {
    loop.say(`${JSON.stringify({ event, times })}\n`)
    await loop.hears(/^told/)
  }
  const begun = { type: 'started', run: 'run-1', at: 1 }
  const output = { type: 'output', text: 'x'.repeat(1000), at: 2 }

  it('come with the recent past first, then as they happen, until the run closes', async () => {
    const { loop } = await started(loopIn(newDir()))
    const dir = join(root, `state ${nth}`)
    await tell(loop, begun)
    await tell(loop, output, 2000)
    await tell(loop, { type: 'decided', iteration: 1, state: { secret: 'large' }, at: 3 })
    const heard: { type: string }[] = []
    let hear = (_type: string): void => {}
    const until = (type: string) =>
      new Promise<void>((resolve) => {
        hear = (each) => each === type && resolve()
      })
    let ended = (): void => {}
    const over = new Promise<void>((resolve) => {
      ended = resolve
    })
    const first = until('decided')
    const followed = await followRun(dir, {
      onEvent(event) {
        heard.push(event)
        hear(event.type)
      },
      onEnd: () => ended(),
    })
    expect(followed).toMatchObject({ close: expect.any(Function) })
    await first
    // The start is kept however long ago it was, and of the rest only the end.
    expect(heard[0]).toEqual(begun)
    expect(heard.length).toBeLessThan(700)
    expect(heard.at(-1)).toEqual({ type: 'decided', iteration: 1, at: 3 })
    const next = until('waiting')
    await tell(loop, { type: 'waiting', why: 'a limit', until: 9, at: 4 })
    await next
    expect(heard.at(-1)).toEqual({ type: 'waiting', why: 'a limit', until: 9, at: 4 })
    loop.say('close\n')
    await over
  })

  it('are refused to the agent, and to a process that says it works for it', async () => {
    const { loop } = await started(loopIn(newDir()))
    const dir = join(root, `state ${nth}`)
    const options = { inside: 'run-1', onEvent: () => {}, onEnd: () => {} }
    expect(await followRun(dir, options)).toBe(
      'refused: it came from inside a run, and the agent may not control its own run',
    )
    const answer = join(root, `answer ${nth}`)
    const words = asking(dir, 'events', 'looks', answer)
      .map((word) => `'${word}'`)
      .join(' ')
    loop.say(`${JSON.stringify({ script: words, marked: true })}\n`)
    await loop.hears(/^agent ended/)
    expect(readFileSync(answer, 'utf8')).toMatch(/refused: process \d+ was started by/)
  })

  it('there are none without a run', async () => {
    expect(await followRun(newDir(), { onEvent: () => {}, onEnd: () => {} })).toBeUndefined()
  })
})

describe('the socket', () => {
  it('is in a private folder, and control.json has its path', async () => {
    const dir = newDir()
    const { loop, path } = await started(loopIn(dir))
    expect(path).toBe(join(dir, 'control', 'socket'))
    expect(statSync(path).mode & 0o777).toBe(0o600)
    expect(statSync(dirname(path)).mode & 0o777).toBe(0o700)
    expect(statSync(join(dir, 'control.json')).mode & 0o777).toBe(0o600)
    expect(JSON.parse(readFileSync(join(dir, 'control.json'), 'utf8'))).toMatchObject({
      path,
      run: 'run-1',
      pid: loop.child.pid,
    })
    loop.say('close\n')
    await loop.hears(/^closed/)
    expect(readdirSync(dir)).toEqual([])
  })

  it('is in another folder if its path would be too long, and is removed afterwards', async () => {
    const dir = join(newDir(), 'x'.repeat(100))
    const { loop, path } = await started(loopIn(dir))
    expect(Buffer.byteLength(path)).toBeLessThan(104)
    expect(path.startsWith(dir)).toBe(false)
    expect(statSync(path).mode & 0o777).toBe(0o600)
    expect(statSync(dirname(path)).mode & 0o777).toBe(0o700)
    expect(await askRun(dir, { kind: 'status', by: 'x', reason: 'x' })).toMatchObject({ taken: true })
    loop.say('close\n')
    await loop.hears(/^closed/)
    expect(existsSync(dirname(path))).toBe(false)
    expect(readdirSync(dir)).toEqual([])
  })

  it.each(['short', 'x'.repeat(100)])('of a dead run is replaced (%s)', async (name) => {
    const dir = join(newDir(), name)
    const first = await started(loopIn(dir))
    first.loop.child.kill('SIGKILL')
    await first.loop.ended
    expect(existsSync(first.path)).toBe(true)
    expect(await askRun(dir, { kind: 'status', by: 'x', reason: 'x' })).toBeUndefined()
    const second = await started(loopIn(dir))
    expect(await askRun(dir, { kind: 'status', by: 'x', reason: 'x' })).toMatchObject({ status: { iteration: 3 } })
    expect(existsSync(dirname(first.path))).toBe(dirname(first.path) === dirname(second.path))
    second.loop.say('close\n')
    await second.loop.hears(/^closed/)
  })

  it('is not found if there is none', async () => {
    const dir = newDir()
    expect(await askRun(dir, { kind: 'pause', by: 'x', reason: 'x' })).toBeUndefined()
    mkdirSync(dir)
    expect(await askRun(dir, { kind: 'pause', by: 'x', reason: 'x' })).toBeUndefined()
  })

  const contents: [string, (dir: string) => string][] = [
    ['no content', () => ''],
    ['invalid JSON', () => '{'],
    ['an array', () => '[1]'],
    ['missing fields', () => '{"path": "/tmp/x"}'],
    ['the path of a file', (dir) => JSON.stringify({ path: join(dir, 'control.json'), folder: dir, run: 'r', pid: 1 })],
    ['a path that is too long', () => JSON.stringify({ path: 'x'.repeat(100_000), folder: '', run: '', pid: 1 })],
  ]
  it.each(contents)('is not found through a control.json with %s', async (_, text) => {
    const dir = newDir()
    mkdirSync(dir)
    writeFileSync(join(dir, 'control.json'), text(dir))
    expect(await askRun(dir, { kind: 'pause', by: 'x', reason: 'x' })).toBeUndefined()
  })

  it('deletes only its own files, whatever control.json of a dead run says', async () => {
    const dir = newDir()
    const precious = join(root, 'exitgate-control-precious')
    const outside = join(root, 'outside')
    for (const folder of [dir, precious, outside]) mkdirSync(folder)
    writeFileSync(join(precious, 'socket'), 'mine')
    writeFileSync(join(outside, 'proof-1'), 'mine')
    writeFileSync(
      join(dir, 'control.json'),
      JSON.stringify({ path: join(precious, 'socket'), folder: precious, run: 'r', pid: 1 }),
    )
    symlinkSync(outside, join(dir, 'control'))
    const { loop, path } = await started(loopIn(dir))
    expect(path).toBe(join(dir, 'control', 'socket'))
    expect(readFileSync(join(precious, 'socket'), 'utf8')).toBe('mine')
    expect(readdirSync(outside)).toEqual(['proof-1'])
    loop.say('close\n')
    await loop.hears(/^closed/)
  })

  const gone: [string, (dir: string, path: string) => void][] = [
    ['the socket was deleted', (_, path) => rmSync(path)],
    ['its folder was deleted', (_, path) => rmSync(dirname(path), { recursive: true })],
    ['control.json was deleted', (dir) => rmSync(join(dir, 'control.json'))],
    ['control.json has another path', (dir) => writeFileSync(join(dir, 'control.json'), '{"path":"/tmp/x"}')],
    [
      'the agent replaced the socket',
      (_, path) => {
        rmSync(path)
        const fake = createServer((socket) => socket.end('{"taken":true,"text":"fake"}\n'))
        // The loop may already have created its own socket again.
        fake.on('error', () => {}).listen(path)
        onTestFinished(() => void fake.close())
      },
    ],
  ]
  it.each(gone)('is created again if %s', async (_, take) => {
    const dir = newDir()
    const { loop, path } = await started(loopIn(dir, { limits: { lookMs: 20 } }))
    take(dir, path)
    await expect
      .poll(() => askRun(dir, { kind: 'status', by: 'x', reason: 'x' }), { timeout: patience(20_000) })
      .toMatchObject({ text: 'run run-1 is running' })
    expect(statSync(path).mode & 0o777).toBe(0o600)
    loop.say('close\n')
    await loop.hears(/^closed/)
    expect(readdirSync(dir)).toEqual([])
  })

  it('that cannot be created is reported, and the loop continues', async () => {
    const file = join(root, 'a file')
    writeFileSync(file, '')
    const { loop, path } = await started(loopIn(join(file, 'state')))
    expect(path).toMatch(/^This run can't be controlled from another terminal: ENOTDIR/)
    loop.say('close\n')
    await loop.hears(/^closed/)
  })
})

describe('requests', () => {
  const rows: [string, string | Buffer, RegExp][] = [
    ['text', 'hello\n', /the request is not JSON/],
    ['bytes', Buffer.from([0xff, 0x00, 0xfe, 0x0a]), /the request is not JSON/],
    ['an unknown kind', '{"kind":"shutdown"}\n', /"kind"/],
    ['two requests at once', `{"kind":"status","by":"x","reason":"x","pid":1}\n{"kind":"status"}\n`, /is running/],
    ['a request without a line end', 'x'.repeat(3000), /is longer than 2000 bytes/],
    ['a line that is too long', `${' '.repeat(3000)}\n`, /is longer than 2000 bytes/],
  ]
  it('that are invalid get one line as an answer, and do no harm', async () => {
    const { path, loop } = await started(loopIn(newDir(), { limits: { bytes: 2000 } }))
    for (const [name, bytes, why] of rows) {
      const answer = await send(path, bytes)
      expect(answer.split('\n'), name).toHaveLength(2)
      expect(JSON.parse(answer).text, name).toMatch(why)
    }
    expect(await send(path, '{"kind":"sta', true)).toBe('')
    expect(loop.said()).not.toMatch(/^(control|refused)/m)
    expect(JSON.parse(await send(path, '{"kind":"status","by":"x","reason":"x","pid":1}\n'))).toMatchObject({
      taken: true,
    })
  })

  it('time out', async () => {
    const { path } = await started(loopIn(newDir(), { limits: { ms: 50 } }))
    expect(await send(path, '{"kind":')).toBe('')
  })

  it('get an error if there are too many at once; later ones work', async () => {
    const dir = newDir()
    const { path } = await started(loopIn(dir, { limits: { connections: 3 } }))
    const idle = await Promise.all(
      [1, 2, 3].map(
        () =>
          new Promise<ReturnType<typeof connect>>((resolve) => {
            const socket = connect(path)
            socket.write('{"kind":')
            socket.on('connect', () => resolve(socket))
          }),
      ),
    )
    await expect
      .poll(() => askRun(dir, { kind: 'status', by: 'x', reason: 'x' }))
      .toMatchObject({
        taken: false,
        text: 'too many requests at once; try again',
      })
    for (const socket of idle) socket.destroy()
    await expect
      .poll(() => askRun(dir, { kind: 'status', by: 'x', reason: 'x' }))
      .toMatchObject({ taken: true, text: 'run run-1 is running', status: { iteration: 3 } })
  })

  it('end when the run closes the connection, also while the code is being typed', async () => {
    const dir = newDir()
    mkdirSync(dir)
    const path = join(dir, 'socket')
    const run = createServer((socket) => void socket.once('data', () => socket.end('{"code":"the loop"}\n')))
    onTestFinished(() => void run.close())
    await new Promise<void>((resolve) => run.listen(path, resolve))
    writeFileSync(join(dir, 'control.json'), JSON.stringify({ path, folder: dir, run: 'run-1', pid: process.pid }))
    const answer = await askRun(
      dir,
      { kind: 'force', by: 'x', reason: 'x' },
      { typeCode: () => new Promise<never>(() => {}) },
    )
    expect(answer).toEqual({
      taken: false,
      text: `Run run-1 (process ${process.pid}) didn't respond: the connection was closed.`,
    })
  })

  it('that arrive at the same time are all answered', async () => {
    const dir = newDir()
    await started(loopIn(dir))
    const all = await Promise.all(
      Array.from({ length: 20 }, (_, n) => askRun(dir, { kind: 'interrupt', by: 'x', reason: `reason ${n}` })),
    )
    expect(all).toEqual(Array.from({ length: 20 }, () => ({ taken: true, text: 'interrupt: it will be done' })))
  })
})

describe('the requesting process', () => {
  beforeEach(({ skip }) => skip(process.platform !== 'linux', 'needs /proc to identify processes'))

  it('cannot pretend to be another process', async () => {
    const dir = newDir()
    const { path, loop } = await started(loopIn(dir))
    for (const pid of [process.pid, process.ppid, 1, loop.child.pid]) {
      const socket = connect(path)
      const done = new Promise<string>((resolve) => {
        let said = ''
        socket.on('data', (chunk) => {
          said += chunk
          // The named process doesn't open the file.
          if (/prove/.test(String(chunk))) socket.write('{"proved":true}\n')
        })
        socket.on('close', () => resolve(said))
      })
      socket.write(`${JSON.stringify({ kind: 'force', by: 'x', reason: `named ${pid}`, pid })}\n`)
      expect(await done).toMatch(/refused: the requesting process could not prove its identity/)
      await loop.hears(new RegExp(`^refused force named ${pid}: `))
    }
    expect(loop.said()).not.toMatch(/^control/m)
  })

  it('cannot use the proof of another request', async () => {
    const dir = newDir()
    const { path, loop } = await started(loopIn(dir))
    const { proofName } = await import('../../src/loop/control/request.ts')
    const socket = connect(path)
    const held = new Promise<string>((resolve) => {
      let said = ''
      socket.on('data', (chunk) => {
        said += chunk
        const { prove, folder } = JSON.parse(said.split('\n')[0] ?? '')
        if (!/\n.+\n/.test(said)) {
          // The user's proof for a pause, used by a process that wants to force the end.
          const name = proofName(dir, prove, { kind: 'pause', by: 'x', reason: 'x' })
          holder.say(`${join(folder, name)}\n`)
          void holder.hears(/^open/).then(() => socket.write('{"proved":true}\n'))
        }
      })
      socket.on('close', () => resolve(said))
    })
    const script =
      "require('readline').createInterface({input: process.stdin}).on('line', (p) => { require('fs').openSync(p, 'w'); console.log('open') })"
    const holder = talkTo([process.execPath, '-e', script])
    socket.write(`${JSON.stringify({ kind: 'force', by: 'x', reason: 'x', pid: holder.child.pid })}\n`)
    expect(await held).toMatch(/could not prove/)
    await loop.hears(/^refused force/)
  })

  it('may be any process except the agent, for a stop or a pause', async () => {
    const dir = newDir()
    const { loop } = await started(loopIn(dir))
    for (const kind of ['interrupt', 'pause'] as const) {
      expect(await askRun(dir, { kind, by: 'Ada', reason: 'lunch' })).toEqual({
        taken: true,
        text: `${kind}: it will be done`,
      })
      expect(await loop.hears(/^control/)).toBe(`control {"kind":"${kind}","by":"Ada","reason":"lunch"}`)
    }
  })

  it.each(['force', 'accept', 'skip', 'reset-breaker', 'guidance', 'resume'])(
    'needs the code for %s if it has no terminal, unless the run allows remote control',
    async (kind) => {
      const dir = newDir()
      const { loop } = await started(loopIn(dir))
      const away = talkTo(asking(dir, kind), {}, true)
      const [, code = ''] = /^code (\w+) /.exec(await loop.hears(/^code/)) ?? []
      await away.hears(/asked for the code in the loop/)
      away.say('WRONG1\n')
      await away.hears(/asked again/)
      expect(loop.said()).not.toMatch(/^control/m)
      away.say(`${code}\n`)
      expect(await away.hears(/taken/)).toContain(`${kind}: it will be done`)
      const open = newDir()
      await started(loopIn(open, { allowRemote: true }))
      expect(await talkTo(asking(open, kind), {}, true).hears(/taken/)).toContain(`${kind}: it will be done`)
    },
  )

  it('gets a sentence about the code, if it has no way to type it', async () => {
    const dir = newDir()
    const { loop } = await started(loopIn(dir))
    expect(await askRun(dir, { kind: 'force', by: 'x', reason: 'x' })).toEqual({
      taken: false,
      text: 'This needs the one-time code, shown in the loop, and a terminal or the live page to type it in. A run started with --allow-remote-control needs none.',
    })
    await loop.hears(/^refused force x: no right code was typed/)
  })

  it('is refused if it admits to run inside a run', async () => {
    const dir = newDir()
    const { loop } = await started(loopIn(dir, { allowRemote: true }))
    const answer = await askRun(dir, { kind: 'interrupt', by: 'x', reason: 'x' }, { inside: 'run-1' })
    expect(answer).toMatchObject({ taken: false, text: expect.stringMatching(/^refused: it came from inside/) })
    await loop.hears(/^refused interrupt/)
  })
})

describe('another terminal', () => {
  beforeEach(({ skip }) => {
    skip(process.platform !== 'linux', 'needs /proc to identify processes')
    skip(noTerminal !== undefined, noTerminal)
  })

  it.each(['force', 'accept', 'skip', 'reset-breaker'])(
    'may request %s with the code that the run shows',
    async (kind) => {
      const dir = newDir()
      const { loop } = await started(loopIn(dir))
      const asker = inTerminal(asking(dir, kind))
      const [, code = '', action] = /^code (\w+) (.*)$/.exec(await loop.hears(/^code/)) ?? []
      expect(action).toMatch(new RegExp(`^${kind}.* by Ada \\(a reason\\)$`))
      await asker.hears(/asked for the code in the loop/)
      asker.say('WRONG1\n')
      await asker.hears(/asked again/)
      asker.say(`${code.toLowerCase()}\n`)
      expect(await asker.hears(/taken/)).toContain(`${kind}: it will be done`)
      expect(await loop.hears(/^control/)).toContain(`control {"kind":"${kind}","by":"Ada","reason":"a reason"`)
    },
  )

  it('is refused after three wrong codes, and gets no new one', async () => {
    const dir = newDir()
    const { loop } = await started(loopIn(dir))
    const asker = inTerminal(asking(dir, 'force'))
    for (const question of [/asked for/, /asked again/, /asked again/]) {
      await asker.hears(question)
      asker.say('WRONG1\n')
    }
    expect(await asker.hears(/taken/)).toMatch(/refused: no right code was typed/)
    expect(await inTerminal(asking(dir, 'skip')).hears(/taken/)).toMatch(/refused: too many wrong codes/)
    await loop.hears(/^refused skip/)
    expect(loop.said()).not.toMatch(/^control/m)
  })

  it.each(['resume'])('may request %s', async (kind) => {
    const dir = newDir()
    const { loop } = await started(loopIn(dir))
    expect(await inTerminal(asking(dir, kind)).hears(/taken/)).toContain(`${kind}: it will be done`)
    expect(await loop.hears(/^control/)).toBe(`control {"kind":"${kind}","by":"Ada","reason":"a reason"}`)
  })
})

describe('the agent of the run is refused', () => {
  beforeEach(({ skip }) => {
    skip(process.platform !== 'linux', 'needs /proc to identify processes')
    skip(noTerminal !== undefined, noTerminal)
    skip(spawnSync('sh', ['-c', 'setsid true']).status !== 0, 'there is no setsid here')
  })

  /** How to send a request from a shell. The command is the same; how it is started differs. */
  const shellCommand = (argv: readonly string[]) => argv.map((word) => `'${word}'`).join(' ')
  const pty = `python3 '${fixture('in-terminal.py')}' --alone`
  const clean = 'env -i PATH="$PATH"'
  const rows: [string, (ask: string) => string, RegExp][] = [
    ['directly', (ask) => ask, /was started by the run itself/],
    ['with an empty environment', (ask) => `${clean} ${ask}`, /was started by the run itself/],
    ['in its own session', (ask) => `setsid ${clean} ${ask}`, /was started by the run itself/],
    ['in its own terminal', (ask) => `${clean} ${pty} ${ask}`, /was started by the run itself/],
    [
      'through an orphan that kept its environment',
      (ask) => `setsid sh -c "${pty} ${ask} &"; exit`,
      /was started by|belongs to the agent/,
    ],
    [
      'through a child of an orphan that kept its environment',
      (ask) => `setsid sh -c '(${clean} sh -c "${pty} ${ask}"; sleep 1) & exit'; exit`,
      /was started by an agent or a check|belongs to the agent/,
    ],
    [
      'through an orphan in its group',
      (ask) => `(${clean} ${pty} ${ask}) & exit`,
      /belongs to the agent|was started by an agent or a check/,
    ],
    [
      'through a detached orphan without an environment',
      (ask) => `${clean} setsid sh -c "${clean} setsid ${ask} & exit" & exit`,
      /has no ancestor older than the run/,
    ],
    [
      'through a detached orphan without an environment, in its own terminal',
      (ask) => `${clean} setsid sh -c "${clean} setsid ${pty} ${ask} & exit" & exit`,
      /has no ancestor older than the run/,
    ],
  ]
  for (const adopted of [false, true])
    describe(adopted ? 'where an older process adopts orphans' : 'where init adopts orphans', () => {
      it.each(rows)('%s', async (_, way, why) => {
        const dir = newDir()
        const file = join(root, `answer-${nth}`)
        const argv = loopIn(dir)
        const { loop } = await started(adopted ? ['python3', fixture('reaper.py'), ...argv] : argv)
        const ask = shellCommand(asking(dir, 'force', 'all done', file))
        const script = join(root, `agent-${nth}.sh`)
        // In a file, so that the request needs no second level of quotes.
        const inner = join(root, `ask-${nth}.sh`)
        writeFileSync(inner, `exec ${ask}\n`)
        writeFileSync(script, way(`sh ${inner}`))
        loop.say(`${JSON.stringify({ script: `. ${script}`, marked: true })}\n`)
        const refused = await loop.hears(/^(refused|control)/)
        expect(refused).toMatch(/^refused force all done: /)
        expect(refused).toMatch(why)
        await expect.poll(() => existsSync(file), { timeout: patience(20_000) }).toBe(true)
        expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({ taken: false })
      })
    })

  it('and is no longer recorded after too many refusals', async () => {
    const dir = newDir()
    const { loop } = await started(loopIn(dir, { limits: { refusals: 3 } }))
    for (let n = 0; n < 5; n++)
      expect(await askRun(dir, { kind: 'pause', by: 'x', reason: `n${n}` }, { inside: 'r' })).toMatchObject({
        taken: false,
      })
    loop.say('close\n')
    await loop.hears(/^closed/)
    expect(loop.said().match(/^refused.*/gm)).toHaveLength(3)
    expect(loop.said()).toMatch(/further refusals in this run are not recorded/)
  })
})

describe('process checks', () => {
  beforeEach(({ skip }) => skip(process.platform !== 'linux', 'needs /proc to identify processes'))

  it('find who has a file open, with /proc and with lsof', async ({ skip }) => {
    skip(spawnSync('lsof', ['-v']).error !== undefined, 'there is no lsof here')
    const file = join(root, 'held')
    writeFileSync(file, '')
    const script = `require('fs').openSync(${JSON.stringify(file)}, 'r'); console.log('open'); setInterval(() => {}, 1e6)`
    const holder = talkTo([process.execPath, '-e', script])
    await holder.hears(/^open/)
    const pid = holder.child.pid ?? 0
    expect([hasFileOpen(pid, file), hasFileOpenByLsof(pid, file)]).toEqual([true, true])
    expect([hasFileOpen(process.pid, file), hasFileOpenByLsof(process.pid, file)]).toEqual([false, false])
    expect(hasFileOpen(2 ** 22 + 5, file)).toBe(false)
  })

  it('find who adopts orphans', async ({ skip }) => {
    skip(noTerminal !== undefined, 'python3 is needed to adopt them')
    const adopting = await findReaper()
    expect(adopting).toBeGreaterThan(0)
    const script = `import(${JSON.stringify(join(compiled, 'src/system/open-files.js'))}).then(async (m) => console.log('adopts', await m.findReaper(), process.ppid))`
    const talk = talkTo(['python3', fixture('reaper.py'), process.execPath, '-e', script])
    const [, parent, own] = (await talk.hears(/^adopts/)).split(' ')
    expect(parent).toBe(own)
    expect(Number(parent)).not.toBe(adopting)
  })
})

describe('opening the control socket', () => {
  it('never throws', async () => {
    const dir = newDir()
    mkdirSync(dir)
    writeFileSync(join(dir, 'control'), 'a file')
    chmodSync(join(dir, 'control'), 0o400)
    const options = {
      dir,
      run: 'r',
      allowRemote: false,
      onControl: () => ({ taken: true, text: '' }),
      onRefused: () => {},
      status: () => ({}),
      agents: () => [],
    }
    const first = await openControl(options)
    expect(first.problem).toBeUndefined()
    const again = await openControl({ ...options, dir: join(dir, 'control.json') })
    expect(again.problem).toMatch(/can't be controlled from another terminal/)
    again.close()
    first.close()
    first.close()
    expect(readdirSync(dir)).toEqual([])
  })
})
