import { openCorpus } from './corpus.mjs'
import { round } from './median.mjs'
import { auc, aucWithin, bootstrap, groupsOf, wilson } from './statistics.mjs'
import { BELIEVED, MEASURES, seenBy } from './text-measures.mjs'

export const name = 'text'
export const about = 'how well the text of an ending predicts whether the work was done, compared with hidden tests'
export const corpora = ['agent-outcomes']

/** Smaller groups are in the totals but have no row of their own. */
const SMALLEST = 30

const isEnding = (row) => typeof row.resolved === 'boolean' && typeof row.task === 'string' && 'final_text' in row

export async function run({ corpus, print, api: given }) {
  const api = given ?? (await import('./library.mjs'))
  const { rows, absent } = openCorpus(corpus, corpora[0], isEnding)
  if (absent !== undefined) {
    print(`  ${corpora[0]}: ${absent}`)
    return { corpus: 'absent' }
  }
  const endings = rows
    .filter(({ ended }) => ended === undefined || ended === 'voluntary')
    .map((row) => ({
      task: row.task,
      group: [row.agent, row.benchmark].filter(Boolean).join(', '),
      truth: row.resolved,
      seen: { ...seenBy(api, row.final_text ?? ''), guess: row.claim_keyword_estimate },
    }))
  const tasks = new Set(endings.map(({ task }) => task)).size
  print(
    `  ${endings.length} endings the agent chose itself (of ${rows.length}), ${tasks} tasks; 95 % intervals, drawn by task`,
  )
  const measures = printMeasures(endings, print)
  const reliability = printReliability(api, endings, print)
  const believed = printBelieved(endings, print)
  const groups = printGroups(endings, print)
  const conclusion = conclusionOf(measures, believed)
  print(`  ${conclusion}`)
  return { endings: endings.length, tasks, measures, reliability, believed, groups, conclusion }
}

const percent = (share) => (share === undefined ? '-' : `${Math.round(share * 100)}`)
const span = (interval) => (interval === undefined ? '' : `${percent(interval[0])}-${percent(interval[1])}`)
const byTask = ({ task }) => task
const scored = (endings, measure) =>
  endings.map(({ task, group, truth, seen }) => ({ task, group, truth, score: measure(seen) }))

/**
 * AUC over all pairs, and over pairs of one agent and benchmark only. Between groups the difficulty of the tasks dominates, not the
 * text.
 */
function printMeasures(endings, print) {
  print('\n  AUC in percent: how often a resolved ending scores above an unresolved one (50 is chance)')
  print(
    `  ${'measure'.padEnd(26)}${'all pairs'.padStart(10)}${'95 %'.padStart(9)}${'same group'.padStart(12)}${'95 %'.padStart(9)}`,
  )
  return MEASURES.map(({ title, of }) => {
    const rows = scored(endings, of)
    const figure = {
      title,
      auc: auc(rows),
      interval: bootstrap(rows, byTask, auc),
      within: aucWithin(rows, ({ group }) => group),
      withinInterval: bootstrap(rows, byTask, (drawn) => aucWithin(drawn, ({ group }) => group)),
    }
    print(
      `  ${title.padEnd(26)}${percent(figure.auc).padStart(10)}${span(figure.interval).padStart(9)}${percent(figure.within).padStart(12)}${span(figure.withinInterval).padStart(9)}`,
    )
    return rounded(figure)
  })
}

/** Calibration of the confidences. Always predicting the base rate is the reference. */
function printReliability(api, endings, print) {
  const base = endings.filter(({ truth }) => truth).length / endings.length
  const rows = [
    { title: 'always the base rate', forecasts: endings.map(({ truth }) => ({ p: base, y: truth ? 1 : 0 })) },
    ...MEASURES.filter((measure) => measure.percent).map(({ title, of }) => ({
      title,
      forecasts: endings.map(({ truth, seen }) => ({ p: of(seen) / 100, y: truth ? 1 : 0 })),
    })),
  ]
  print(`\n  calibration of the confidences; ${percent(base)} % of the endings were resolved`)
  print(
    `  ${'measure'.padEnd(26)}${'Brier'.padStart(8)}${'ECE'.padStart(8)}  predicted percent: actual percent (endings), in ten bins`,
  )
  return rows.map(({ title, forecasts }) => {
    const brier = round(api.brierScore(forecasts), 3)
    const ece = round(api.calibrationError(forecasts), 3)
    const bins = api.reliability(forecasts)
    const shown = bins.map(({ said, was, n }) => `${percent(said)}: ${percent(was)} (${n})`).join(', ')
    print(`  ${title.padEnd(26)}${brier.toFixed(3).padStart(8)}${ece.toFixed(3).padStart(8)}  ${shown}`)
    return {
      title,
      brier,
      ece,
      bins: bins.map(({ said, was, n }) => ({ said: round(said, 3), was: round(was, 3), n })),
    }
  })
}

