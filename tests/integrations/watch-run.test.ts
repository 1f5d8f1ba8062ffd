import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { program } from '../e2e/program.ts'
import { NODE_CLAIM, runProject } from '../e2e/run-project.ts'
import { noTerminal, openTerminal } from '../e2e/terminal.ts'
import { patience } from '../timing.ts'
import { ask, listen, serve } from './watch-server.ts'

type Project = ReturnType<typeof runProject>

beforeEach(({ skip }) => skip(noTerminal !== undefined, noTerminal))

const PATIENCE = { timeout: patience(60_000), interval: 100 }

/** An agent that first does what a test wants, then waits to be released. */
const agentWith = (p: Project, first = ''): readonly string[] =>
  p.agent(
    [
      `import { execFileSync, spawn } from 'node:child_process'`,
      `import { existsSync, readFileSync, writeFileSync } from 'node:fs'`,
      `const wait = async (file) => { while (!existsSync(file)) await new Promise((done) => setTimeout(done, 50)) }`,
      `const root = ${JSON.stringify(p.root)}`,
      `writeFileSync(root + '/working', '')`,
      first,
      `await wait(root + '/go')`,
      `for (const name of ['first.txt', 'second.txt']) writeFileSync(name, 'done')`,
      NODE_CLAIM,
    ].join('\n'),
    'agent.mjs',
  )

/** Presses a button, with the address alone. */
const PRESS = `import { readFileSync, renameSync, writeFileSync } from 'node:fs'
const [from, to] = process.argv.slice(2)
const { url, journal } = JSON.parse(readFileSync(from, 'utf8'))
const [address, token] = url.split('/#token=')
const answer = await fetch(address + '/control', {
  method: 'POST',
  headers: { authorization: 'Bearer ' + token, 'content-type': 'application/json' },
  body: JSON.stringify({ journal, kind: process.argv[4], reason: 'we are done' }),
})
writeFileSync(to + '.part', await answer.text())
renameSync(to + '.part', to)
`

async function running(p: Project, agent: readonly string[]) {
  const started = await p.start(['run', '--prompt', 'PROMPT.md', '--', ...agent])
  // The run answers from its baseline on.
  await expect.poll(() => existsSync(join(p.root, 'working')), PATIENCE).toBe(true)
  return started
}

/** `exitgate watch` in its own terminal, like a user has it. */
async function watching(p: Project, ...args: readonly string[]) {
  const terminal = openTerminal([process.execPath, await program(), 'watch', ...args], {
    cwd: p.dir,
    env: p.env,
    columns: 200,
  })
  return terminal
}

