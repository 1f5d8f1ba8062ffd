import type { TestRun } from '../../../test-output/src/types.ts'
import type { Originals, RefutedTest } from './originals.ts'
import { casesOf, hasTitle } from './reported-tests.ts'
import { titleOf, wordsOf } from './test-names.ts'
import type { JudgedTest } from './without.ts'

/**
 * What run C shows, limited by run B: a test that only records what the code does now is red without the change too. So a changed
 * version of a refuted test proves only a value that the user named, and one that failed before only if its original passes.
 */
export function limitedBy(
  judged: readonly JudgedTest[],
  originals: Originals | undefined,
  own: TestRun,
  userTexts: readonly string[],
): readonly JudgedTest[] {
  const refuted = originals?.refuted ?? []
  if (failsUnnamed(originals?.run))
    return judged.map((each) =>
      each.judgement === 'proves' ? { test: each.test, judgement: 'could-not-run', why: UNNAMED } : each,
    )
  if (refuted.length === 0) return judged
  const said = userTexts.join('\n')
  return judged.map((each) => {
    if (each.judgement !== 'proves') return each
    const old = refuted.find((one) => isSuccessor(each, one, own))
    if (
      old === undefined ||
      (old.is === 'helped' && old.isUnclear) ||
      (old.is === 'changed' && (old.successor?.entered ?? []).some((value) => names(said, value)))
    )
      return each
    return { test: each.test, judgement: 'could-not-run', why: REASONS[old.is] }
  })
}

const UNNAMED = 'an original test fails, and the report does not name it'

/** It may be one of those that count as proof now. */
const failsUnnamed = (run: TestRun | undefined): boolean =>
  run !== undefined && run.failed > 0 && (run.tests ?? []).length === 0

const REASONS: Readonly<Record<RefutedTest['is'], string>> = {
  helped: 'its original passes only with other files of this change',
  adapted: 'it expects the same as before',
  changed: 'its expected value was changed, and the task does not name the new one',
  unread: 'its original fails, and what it expects could not be read',
  lost: 'its original fails, and it checks less',
  'still-failing': 'it failed before, and its original still fails',
}

function isSuccessor({ test }: JudgedTest, { name, file, successor }: RefutedTest, own: TestRun): boolean {
  // A row of a table may stand for any other row of it.
  if (successor?.name !== undefined && successor.file === test.file)
    if (hasTitle(test.name, { name: titleOf(successor.name) })) return true
  return casesOf(own, test).some((one) => one.name === name && (one.file === undefined || one.file === file))
}

const SHORTEST_PATTERN = 8

/** The text that a regular expression without operators stands for. */
function textOf(value: string): string {
  const body = /^\/\^?(.+?)\$?\/[a-z]*$/.exec(value)?.[1] ?? ''
  return body.length < SHORTEST_PATTERN || /(?<!\\)[.*+?|[\](){}]/.test(body) ? value : body.replace(/\\(.)/g, '$1')
}

/** Whether the user's words contain a value, as a whole word or quoted. */
function names(said: string, literal: string): boolean {
  const value = textOf(literal)
  if (/^\p{L}+$/u.test(value))
    return wordsOf(said).includes(value.toLowerCase()) && !/^(?:true|false|null|none|nil)$/i.test(value)
  const [number] = /^\d+(?:\.\d+)?$/.exec(value) ?? []
  if (number !== undefined)
    return (said.match(/(?<![\p{L}\p{N}.])\d+(?:\.\d+)?(?![\p{L}\p{N}])/gu) ?? []).some(
      (each) => Number(each) === Number(number),
    )
  const at = value.trim() === '' ? -1 : said.indexOf(value)
  const isWord = (char: string | undefined) => char !== undefined && /[\p{L}\p{N}]/u.test(char)
  return at >= 0 && !isWord(said[at - 1]) && !isWord(said[at + value.length])
}
