/** Tokens and US dollars. What is absent is unknown. */
export interface Usage {
  readonly tokens?: number
  readonly usd?: number
}

/** What an agent reports at the end of one start. Its totals may include earlier starts of the session. */
export interface ReportedUsage extends Usage {
  /** The tokens of this start alone, as far as its single messages show them. */
  readonly shown?: number
}

/** What a session has used so far, in all starts that continued it. */
export interface SessionUsage extends Usage {
  readonly id: string
  /** The last total of the agent itself, if later starts were ended before they could report one. */
  readonly reported?: Usage
}

/**
 * What one start used, and the session with it. Some agents report the total of a continued session, others only what this start
 * used. The numbers tell which: the part of a report that the start's own messages don't explain comes from earlier starts. Without
 * such messages, a total is at least the last one.
 */
export function usageOfStart(
  report: ReportedUsage,
  session: string | undefined,
  before: SessionUsage | undefined,
): { readonly used: Usage; readonly session: SessionUsage | undefined } {
  const earlier = before !== undefined && before.id === session ? before : undefined
  const used = earlier === undefined ? plain(report) : since(report, includedIn(report, earlier))
  if (session === undefined) return { used, session: undefined }
  const total = plus(used, earlier)
  const reported = isOwnTotal(report)
    ? plain(report)
    : earlier === undefined
      ? undefined
      : (earlier.reported ?? plain(earlier))
  return {
    used,
    session: { id: session, ...total, ...(reported === undefined || same(reported, total) ? {} : { reported }) },
  }
}

/** A start that was ended shows no more than its messages. */
const isOwnTotal = ({ tokens, shown }: ReportedUsage): boolean => tokens !== undefined && tokens !== shown

/** The earlier usage that a report includes: all of it, none of it, or all but the starts that were ended. */
function includedIn({ tokens, usd, shown }: ReportedUsage, earlier: SessionUsage): Usage {
  const candidates: readonly Usage[] = [{ tokens: 0, usd: 0 }, ...(earlier.reported ? [earlier.reported] : []), earlier]
  if (tokens === undefined) return candidates.findLast((each) => (each.usd ?? 0) <= (usd ?? 0)) ?? {}
  const of = (each: Usage): number => each.tokens ?? 0
  if (shown === undefined) return candidates.findLast((each) => of(each) <= tokens) ?? {}
  const distance = (each: Usage): number => Math.abs(tokens - shown - of(each))
  return candidates.reduce((best, each) => (distance(each) < distance(best) ? each : best))
}

/** A start used at least what its messages show. */
function since({ tokens, usd, shown = 0 }: ReportedUsage, included: Usage): Usage {
  const { tokens: tokensBefore = 0, usd: usdBefore = 0 } = included
  return {
    ...(tokens === undefined ? {} : { tokens: Math.max(tokens - tokensBefore, shown) }),
    ...(usd === undefined ? {} : { usd: usd >= usdBefore ? usd - usdBefore : usd }),
  }
}

/** The session with what a start used that its numbers were not compared for. */
export const withUsage = (session: SessionUsage, used: Usage): SessionUsage => ({
  ...session,
  ...plus(used, session),
  reported: session.reported ?? plain(session),
})

function plus({ tokens, usd }: Usage, earlier: Usage = {}): Usage {
  return {
    ...(tokens === undefined && earlier.tokens === undefined ? {} : { tokens: (tokens ?? 0) + (earlier.tokens ?? 0) }),
    ...(usd === undefined && earlier.usd === undefined ? {} : { usd: (usd ?? 0) + (earlier.usd ?? 0) }),
  }
}

function plain({ tokens, usd }: Usage): Usage {
  return { ...(tokens === undefined ? {} : { tokens }), ...(usd === undefined ? {} : { usd }) }
}

const same = (a: Usage, b: Usage): boolean => a.tokens === b.tokens && a.usd === b.usd