async function urlOf(p: Project) {
  const terminal = await watching(p)
  const [url, port = '', token = ''] = await terminal.shows(/http:\/\/127\.0\.0\.1:(\d+)\/#token=([\w-]{43})/)
  return { terminal, url, port: Number(port), token }
}

const journalOf = (p: Project): string => p.journalDir().slice(p.state.length + 1)

const button = (token: string, p: Project, kind: string) => ({
  method: 'POST',
  headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
  body: JSON.stringify({ journal: journalOf(p), kind, reason: 'seen enough' }),
})

describe('the user with the page of a real run', () => {
  it('watches it, pauses it, resumes it, and forces it', async () => {
    const p = runProject()
    const { port, token, terminal } = await urlOf(p)
    const { done } = await running(p, agentWith(p))
    const heard = await listen(port, token)
    await heard.until(({ rows }) => rows.some(({ status, answers }) => status === 'running' && answers))
    const press = async (kind: string) => JSON.parse((await ask(port, '/control', button(token, p, kind))).body)
    expect(await press('pause')).toEqual({ taken: true, text: 'Pausing after the current iteration.' })
    expect(await press('resume')).toEqual({ taken: true, text: 'Resuming the run.' })
    const { question, text } = await press('force')
    const [, file = ''] = /^Type the code shown in (.*)\.$/.exec(text) ?? []
    expect(statSync(file).mode & 0o777).toBe(0o600)
    const type = async (code: string) => {
      const body = JSON.stringify({ question, code })
      return JSON.parse((await ask(port, '/control', { ...button(token, p, 'force'), body })).body)
    }
    expect(await type('WRONG1')).toMatchObject({
      taken: false,
      question,
      text: expect.stringMatching(/^That is not the code/),
    })
    const code = readFileSync(file, 'utf8').split('\n')[0] ?? ''
    expect(await type(code)).toEqual({ taken: true, text: 'Stopping the agent. The run ends as forced.' })
    expect(existsSync(file)).toBe(false)
    expect(await type(code)).toMatchObject({ taken: false, text: expect.stringMatching(/too late/) })
    expect((await done).code).toBe(0)
    await heard.until(({ rows }) => rows.some(({ ending }) => ending === 'forced'))
    expect(p.events()).toContainEqual(
      expect.objectContaining({
        type: 'control',
        kind: 'force',
        by: 'exitgate watch',
        reason: 'seen enough',
      }),
    )
    expect(await press('force')).toEqual({
      taken: false,
      text: 'No run is active there. Use the same command in a terminal.',
    })
    heard.close()
    terminal.type('\u0003')
    expect(await terminal.ended).toBe(0)
  })

  it('interrupts it, also through a server without a terminal', async () => {
    const p = runProject()
    const { done } = await running(p, agentWith(p))
    const watch = await serve(p.journalDir())
    const told = await watch.ask('/control', button(watch.token, p, 'interrupt'))
    expect(JSON.parse(told.body)).toEqual({
      taken: true,
      text: 'Stopping after the current iteration.',
    })
    writeFileSync(join(p.root, 'go'), '')
    expect((await done).code).toBe(3)
  })

  it('learns which buttons the run refuses, from a server that nothing links to the user', async () => {
    const p = runProject()
    const { done } = await running(p, agentWith(p))
    const start = '"$@" </dev/null >"$HOME/url" 2>/dev/null & echo $! >"$HOME/server"'
    const argv = ['-c', start, 'sh', process.execPath, await program(), 'watch', '--json']
    spawn('/bin/sh', argv, { cwd: p.dir, env: p.env, detached: true, stdio: 'ignore' })
    const url = (): string => JSON.parse(readFileSync(join(p.root, 'url'), 'utf8')).url
    await expect.poll(url, PATIENCE).toContain('#token=')
    onTestFinished(() => void process.kill(Number(readFileSync(join(p.root, 'server'), 'utf8'))))
    const [address = '', token = ''] = url().split('/#token=')
    const headers = { authorization: `Bearer ${token}` }
    const answer = await fetch(`${address}/events?journal=${journalOf(p)}`, { headers })
    let heard = ''
    for await (const piece of answer.body?.pipeThrough(new TextDecoderStream()) ?? []) {
      heard += piece
      if (heard.includes('"connected":true')) break
    }
    expect(heard).toMatch(/"connected":true,"refused":"process \d+ has no ancestor older than the run, /)
    const pressed = await ask(Number(new URL(address).port), '/control', button(token, p, 'force'))
    expect(JSON.parse(pressed.body)).toMatchObject({ taken: false, text: expect.stringMatching(/^refused: process/) })
    writeFileSync(join(p.root, 'go'), '')
    expect((await done).code).toBe(0)
  })

  it('sees the list in a terminal, and quits with q', async () => {
    const p = runProject()
    const { done } = await running(p, agentWith(p))
    const terminal = await watching(p, '--tty', '--all')
    await terminal.shows(/1 project, 1 active/)
    await terminal.shows(/work +running +1/)
    writeFileSync(join(p.root, 'go'), '')
    expect((await done).code).toBe(0)
    await terminal.shows(/work +verified +1/)
    terminal.type('q')
    expect(await terminal.ended).toBe(0)
  })
})

describe('an agent that knows the address', () => {
  const ways: readonly (readonly [string, (p: Project) => string])[] = [
    ['asks itself', () => `execFileSync(process.execPath, [...press])`],
    ['asks without its environment', () => `execFileSync(process.execPath, [...press], { env: {} })`],
    [
      'asks through an orphan in a session of its own, without its environment',
      () =>
        `spawn('/bin/sh', ['-c', '"$@" </dev/null >/dev/null 2>&1 & exit 0', 'sh', process.execPath, ...press], { env: {}, detached: true, stdio: 'ignore' })`,
    ],
  ]
  /** Nothing links an orphan to the agent. But nothing links it to the user either, which forcing a run requires. */
  const kindsOf = (name: string): readonly string[] =>
    name.includes('orphan') ? ['force', 'skip'] : ['force', 'interrupt']
  const rows = ways.flatMap(([name, way]) => kindsOf(name).map((kind) => [kind, name, way] as const))
  it.each(rows)('is refused: %s, and it %s', async (kind, _name, way) => {
    const p = runProject()
    writeFileSync(join(p.root, 'press.mjs'), PRESS)
    const agent = agentWith(
      p,
      `await wait(root + '/stolen')
const press = [root + '/press.mjs', root + '/stolen', root + '/answer', '${kind}']
${way(p)}
await wait(root + '/answer')`,
    )
    const { url } = await urlOf(p)
    const { done } = await running(p, agent)
    writeFileSync(join(p.root, 'stolen.part'), JSON.stringify({ url, journal: journalOf(p) }))
    renameSync(join(p.root, 'stolen.part'), join(p.root, 'stolen'))
    await expect.poll(() => existsSync(join(p.root, 'answer')), PATIENCE).toBe(true)
    const answer = JSON.parse(readFileSync(join(p.root, 'answer'), 'utf8'))
    expect(answer).toMatchObject({ taken: false, text: expect.stringMatching(/^refused: process \d+/) })
    writeFileSync(join(p.root, 'go'), '')
    expect((await done).code).toBe(0)
    const events = p.events()
    expect(events.filter(({ type }) => type === 'control')).toEqual([])
    expect(events).toContainEqual(
      expect.objectContaining({
        type: 'note',
        text: expect.stringMatching(new RegExp(`^refused: ${kind} by exitgate watch \\(we are done\\): `)),
      }),
    )
    expect(events.findLast(({ type }) => type === 'run.ended')).toMatchObject({ type: 'run.ended', ending: 'verified' })
  })
})

it('an agent with the address reads the journal of its run, but not the live events, which show what hidden tests print', async () => {
  const p = runProject()
  const agent = agentWith(
    p,
    `await wait(root + '/stolen')
const { url, journal } = JSON.parse(readFileSync(root + '/stolen', 'utf8'))
const [address, token] = url.split('/#token=')
const answer = await fetch(address + '/events?journal=' + journal, { headers: { authorization: 'Bearer ' + token } })
let heard = ''
for await (const piece of answer.body.pipeThrough(new TextDecoderStream())) {
  heard += piece
  writeFileSync(root + '/heard', heard)
  if (heard.includes('event: report')) break
}
console.log('a line that only the live page has')
await wait(root + '/seen')
writeFileSync(root + '/answer', heard)`,
  )
  const { done } = await running(p, agent)
  const watch = await serve(p.journalDir())
  writeFileSync(join(p.root, 'stolen.part'), JSON.stringify({ url: watch.url, journal: journalOf(p) }))
  renameSync(join(p.root, 'stolen.part'), join(p.root, 'stolen'))
  const own = await fetch(`http://127.0.0.1:${watch.port}/events?journal=${journalOf(p)}`, { headers: watch.bearer })
  let seen = ''
  for await (const piece of own.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    seen += piece
    if (seen.includes('a line that only the live page has')) break
  }
  expect(seen).toContain('event: live')
  writeFileSync(join(p.root, 'seen'), '')
  await expect.poll(() => existsSync(join(p.root, 'answer')), PATIENCE).toBe(true)
  expect(readFileSync(join(p.root, 'answer'), 'utf8')).toContain('event: report')
  expect(readFileSync(join(p.root, 'answer'), 'utf8')).not.toContain('event: live')
  writeFileSync(join(p.root, 'go'), '')
  expect((await done).code).toBe(0)
})

describe('over ssh', () => {
  const rows: readonly (readonly [name: string, connection: string, tunnel: RegExp | undefined])[] = [
    ['on the usual port', '192.0.2.7 50000 198.51.100.4 22', /^ssh -N -L (\d+):127\.0\.0\.1:\1 mia@198\.51\.100\.4$/],
    [
      'on another port',
      '2001:db8::7 50000 2001:db8::4 2222',
      /^ssh -N -L (\d+):127\.0\.0\.1:\1 -p 2222 mia@2001:db8::4$/,
    ],
    ['with a strange address', '1 2 $(id) 22', undefined],
    ['not at all', '', undefined],
  ]
  it.each(rows)('the page has the command for a tunnel: %s', async (_name, connection, tunnel) => {
    const p = runProject()
    const { child, done } = await p.start(['watch', '--json'], { SSH_CONNECTION: connection, USER: 'mia' })
    const [line] = await once(child.stdout!, 'data')
    child.kill('SIGTERM')
    expect((await done).code).toBe(0)
    const told = JSON.parse(String(line)) as { readonly tunnel?: string }
    expect(told.tunnel).toEqual(tunnel === undefined ? undefined : expect.stringMatching(tunnel))
  })
})

it('over ssh, the tunnel is explained after the URL', async () => {
  const { child, done } = await runProject().start(['watch'], { SSH_CONNECTION: '1 2 198.51.100.4 22', USER: 'mia' })
  let told = ''
  child.stderr?.on('data', (piece: Buffer) => {
    told += piece
    if (told.includes('Ctrl+C to stop.')) child.kill('SIGTERM')
  })
  const { code, stdout, stderr } = await done
  const [, port] = /^http:\/\/127\.0\.0\.1:(\d+)\/#token=[\w-]{43}\n$/.exec(stdout) ?? []
  expect(code).toBe(0)
  expect(stderr).toBe(`You are connected over ssh. Run this on your own computer, then open the URL there:
  ssh -N -L ${port}:127.0.0.1:${port} mia@198.51.100.4
Anyone with this URL can see and control your runs. Ctrl+C to stop.
`)
})

describe('an agent that starts the page itself', () => {
  const SHOWN = "an agent can't use exitgate watch"
  it.each([
    ['as it is', ''],
    ['without its environment', ', env: { HOME: root }'],
  ])('is refused %s', async (_name, options) => {
    const p = runProject()
    const command = JSON.stringify([await program(), 'watch', '--json'])
    const agent = agentWith(
      p,
      `try { execFileSync(process.execPath, ${command}, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe']${options} }) }
catch (error) { writeFileSync(root + '/answer', error.status + ' ' + error.stderr) }`,
    )
    writeFileSync(join(p.root, 'go'), '')
    const { done } = await running(p, agent)
    expect((await done).code).toBe(0)
    expect(readFileSync(join(p.root, 'answer'), 'utf8')).toMatch(new RegExp(`^64 .*${SHOWN}`))
  })

  it('is refused by the run even if nothing shows any more that it is the agent', async () => {
    const p = runProject()
    writeFileSync(join(p.root, 'press.mjs'), PRESS)
    const start = JSON.stringify([
      '-c',
      '"$@" </dev/null >"$HOME/stolen.part" 2>/dev/null & echo $! >"$HOME/server"; exit 0',
      'sh',
      process.execPath,
      await program(),
      'watch',
      '--json',
      '--dir',
      p.dir,
    ])
    const agent = agentWith(
      p,
      `spawn('/bin/sh', ${start}, { env: { HOME: root, EXITGATE_STATE_DIR: root + '/state' }, detached: true, stdio: 'ignore' })
let url
while (url === undefined) {
  try { url = JSON.parse(readFileSync(root + '/stolen.part', 'utf8')).url } catch { await new Promise((done) => setTimeout(done, 50)) }
}
await wait(root + '/name')
writeFileSync(root + '/stolen', JSON.stringify({ url, journal: readFileSync(root + '/name', 'utf8') }))
execFileSync(process.execPath, [root + '/press.mjs', root + '/stolen', root + '/answer', 'force'])`,
    )
    const { done } = await running(p, agent)
    writeFileSync(join(p.root, 'name.part'), journalOf(p))
    renameSync(join(p.root, 'name.part'), join(p.root, 'name'))
    await expect.poll(() => existsSync(join(p.root, 'answer')), PATIENCE).toBe(true)
    expect(JSON.parse(readFileSync(join(p.root, 'answer'), 'utf8'))).toMatchObject({
      taken: false,
      text: expect.stringMatching(/^refused: /),
    })
    writeFileSync(join(p.root, 'go'), '')
    expect((await done).code).toBe(0)
    expect(p.events().findLast(({ type }) => type === 'run.ended')).toMatchObject({
      type: 'run.ended',
      ending: 'verified',
    })
    // The run ended what its agent started; anything it missed is ended here.
    try {
      process.kill(Number(readFileSync(join(p.root, 'server'), 'utf8')))
    } catch {
      // Gone already.
    }
  })
})
