import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { readCorpus } from './tampering-corpus.mjs'

export const name = 'tampering'
export const about =
  'weakened tests found in a corpus of tampered and legitimate diffs; the goal is recall 99 % and no false block'

const own = fileURLToPath(new URL('../tests/golden/tampering', import.meta.url))

export async function run({ corpus, print }) {
  const { findTampering } = await import('./library.mjs')
  const folder = corpus ?? own
  const parts = ['open', 'held-back'].map((part) => join(folder, part)).filter(existsSync)
  const figures = {}
  print('  part         tampered  found  recall  legitimate  blocked')
  for (const part of parts.length > 0 ? parts : [folder]) {
    const cases = []
    for (const each of readCorpus(part)) {
      const findings = await findTampering(each.before, each.after)
      cases.push({ ...each, blocked: findings.some(({ severity }) => severity === 'block') })
    }
    const tampered = cases.filter((each) => each.tampered)
    const legitimate = cases.filter((each) => !each.tampered && !each.weaker)
    const missed = tampered.filter((each) => !each.blocked).map(({ id }) => id)
    const falseBlocks = legitimate.filter((each) => each.blocked).map(({ id }) => id)
    const recall = Math.round((1 - missed.length / tampered.length) * 1000) / 10
    const title = part.split('/').at(-1)
    figures[title] = {
      tampered: tampered.length,
      missed: missed.length,
      recall,
      legitimate: legitimate.length,
      falseBlocks: falseBlocks.length,
    }
    print(
      `  ${title.padEnd(12)} ${String(tampered.length).padStart(8)} ${String(tampered.length - missed.length).padStart(6)} ${`${recall} %`.padStart(7)} ${String(legitimate.length).padStart(11)} ${String(falseBlocks.length).padStart(8)}`,
    )
    for (const id of missed) print(`    missed: ${id}`)
    for (const id of falseBlocks) print(`    blocked though legitimate: ${id}`)
  }
  return figures
}
