import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { type LoopFigures, run } from '../../bench/loops.mjs'
import * as core from '../../src/library/core.ts'
import * as node from '../../src/library/node.ts'
import { withCorpora } from './corpus-folder.ts'

const api = { ...core, ...node }

interface Iteration {
  readonly text: string
  readonly turns?: number
  readonly files?: number
  readonly denials?: number
  readonly error?: boolean
  readonly sig?: string
}

const block = (signal: boolean, status: string, files: number) =>
  `\n\n---RALPH_STATUS---\nSTATUS: ${status}\nFILES_MODIFIED: ${files}\nEXIT_SIGNAL: ${signal}\n---END_RALPH_STATUS---\n`

const loop = (label: string, iterations: readonly Iteration[], more: object = {}) => ({
  id: label,
  source: label,
  label,
  idle_spans_computed: [],
  first_exit_signal: null,
  ...more,
  steps: iterations.map(({ text, turns = 9, files, denials = 0, error = false, sig = 'work' }, at) => ({
    i: at,
    ts: `2026-01-05T08:${String(at).padStart(2, '0')}:00`,
    num_turns: turns,
    duration_ms: 1000,
    permission_denials: denials,
    is_error: error,
    status: files === undefined ? null : { FILES_MODIFIED: String(files) },
    sig,
    text,
  })),
})
const times = (n: number, each: Iteration): readonly Iteration[] => Array.from({ length: n }, () => each)
const working = times(6, { text: `Wrote one more page.${block(false, 'IN_PROGRESS', 2)}`, files: 2, denials: 1 })

/** What happened, and in which iteration (counted from the first lost one) and by which rule it is stopped. */
const loops: readonly (readonly [ReturnType<typeof loop>, wasted: number | null, rule: string | undefined])[] = [
  [loop('healthy_progress', working), null, undefined],
  [
    loop(
      'done_loop_not_stopped',
      [...working, ...times(6, { text: `All pages stand.${block(true, 'COMPLETE', 0)}` })],
      {
        first_exit_signal: 6,
      },
    ),
    2,
    'unverifiable',
  ],
  [
    loop(
      'blocked_on_permission',
      times(5, { text: 'Could you please grant write access to the folder?', denials: 2, sig: 'blocked' }),
    ),
    1,
    'asks-permission',
  ],
  [
    loop('waiting_on_human', times(5, { text: 'The site is ready, only the key is missing.', turns: 1 }), {
      idle_spans_computed: [[0, 4]],
    }),
    3,
    'breaker-open',
  ],
  [
    loop('rate_limited_spin', [
      ...working,
      ...times(9, {
        text: "You've hit your limit · resets 6pm (Europe/Paris)",
        turns: 1,
        error: true,
        sig: 'limit_or_api_error',
      }),
    ]),
    0,
    'provider',
  ],
]

const session = (looped: boolean, commands: readonly string[]) => ({
  id: commands.join(' '),
  source: 'a:b',
  task: commands[0],
  looped_by_rule: looped,
  steps: commands.map((command) => ({
    action: command,
    action_sha: command,
    obs_sha: `of ${command}`,
    obs_tail: 'ok',
  })),
})

const silent = () => {}
const bench = (files: Readonly<Record<string, readonly object[]>>, file = '') =>
  withCorpora(files, (folder) => run({ corpus: join(folder, file), print: silent, api }))

describe('loops', () => {
  it.each(loops.map((each) => [each[0].label, ...each] as const))('%s', async (_, row, wasted, rule) => {
    const { 'ralph-loops': figures } = await bench({ 'ralph-loops.jsonl': [row] })
    expect(figures?.labels).toEqual([
      expect.objectContaining({ label: row.label, wasted, rules: rule === undefined ? {} : { [rule]: 1 } }),
    ])
  })

  it('separates lost runs from good ones, for each preset and each threshold', async () => {
    const figures = (await bench({ 'ralph-loops.jsonl.gz': loops.map(([row]) => row) }))['ralph-loops']
    const of = (rows: LoopFigures['presets'], title: string) => rows?.find((row) => row.title === title)
    expect(of(figures?.thresholds, 'current')).toMatchObject({ lost: 4, caught: 4, good: 1, falseStops: 0, wasted: 6 })
    expect(of(figures?.thresholds, 'breaker.denials: 2')).toMatchObject({ falseStops: 1 })
    expect(of(figures?.thresholds, 'asking: 4')).toMatchObject({ caught: 4, wasted: 8 })
    expect(of(figures?.presets, 'default')).toMatchObject({ caught: 4, falseStops: 0 })
    expect(figures?.presets?.map(({ title }) => title)).toEqual(Object.keys(api.PRESETS))
  })

  it('steps: the same command with the same answer is no progress, others are', async () => {
    const rows = [
      session(true, ['ls', 'cat a', 'make', 'make', 'make', 'make', 'make']),
      session(true, ['edit', 'x', 'y', 'x', 'y', 'x', 'y', 'x']),
      session(false, ['ls', 'cat a', 'cat b', 'make', 'edit', 'make test', 'submit']),
    ]
    const { 'step-loops': figures } = await bench({ 'step-loops.jsonl': rows })
    expect(figures?.labels).toEqual([
      expect.objectContaining({ label: 'control', stopped: 0, falseStops: 0 }),
      expect.objectContaining({ label: 'looped', stopped: 2, wasted: 2, rules: { 'breaker-open': 1, oscillation: 1 } }),
    ])
  })

  const absent: readonly (readonly [string, string | undefined, readonly RegExp[]])[] = [
    ['no corpus', undefined, [/^ {2}ralph-loops, step-loops: no corpus\. Pass --corpus PATH, a folder/]],
    [
      'a folder without it',
      '',
      [/^ {2}ralph-loops: the folder of --corpus has no ralph-loops\.jsonl/, /^ {2}step-loops: the folder/],
    ],
    [
      'a file of other rows',
      'other.jsonl',
      [
        /^ {2}ralph-loops: other\.jsonl is not a ralph-loops corpus/,
        /^ {2}step-loops: other\.jsonl is not a step-loops corpus/,
      ],
    ],
  ]
  it.each(absent)('absent: %s', async (_, file, sentences) => {
    const printed: string[] = []
    const figures = await withCorpora({ 'other.jsonl': [{ text: 'x' }] }, (folder) =>
      run({
        corpus: file === undefined ? undefined : join(folder, file),
        print: (line = '') => printed.push(line),
        api,
      }),
    )
    expect(figures).toEqual({ 'ralph-loops': { corpus: 'absent' }, 'step-loops': { corpus: 'absent' } })
    expect(printed).toEqual(sentences.map((sentence) => expect.stringMatching(sentence)))
  })

  it('a file may have any name, because its rows identify it', async () => {
    const { 'ralph-loops': figures } = await bench({ 'mine.jsonl': loops.map(([row]) => row) }, 'mine.jsonl')
    expect(figures?.rows).toBe(loops.length)
  })
})
