// npm run bench -- gauntlet --json | node bench/gauntlet/markdown.mjs: prints the tables of docs/internal/gauntlet.md from the
// figures on standard input.
import { text } from 'node:stream/consumers'

const figures = JSON.parse((await text(process.stdin)).trim().split('\n').at(-1))

const row = (cells) => `| ${cells.join(' | ')} |`
const mean = ({ mean, max }) => (mean === null ? '-' : `${mean} (${max})`)

function table(first, rows) {
  const head = [
    first,
    ...['scenarios', 'false completions', 'of these known', 'missed completions'],
    ...['wasted iterations, mean (max)', 'idle iterations, mean (max)', 'own ms'],
  ]
  const body = rows.map((each) => [
    each.system,
    each.scenarios,
    each.falseCompletions,
    each.falseAllowed,
    each.missed,
    mean(each.wasted),
    mean(each.idle),
    each.overheadMs ?? '-',
  ])
  return [row(head), row(head.map(() => '---')), ...body.map(row)].join('\n')
}

const misses = figures.misses.map(
  ({ class: group, scenario, fault, ending }) => `- ${fault}: *${scenario}* (${group}), ended as \`${ending}\``,
)
const left = [
  ...figures.skipped.map(({ scenario, missing }) => `- *${scenario}*: \`${missing}\` was not installed`),
  ...figures.absent.map(({ name, missing }) => `- ${name}: ${missing}`),
]

console.log(
  [
    table('system', figures.table),
    table('`exitgate default`, class', figures.classes),
    misses.length === 0 ? '`exitgate default` made no errors.' : misses.join('\n'),
    left.join('\n'),
  ].join('\n\n'),
)
