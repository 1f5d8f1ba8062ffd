import { plain } from '../reports/verdict-text.ts'
import { type CheckedChange, isVerified } from './checked-change.ts'

const MOST_FINDINGS = 50
/** The host refuses a summary of more than a mebibyte. */
const MOST_CHARACTERS = 200_000

/** The verdict as Markdown for the page of a job. */
export function summary(judged: CheckedChange): string {
  const { verdict, evidence, findings, base, preset, draft } = judged
  const outcome = verdict.action === 'stop' ? `${verdict.outcome}/${verdict.ending}` : 'not done'
  const rows = Object.values(evidence).map(
    ({ check, answer, detail }) => `| ${words(check)} | ${answer} | ${words(detail)} |`,
  )
  const lines = [
    `## exitgate: ${outcome}`,
    '',
    words(verdict.reason),
    '',
    `Compared with \`${base.slice(0, 12)}\`, preset \`${preset}\`, rule \`${verdict.rule}\`. ${claimWords(draft, judged.number)}`,
    '',
    ...(rows.length === 0 ? ['Nothing was gathered.'] : ['| check | answer | detail |', '|---|---|---|', ...rows]),
    ...section('Missing', isVerified(judged) ? [] : verdict.missing.map(words)),
    ...section(
      'Tests and what runs them',
      findings
        .slice(0, MOST_FINDINGS)
        .map(
          ({ severity, file, line, kind, detail }) =>
            `${severity === 'block' ? '**blocks**' : 'warning'} ${words(file)}${line === undefined ? '' : ` line ${line}`} (${kind}): ${words(detail)}`,
        ),
      findings.length - MOST_FINDINGS,
    ),
  ]
  const text = `${lines.join('\n')}\n`
  return text.length <= MOST_CHARACTERS ? text : `${text.slice(0, MOST_CHARACTERS)}\n\n(cut here)\n`
}

function claimWords(draft: boolean, number: number | undefined): string {
  const name = number === undefined ? 'The change' : `Pull request ${number}`
  return draft ? `${name} is a draft, which claims nothing.` : `${name} is the claim.`
}

function section(title: string, items: readonly string[], more = 0): readonly string[] {
  if (items.length === 0) return []
  return ['', `### ${title}`, '', ...items.map((item) => `- ${item}`), ...(more > 0 ? [`- and ${more} more`] : [])]
}

/** Names and words of the change are shown as they are written: none of them becomes a link, an image, a table or a heading. */
function words(text: string): string {
  return plain(text)
    .slice(0, 2_000)
    .replaceAll('\t', ' ')
    .replace(/[&<>`*_~[\]|\\#@$]|:(?=\/\/)|(?<=www)\.|^[-+=]/gi, (mark) => `&#${mark.charCodeAt(0)};`)
}
