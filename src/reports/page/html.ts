import { endingText } from '../../core/policy/ending-text.ts'
import script from './client/main.ts?page'
import style from './client/page.css?page'
import { pageData } from './pack.ts'
import type { Report } from './types.ts'

/** Only this script and this style sheet apply. The page fetches, sends, frames and opens nothing. */
const POLICY = [
  "default-src 'none'",
  `script-src '${script.hash}'`,
  `style-src '${style.hash}'`,
  'img-src data:',
  "base-uri 'none'",
  "form-action 'none'",
].join('; ')

/** The report as one HTML file that needs no server. */
export function htmlReport(report: Report): string {
  const { data, pieces, diffs } = pageData(report)
  const title = `${report.end === undefined ? 'unfinished' : endingText(report.end.ending, report.end.cause)} · ${report.project ?? report.run}`
  return [
    '<!doctype html>',
    '<html lang="en">',
    '<head>',
    '<meta charset="utf-8">',
    `<meta http-equiv="Content-Security-Policy" content="${POLICY}">`,
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    '<meta name="referrer" content="no-referrer">',
    '<meta name="color-scheme" content="light dark">',
    `<title>${inHtml(title)} · exitgate report</title>`,
    `<style>${style.text}</style>`,
    '</head>',
    '<body>',
    '<noscript><p>This report needs JavaScript. exitgate report --format markdown works without it.</p></noscript>',
    '<div id="page"></div>',
    `<script type="application/json" id="data">${inScript(data)}</script>`,
    ...pieces.map((piece, n) => `<script type="application/json" id="piece-${n}">${inScript(piece)}</script>`),
    ...diffs.map(({ name, hunks }) => `<script type="application/json" id="diff-${name}">${inScript(hunks)}</script>`),
    `<script>${script.text}</script>`,
    '</body>',
    '</html>',
    '',
  ].join('\n')
}

/** JSON that can't close its element, open another one or break a line of a script. */
const inScript = (value: unknown): string =>
  JSON.stringify(value).replace(
    /[<>&\u2028\u2029]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )

const inHtml = (text: string): string => text.replace(/[&<>"']/g, (mark) => `&#${mark.charCodeAt(0)};`)
