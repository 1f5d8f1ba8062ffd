import { readdirSync, readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { insideAgent } from '../../src/hooks/inside-agent.ts'
import { patience } from '../timing.ts'
import { CLAIM, runProject, WORK } from './run-project.ts'

/** A server that keeps the alerts it gets. */
async function receiver() {
  const got: { readonly path: string; readonly alert: Readonly<Record<string, unknown>> }[] = []
  const waiting: (() => void)[] = []
  let held: Promise<void> | undefined
  const server = createServer((request, response) => {
    let body = ''
    request.setEncoding('utf8').on('data', (chunk: string) => {
      body += chunk
    })
    request.on('end', () => {
      got.push({ path: request.url ?? '', alert: JSON.parse(body) })
      void Promise.resolve(held).then(() => response.writeHead(204).end())
      for (const wake of waiting.splice(0)) wake()
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  return {
    address: `http://127.0.0.1:${port}`,
    got,
    /** Answers nothing until the returned function is called. */
    hold(): () => void {
      let release = (): void => {}
      held = new Promise((resolve) => {
        release = resolve
      })
      return release
    },
    events: () => got.map(({ alert }) => alert.event),
    async next(): Promise<void> {
      const before = got.length
      while (got.length === before) await new Promise<void>((resolve) => waiting.push(resolve))
    },
  }
}

/** Out of quota at its first start, done at its second. */
const LIMITED = `if [ ! -e "$HOME/again" ]; then
  : > "$HOME/again"
  echo '{"type":"system","subtype":"init","session_id":"s"}'
  echo '{"type":"rate_limit_event","rate_limit_info":{"status":"rejected","resetsAt":'$(($(date +%s) + 7200))'}}'
  echo '{"type":"result","subtype":"success","is_error":true,"api_error_status":429,"result":"Usage limit reached","session_id":"s"}'
  exit 1
fi
${WORK}${CLAIM}`

it('alerts while the run waits and when it ends; the address is in no file', {
  timeout: patience(60_000),
}, async () => {
  const { address, got, events, next } = await receiver()
  const config = (webhook: string) => JSON.stringify({ run: { notify: { webhook } } })
  const secret = '/hook/0123456789abcdef'
  const project = runProject({ 'exitgate.config.json': config(`${address}${secret}`), '.gitignore': '*.json\n' })
  const agent = project.agent(LIMITED)

  const first = await project.start(['run', '--json', '--', ...agent])
  await next()
  expect(got[0]).toMatchObject({
    path: secret,
    alert: { event: 'waiting', text: expect.stringMatching(/^Waiting until [\d-]+ [\d:]+: the provider's rate limit/) },
  })
  first.child.kill('SIGINT')
  const stopped = await first.done
  expect(events()).toEqual(['waiting', 'end'])
  expect(got[1]?.alert).toMatchObject({ outcome: 'interrupted', workspace: 'work' })

  // The agent could have changed the file.
  project.write('exitgate.config.json', config(`${address}/elsewhere`))
  const resumed = await project.start(['run', '--resume', '--json'])
  resumed.child.stdout?.on('data', (text: Buffer) => {
    if (text.includes('"waiting"')) resumed.child.kill('SIGINT')
  })
  const second = await resumed.done
  expect(second.stdout).toContain('run.notify.webhook')
  expect(got.filter(({ path }) => path !== secret)).toEqual([])

  const shown = await project.run(['config', 'run.notify'])
  const journal = readdirSync(project.journalDir(), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'utf8'))
  for (const text of [stopped.stdout, stopped.stderr, second.stdout, second.stderr, shown.stdout, ...journal]) {
    expect(text).not.toContain('0123456789abcdef')
    expect(text).not.toContain('/elsewhere')
  }
  expect(shown.stdout).toContain('[redacted ')
})

it('a run that has ended refuses controls while its alert is being sent', { timeout: patience(60_000) }, async ({
  skip,
}) => {
  skip(
    insideAgent(process.env, process.pid) !== undefined,
    'these tests were started by an agent, whose commands are refused',
  )
  const { address, events, next, hold } = await receiver()
  const release = hold()
  const project = runProject({
    'exitgate.config.json': JSON.stringify({ run: { notify: { webhook: address } } }),
    '.gitignore': '*.json\n',
  })
  const args = ['--json', '--allow-remote-control', '--accept-failing', '--max-iterations', '1']
  const run = await project.start(['run', ...args, '--', ...project.agent('echo Still at it.')])
  await next()
  expect(events()).toEqual(['end'])
  const forced = await project.run(['force', '--reason', 'too late'])
  release()
  expect(forced).toMatchObject({ code: 64, stderr: expect.stringContaining('The run has already ended') })
  expect((await run.done).code).toBe(2)
  expect(project.events().filter(({ type }) => type === 'control')).toEqual([])
})
