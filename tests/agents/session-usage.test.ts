import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { codexSandboxError, codexSessionUsage } from '../../packages/exitgate/src/agents/codex-session.ts'
import { unenforced } from '../../packages/exitgate/src/agents/limit-warnings.ts'
import { MessageUsage } from '../../packages/exitgate/src/agents/message-usage.ts'
import {
  type ReportedUsage,
  type SessionUsage,
  usageOfStart,
} from '../../packages/exitgate/src/agents/session-usage.ts'

type Ended = Parameters<typeof unenforced>[0]['ended']

/** What each start of one session used, and what its agent reports. */
interface Row {
  readonly about: string
  readonly starts: readonly (readonly [report: ReportedUsage, tokens: number | undefined, usd?: number])[]
}

const rows: readonly Row[] = [
  {
    about: 'an agent that reports the total of the session, with the tokens of its messages',
    starts: [
      [{ tokens: 3030, shown: 3002, usd: 0.3 }, 3030, 0.3],
      [{ tokens: 12_120, shown: 9002, usd: 1.2 }, 9090, 0.9],
      [{ tokens: 12_130, shown: 8, usd: 1.3 }, 10, 0.1],
    ],
  },
  {
    about: 'an agent that reports each start by itself, with the tokens of its messages',
    starts: [
      [{ tokens: 3030, shown: 3002, usd: 0.3 }, 3030, 0.3],
      [{ tokens: 9090, shown: 9002, usd: 0.9 }, 9090, 0.9],
      [{ tokens: 10, shown: 8, usd: 0.1 }, 10, 0.1],
    ],
  },
  {
    about: 'the total of the session, without the tokens of messages',
    starts: [
      [{ tokens: 3030 }, 3030],
      [{ tokens: 15_150 }, 12_120],
    ],
  },
  {
    about: 'a total that started again',
    starts: [
      [{ tokens: 3030 }, 3030],
      [{ tokens: 500 }, 500],
    ],
  },
  {
    about: 'a start that was ended, and its tokens are not in the next total',
    starts: [
      [{ tokens: 3030, shown: 3002, usd: 0.3 }, 3030, 0.3],
      [{ tokens: 3001, shown: 3001, usd: 0.31 }, 3001, 0.31],
      [{ tokens: 12_120, shown: 9002, usd: 1.2 }, 9090, 0.9],
    ],
  },
  {
    about: 'a start that was ended, and its tokens are in the next total',
    starts: [
      [{ tokens: 3030, shown: 3002, usd: 0.3 }, 3030, 0.3],
      [{ tokens: 3001, shown: 3001, usd: 0.31 }, 3001, 0.31],
      [{ tokens: 15_150, shown: 9002, usd: 1.51 }, 9119, 0.9],
    ],
  },
  {
    about: 'a start that showed nothing before it was ended',
    starts: [
      [{ tokens: 3030 }, 3030],
      [{}, undefined],
      [{ tokens: 15_150 }, 12_120],
    ],
  },
  {
    about: 'only dollars',
    starts: [
      [{ usd: 0.5 }, undefined, 0.5],
      [{ usd: 0.75 }, undefined, 0.25],
    ],
  },
]

/** Plays the starts of one session. */
function play(reports: readonly ReportedUsage[], id = 'kettle') {
  let session: SessionUsage | undefined
  return reports.map((report) => {
    const counted = usageOfStart(report, id, session)
    session = counted.session
    return counted.used
  })
}

describe('what a start used', () => {
  it.each(rows)('$about', ({ starts }) => {
    const found = play(starts.map(([report]) => report))
    expect(found.map(({ tokens }) => tokens)).toEqual(starts.map(([, tokens]) => tokens))
    for (const [at, [, , usd]] of starts.entries())
      if (usd === undefined) expect(found[at]?.usd).toBeUndefined()
      else expect(found[at]?.usd).toBeCloseTo(usd, 9)
  })

  it('is all of it in another session', () => {
    const { session } = usageOfStart({ tokens: 5 }, 'kettle', undefined)
    expect(usageOfStart({ tokens: 9 }, 'toaster', session).used).toEqual({ tokens: 9 })
    expect(usageOfStart({ tokens: 9 }, undefined, session)).toEqual({ used: { tokens: 9 }, session: undefined })
  })

  it('adds up to the last total of the session, or to all reports, whichever the agent means', () => {
    const amounts = fc.array(fc.integer({ min: 1, max: 1e6 }), { minLength: 1, maxLength: 8 })
    fc.assert(
      fc.property(amounts, fc.boolean(), (used, isTotal) => {
        let total = 0
        const reports = used.map((tokens) => {
          total += tokens
          return { tokens: isTotal ? total : tokens, shown: Math.floor(tokens * 0.99) }
        })
        const sum = play(reports).reduce((all, { tokens = 0 }) => all + tokens, 0)
        expect(Math.abs(sum - total)).toBeLessThanOrEqual(0.02 * total + used.length)
      }),
    )
  })
})

