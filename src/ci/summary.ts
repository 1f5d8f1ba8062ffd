import { ANSWER_TEXT, titleOf } from '../core/policy/check-text.ts'
import { endingText, verdictSentence } from '../core/policy/ending-text.ts'
import { plain } from '../reports/verdict-text.ts'
import { type CheckedChange, isVerified } from './checked-change.ts'

const MAX_FINDINGS = 50
/** GitHub rejects summaries larger than one mebibyte. */
const MAX_CHARACTERS = 200_000

/** The verdict as Markdown for the page of a job. */
export function summary(change: CheckedChange): string {
  const { verdict, evidence, findings, base, preset, draft } = change
  const outcome = verdict.action === 'stop' ? endingText(verdict.ending) : 'not done'
  const rows = Object.values(evidence).map(
    (each) => `| ${escaped(titleOf(each))} | ${ANSWER_TEXT[each.answer]} | ${escaped(each.detail)} |`,
  )
  const lines = [
    `## exitgate: ${outcome}`,
    '',
    escaped(verdictSentence(verdict)),
    '',
    `Compared with \`${base.slice(0, 12)}\`, preset \`${preset}\`, rule \`${verdict.rule}\`. ${claimText(draft, change.number)}`,
    '',
    ...(rows.length === 0 ? ['No check ran.'] : ['| check | result | detail |', '|---|---|---|', ...rows]),
    ...section('Still needed', isVerified(change) ? [] : verdict.missing.map(escaped)),
    ...section(
      'Findings',
      findings
        .slice(0, MAX_FINDINGS)
        .map(
          ({ severity, file, line, kind, detail }) =>
            `${severity === 'block' ? '**blocks**' : 'warning'} ${escaped(file)}${line === undefined ? '' : ` line ${line}`} (${kind}): ${escaped(detail)}`,
        ),
      findings.length - MAX_FINDINGS,
    ),
  ]
  const text = `${lines.join('\n')}\n`
  return text.length <= MAX_CHARACTERS ? text : `${text.slice(0, MAX_CHARACTERS)}\n\n(cut here)\n`
}

function claimText(draft: boolean, number: number | undefined): string {
  const name = number === undefined ? 'The change' : `Pull request ${number}`
  return draft ? `${name} is a draft, so it makes no claim.` : `${name} is the claim.`
}

function section(title: string, items: readonly string[], more = 0): readonly string[] {
  if (items.length === 0) return []
  return ['', `### ${title}`, '', ...items.map((item) => `- ${item}`), ...(more > 0 ? [`- and ${more} more`] : [])]
}

/** Escapes text of the change, so that it can't become a link, an image, a table or a heading. */
function escaped(text: string): string {
  return plain(text)
    .slice(0, 2_000)
    .replaceAll('\t', ' ')
    .replace(/[&<>`*_~[\]|\\#@$]|:(?=\/\/)|(?<=www)\.|^[-+=]/gi, (mark) => `&#${mark.charCodeAt(0)};`)
}