const falseShare = (rows) => (rows.length === 0 ? undefined : rows.filter(({ truth }) => !truth).length / rows.length)

function printBelieved(endings, print) {
  print('\n  false among those one would believe')
  print(
    `  ${'believed when'.padEnd(28)}${'endings'.padStart(9)}${'false, %'.padStart(10)}${'95 %'.padStart(9)}${'missed, %'.padStart(11)}`,
  )
  const done = endings.filter(({ truth }) => truth).length
  return BELIEVED.map(({ title, when }) => {
    const believed = endings.filter(({ seen }) => when(seen))
    const right = believed.filter(({ truth }) => truth).length
    const figure = {
      title,
      believed: believed.length,
      false: falseShare(believed),
      interval: believed.length === 0 ? undefined : bootstrap(believed, byTask, falseShare),
      missed: done === 0 ? undefined : 1 - right / done,
    }
    print(
      `  ${title.padEnd(28)}${String(figure.believed).padStart(9)}${percent(figure.false).padStart(10)}${span(figure.interval).padStart(9)}${percent(figure.missed).padStart(11)}`,
    )
    return rounded(figure)
  })
}

const SHOWN = ['completion phrases', 'fewer trouble phrases', 'blackbox: confidence', 'length, shorter']

function printGroups(endings, print) {
  const groups = groupsOf(endings, ({ group }) => group).filter((rows) => rows.length >= SMALLEST)
  const speaks = BELIEVED[1].when
  print(
    `\n  by agent and benchmark (${SMALLEST} endings or more); false: among those with a completion phrase; then AUC in percent`,
  )
  print(
    `  ${'group'.padEnd(44)}${'endings'.padStart(8)}${'resolved, %'.padStart(12)}${'speak'.padStart(7)}${'false, %'.padStart(9)}${'95 %'.padStart(8)}  ${SHOWN.join(' | ')}`,
  )
  return groups
    .sort((one, two) => two.length - one.length)
    .map((rows) => {
      const said = rows.filter(({ seen }) => speaks(seen))
      const wrong = said.filter(({ truth }) => !truth).length
      const figure = {
        group: rows[0].group,
        endings: rows.length,
        resolved: 1 - falseShare(rows),
        said: said.length,
        false: falseShare(said),
        interval: wilson(wrong, said.length),
        auc: SHOWN.map((title) => auc(scored(rows, MEASURES.find((each) => each.title === title).of))),
      }
      print(
        `  ${figure.group.slice(0, 43).padEnd(44)}${String(rows.length).padStart(8)}${percent(figure.resolved).padStart(12)}${String(said.length).padStart(7)}${percent(figure.false).padStart(9)}${span(figure.interval).padStart(8)}  ${figure.auc.map(percent).join(' | ')}`,
      )
      return rounded(figure)
    })
}

/** One sentence from the figures. */
function conclusionOf(measures, believed) {
  const ours = measures.filter(({ title, within }) => !title.startsWith('the corpus') && within !== undefined)
  const [best] = ours.toSorted((one, two) => two.within - one.within)
  const [every, speak] = believed
  const found = `Of ${speak.believed} endings that report completion, ${percent(speak.false)} % were not done, compared with ${percent(every.false)} % of all`
  if (best === undefined) return `${found}.`
  const pairs = `in ${percent(best.within)} % of pairs (95 %: ${span(best.withinInterval)}; 50 is chance)`
  return `${found}. The best of ${ours.length} measures, picked after looking at these rows ("${best.title}"), ranks a resolved ending above an unresolved one of the same group ${pairs}. Text is a hint, not a proof.`
}

const rounded = (figure) => Object.fromEntries(Object.entries(figure).map(([key, value]) => [key, deep(value)]))
const deep = (value) =>
  typeof value === 'number' && !Number.isInteger(value)
    ? round(value, 4)
    : Array.isArray(value)
      ? value.map(deep)
      : value