describe('a warning after a start', () => {
  const limits = { usd: 1, tokens: 1000 }
  const rows: [about: string, ended: Ended, usage: ReportedUsage, warnings: readonly (string | RegExp)[]][] = [
    ['everything is known', 'exit', { tokens: 5, usd: 0.1 }, []],
    ['no costs', 'exit', { tokens: 5 }, [/^This agent doesn't report costs/]],
    ['no costs and no tokens', 'exit', {}, [/doesn't report costs/, /doesn't report tokens/]],
    ['a cost of nothing', 'exit', { tokens: 5, usd: 0 }, [/reports a cost of \$0/]],
    ['ended early, with what it showed', 'deadline', { tokens: 5, usd: 0.1 }, []],
    [
      'ended early, without a price',
      'silence',
      { tokens: 5 },
      [/before it reported .* so --max-cost can't count that start/],
    ],
    ['ended early, with nothing', 'deadline', {}, [/so --max-cost and --max-tokens can't count that start/]],
    ['interrupted by the user', 'aborted', {}, []],
  ]
  it.each(rows)('%s', (_about, how, usage, warnings) => {
    expect(unenforced({ ended: how, usage }, limits)).toEqual(warnings.map((each) => expect.stringMatching(each)))
    expect(unenforced({ ended: how, usage }, {})).toEqual([])
  })
})

describe('the usage of messages', () => {
  const counts = (input: number, output: number) => ({ input, cachedInput: 0, output })

  it('counts each message once, also if the events of several alternate', () => {
    const usage = new MessageUsage()
    expect(usage.tokens).toBeUndefined()
    expect(usage.add('a', counts(100, 1))).toEqual(counts(100, 1))
    expect(usage.add('b', counts(50, 1))).toEqual(counts(50, 1))
    expect(usage.add('a', counts(100, 9))).toEqual(counts(0, 8))
    expect(usage.add('b', counts(50, 1))).toEqual(counts(0, 0))
    usage.add(undefined, counts(1, 0))
    usage.add(undefined, counts(1, 0))
    expect(usage.tokens).toBe(162)
  })

  it('remembers a limited number of messages', () => {
    const usage = new MessageUsage()
    for (let n = 0; n < 1000; n++) usage.add(`${n}`, counts(1, 0))
    usage.add('999', counts(1, 0))
    expect(usage.tokens).toBe(1000)
    usage.add('0', counts(1, 0))
    expect(usage.tokens).toBe(1001)
  })
})

describe('the usage in a session file of Codex', () => {
  const line = (info: unknown) => JSON.stringify({ type: 'event_msg', payload: { type: 'token_count', info } })
  const total = (input: number, cached: number, output: number) =>
    line({ total_token_usage: { input_tokens: input, cached_input_tokens: cached, output_tokens: output } })
  const files: [about: string, text: string, expected: unknown][] = [
    [
      'the last total',
      `${total(10, 0, 1)}\n${total(30, 20, 3)}\n{"type":"other"}\n`,
      { input: 10, cachedInput: 20, output: 3 },
    ],
    ['rate limits alone say nothing', `${total(10, 0, 1)}\n${line(null)}\n`, { input: 10, cachedInput: 0, output: 1 }],
    [
      'a first line that is cut off',
      `unt"},"type":"token_count"}\n${total(10, 0, 1)}`,
      { input: 10, cachedInput: 0, output: 1 },
    ],
    [
      'a last line that is cut off',
      `${total(10, 0, 1)}\n${total(30, 20, 3).slice(0, -9)}`,
      { input: 10, cachedInput: 0, output: 1 },
    ],
    ['no usage', '{"type":"session_meta"}\n', undefined],
    ['nothing', '', undefined],
    ['counts that are no numbers', line({ total_token_usage: { input_tokens: 'many', output_tokens: 2 } }), undefined],
  ]
  it.each(files)('%s', (_about, text, expected) => {
    expect(codexSessionUsage(text)).toEqual(expected)
  })
})

describe('the sandbox error in a session file of Codex', () => {
  const output = (text: string) =>
    JSON.stringify({ type: 'response_item', payload: { type: 'function_call_output', output: text } })
  const refused = output('Process exited with code 1\nOutput:\nbwrap: setting up uid map: Operation not permitted\n')
  const files: [about: string, text: string, expected: string | undefined][] = [
    ['every command failed', `${refused}\n${refused}\n`, 'bwrap: setting up uid map: Operation not permitted'],
    ['a command ran', `${refused}\n${output('Process exited with code 0\nOutput:\n')}\n`, undefined],
    ['only in the output of a command', output('Process exited with code 0\nOutput:\nsee bwrap: a program'), undefined],
    ['no command', '{"type":"session_meta"}\n', undefined],
  ]
  it.each(files)('%s', (_about, text, expected) => {
    expect(codexSandboxError(text)).toBe(expected)
  })
})
