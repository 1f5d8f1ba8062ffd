import { existsSync, mkdirSync, readFileSync, rmSync, statSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { isGone } from '../is-gone.ts'
import { onLinux, place, program, run } from './agent-calls.ts'

const node = process.execPath

describe('an agent that exits', () => {
  const codes: [code: number, problem: string | undefined][] = [
    [0, undefined],
    [1, 'it exited with code 1'],
    [7, 'it exited with code 7'],
    [126, 'it exited with code 126'],
    [127, 'it exited with code 127'],
    [255, 'it exited with code 255'],
  ]
  it.each(codes)('with code %i', async (code, problem) => {
    const { result, transcript, kept, shown } = await run(place(), `echo All done.; echo careful >&2; exit ${code}`)
    expect(result).toMatchObject({ code, ended: 'exit', bytes: 10, leftBehind: 0, finished: true, problems: [] })
    expect(result.problem).toBe(problem)
    expect(result.signal).toBeUndefined()
    expect(result).toMatchObject({ file: 'transcripts/r1/1.1.out', stderr: 'careful', format: 'text' })
    expect(transcript.final).toBe('All done.\n')
    expect([kept('out'), kept('err'), shown]).toEqual([
      'All done.\n',
      'careful\n',
      expect.stringContaining('All done.\n'),
    ])
  })

  it.each(['SIGKILL', 'SIGTERM', 'SIGABRT'] as const)('by %s', async (name) => {
    const { result } = await run(place(), `echo said; kill -${name.slice(3)} $$`)
    expect(result).toMatchObject({ code: null, signal: name, ended: 'exit', problem: `it was killed by ${name}` })
    // A killed agent did not finish its output.
    expect(result.finished).toBe(false)
  })

  it('with an error and claims to be done', async () => {
    const { result } = await run(place(), 'echo "EXIT_STATUS: COMPLETE"; echo "REMAINING_WORK: none"; exit 1')
    expect(result).toMatchObject({ code: 1, problem: 'it exited with code 1' })
    expect(result.signals.claim).toBe(true)
  })

  it('without output', async () => {
    const { result, kept, shown } = await run(place(), 'exit 0')
    expect(result).toMatchObject({ code: 0, bytes: 0, stderr: '', problems: [] })
    expect([result.file, kept('out'), kept('err'), shown]).toEqual([undefined, undefined, undefined, ''])
  })

  it('and prints only to standard error', async () => {
    const { result, transcript, shown } = await run(place(), 'echo thinking >&2; echo "EXIT_STATUS: CONTINUE" >&2', {
      format: 'claude',
    })
    expect(transcript).toMatchObject({ format: 'text', final: 'thinking\nEXIT_STATUS: CONTINUE\n' })
    expect(result).toMatchObject({ format: 'text', file: 'transcripts/r1/1.1.err', bytes: 31 })
    expect(result.signals.claim).toBe(false)
    expect(shown).toBe('thinking\nEXIT_STATUS: CONTINUE\n')
  })

  it('and prints events', async () => {
    const said = [
      { type: 'system', subtype: 'init', session_id: 's-1' },
      { type: 'assistant', message: { content: [{ type: 'text', text: 'All done.' }] }, session_id: 's-1' },
      { type: 'result', subtype: 'success', result: 'All done.', total_cost_usd: 0.25, session_id: 's-1' },
    ]
    const lines = said.map((event) => JSON.stringify(event)).join('\n')
    const { result, shown } = await run(place(), [node, '-e', `console.log(${JSON.stringify(lines)})`])
    expect(result).toMatchObject({ format: 'claude', session: 's-1', usage: { usd: 0.25 }, finished: true })
    expect(shown).toBe('All done.\n')
  })

  it('after it closed its streams', async () => {
    const here = place()
    const { result } = await run(here, 'echo said; exec >&- 2>&-; echo worked on > later; exit 4')
    expect(result).toMatchObject({ code: 4, ended: 'exit', bytes: 5 })
    expect(existsSync(join(here.cwd, 'later'))).toBe(true)
  })

  it('and prints bytes that are not text', async () => {
    const { result, kept, transcript } = await run(place(), "printf 'a\\377\\300b\\n'")
    expect(result).toMatchObject({ code: 0, bytes: 5, problems: [] })
    expect(kept('out')).toBe('a\xff\xc0b\n')
    expect(transcript.final).toBe('a\ufffd\ufffdb\n')
  })

  it.each([
    ['another folder', 'cd /; pwd; exit 3', '/\n'],
    ['a folder that it deletes', 'rm -rf "$PWD"; echo gone; exit 3', 'gone\n'],
  ])('in %s', async (_name, script, out) => {
    const { result, kept } = await run(place(), script)
    expect([result.code, result.problems, kept('out')]).toEqual([3, [], out])
  })
})

describe('an agent gets', () => {
  it('its environment, the mark of exitgate, and nothing else', async () => {
    const script =
      'process.stdout.write(Object.keys(process.env).filter((name) => !name.startsWith("__")).sort().join())'
    const { kept } = await run(place(), [node, '-e', script], {
      env: { PATH: '/bin', ONE: '1', EXITGATE_CHECK: 'mine' },
    })
    expect(kept('out')).toBe('EXITGATE_CHECK,ONE,PATH')
  })

  it('its own process group and session, without our terminal', async ({ skip }) => {
    skip(!onLinux, 'groups and sessions are read from /proc')
    const script = 'cut -d" " -f1,5-7 /proc/self/stat; echo $$'
    const { kept, marks } = await run(place(), script)
    const [stat, shell] = kept('out')!.trim().split('\n')
    const [, group, session, terminal] = stat!.split(' ')
    expect([group, session, terminal]).toEqual([shell, shell, '0'])
    expect(marks.map(({ pid }) => String(pid))).toEqual([shell])
  })

  const prompts: [name: string, script: string, stdin: string | undefined, code: number, out: string][] = [
    ['is sent to its standard input', 'cat', 'größer\n', 0, 'größer\n'],
    ['is empty', 'cat; echo end', '', 0, 'end\n'],
    ['is absent', 'cat; echo end', undefined, 0, 'end\n'],
    ['is very long', 'wc -c | tr -d " "', 'x'.repeat(5_000_000), 0, '5000000\n'],
    ['is very long and not read', 'echo end; exit 5', 'x'.repeat(5_000_000), 5, 'end\n'],
    ['is very long, with standard input closed', 'exec <&-; echo end; exit 5', 'x'.repeat(5_000_000), 5, 'end\n'],
  ]
  it.each(prompts)('a prompt that %s', async (_name, script, stdin, code, out) => {
    const { result, kept } = await run(place(), script, stdin === undefined ? {} : { stdin })
    expect(result).toMatchObject({ code, ended: 'exit' })
    expect(Buffer.from(kept('out')!, 'latin1').toString()).toBe(out)
  })
})

describe('an agent that cannot start', () => {
  const rows: [name: string, argv: (here: ReturnType<typeof place>) => string[], problem: RegExp][] = [
    ['the program does not exist', () => ['exitgate-no-such', 'x'], /^exitgate-no-such was not found$/],
    ['the file is not executable', (here) => [program(here, 'plain', 'text', 0o644)], /plain is not executable$/],
    ['its interpreter is missing', (here) => [program(here, 'odd', '#!/no/such/one\n')], /odd was not found$/],
    ['it is a folder', (here) => [here.dir], /is not executable$/],
    ['the command is empty', () => [], /^the command is empty$/],
    ['an argument contains a null byte', () => ['echo', 'a\0b'], /null bytes/],
    ['the command line is too long', () => ['echo', 'x'.repeat(4_000_000)], /^the command line of echo is longer than/],
    [
      'its working directory is gone',
      (here) => {
        rmSync(here.cwd, { recursive: true })
        return ['echo', 'x']
      },
      /^the folder .*work does not exist$/,
    ],
  ]
  it.each(rows)('%s', async (_name, argv, problem) => {
    const here = place()
    const { result, marks, transcript } = await run(here, argv(here))
    expect(result).toMatchObject({ code: null, ended: 'not-started', bytes: 0, finished: false, leftBehind: 0 })
    expect(result.problem).toMatch(problem)
    expect([marks, transcript.final]).toEqual([[], ''])
  })

  it('it was cancelled before it started', async () => {
    const { result, marks } = await run(place(), 'echo x', {}, { signal: AbortSignal.abort() })
    expect(result).toMatchObject({ code: null, ended: 'aborted', problem: 'it was cancelled before it started' })
    expect(marks).toEqual([])
  })

  it('its start cannot be recorded: the process is killed', async () => {
    const here = place()
    let pid = 0
    const running = run(
      here,
      'sleep 600',
      {},
      {
        onStart(mark) {
          pid = mark.pid
          throw new Error('the journal is full')
        },
      },
    )
    await expect(running).rejects.toThrow('the journal is full')
    await expect.poll(() => isGone(pid)).toBe(true)
  })
})

describe('callbacks', () => {
  it('that throw do not stop the agent', async () => {
    const onText = () => {
      throw new Error('no screen')
    }
    const { result } = await run(place(), 'echo one; echo two', {}, { onText })
    expect(result).toMatchObject({ code: 0, bytes: 8 })
    expect(result.problems).toEqual(["The agent's output could not be shown: no screen."])
  })

  it('get the pid before any output', async () => {
    const order: string[] = []
    const started = run(
      place(),
      'echo x',
      {},
      {
        onStart: () => order.push('started'),
        onText: () => order.push('heard'),
      },
    )
    // The callback is synchronous, so that a crash right after the start finds it recorded.
    order.push('called')
    await started
    expect(order).toEqual(['started', 'called', 'heard'])
  })
})

describe('the beginning and the end of standard error', () => {
  it('is short, without control characters and without secrets', async () => {
    const key = ['sk', 'ant', 'a'.repeat(30)].join('-')
    const script = `for (let i = 0; i < 5000; i++) console.error('line ' + i); console.error('\\x1b[31m${key} MY_VALUE')`
    const { result } = await run(place(), [node, '-e', script.replace('MY_VALUE', 'own-secret-value')], {
      env: { OWN_TOKEN: 'own-secret-value' },
    })
    expect(result.stderr.split('\n')).toHaveLength(20)
    expect(result.stderr).toMatch(/^line 0\nline 1\nline 2\nline 3\nline 4\n\.\.\.\nline 4987\n/)
    expect(result.stderr).toMatch(/line 4999\n\[redacted\] \[redacted\]$/)
  })
})

describe('transcripts on the disk', () => {
  it('are readable only by the user', async () => {
    const here = place()
    await run(here, 'umask 0; echo x; echo y >&2')
    const mode = (path: string) => (statSync(path).mode & 0o777).toString(8)
    const folder = join(here.transcripts, 'r1')
    expect([mode(folder), mode(join(folder, '1.1.out')), mode(join(folder, '1.1.err'))]).toEqual(['700', '600', '600'])
  })

  it('that the agent deletes are reported once, and the agent continues', async () => {
    const here = place()
    const script = `echo one; echo two >&2; until [ -e "$T/r1/1.1.out" ]; do sleep 0.05; done; rm -rf "$T"; echo three; exit 2`
    const { result, transcript } = await run(here, script, { env: { PATH: process.env.PATH!, T: here.transcripts } })
    expect(result).toMatchObject({ code: 2, ended: 'exit' })
    expect(transcript.final).toBe('one\nthree\n')
    expect(result.problems).toEqual([
      expect.stringMatching(/^The agent's output could not be saved to .*1\.1\.out: the file was deleted/),
    ])
  })

  it('that cannot be written are reported once, and the agent continues', async () => {
    const here = place()
    mkdirSync(join(here.dir, 'state'))
    program(here, 'state/transcripts', 'a file')
    const { result, transcript } = await run(here, 'echo one; echo two >&2; echo three')
    expect(transcript.final).toBe('one\nthree\n')
    expect(result.code).toBe(0)
    expect(result.problems).toEqual([expect.stringMatching(/^The agent's output could not be saved to /)])
  })

  it('replace a symlink that the agent put there, without following it', async () => {
    const here = place()
    const target = program(here, 'target', 'precious')
    mkdirSync(join(here.transcripts, 'r1'), { recursive: true })
    symlinkSync(target, join(here.transcripts, 'r1', '1.1.out'))
    const { result, kept } = await run(here, 'echo x')
    expect([result.problems, kept('out'), readFileSync(target, 'utf8')]).toEqual([[], 'x\n', 'precious'])
  })
})
