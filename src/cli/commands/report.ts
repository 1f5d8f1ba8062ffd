import { resolve } from 'node:path'
import { htmlReport } from '../../reports/page/html.ts'
import { markdownReport } from '../../reports/page/markdown.ts'
import type { Report } from '../../reports/page/types.ts'
import type { Page } from '../command.ts'
import { InputError } from '../errors.ts'
import { type Io, warn } from '../io.ts'
import { oneOf, parse, wholeNumber } from '../parse.ts'
import { readReport } from '../report/read.ts'
import { openPage, writeFile, writeIntoWorkspace } from '../report/write.ts'
import { LOOK_OPTIONS, LOOK_ROWS } from '../shared-options.ts'
import { runPlace } from '../task-place.ts'

export const OPTIONS = {
  ...LOOK_OPTIONS,
  run: { type: 'string' },
  out: { type: 'string' },
  format: { type: 'string' },
  transcripts: { type: 'string' },
  open: { type: 'boolean' },
} as const

export const HELP: Page = {
  usage: ['report [options]'],
  about:
    'Write one run as a page you can open offline: how it ended and why, what was proven, the diff, and how to merge or discard it.',
  rows: [
    ['--open', 'open the page in your browser'],
    ['--run RUN', 'run id or task (default: the last run)'],
    ['--format F', 'html, markdown or md (for a pull request), or json (default: html)'],
    ['--out FILE', 'where to write it; - is stdout (default: .exitgate/report.html; stdout for markdown and json)'],
    ['--transcripts KB', "include the last KB kilobytes of each iteration's output and prompt (default: 0)"],
    ...LOOK_ROWS,
  ],
  more: 'Known secrets are redacted.',
  examples: [
    'exitgate report --open',
    'exitgate report --format markdown > report.md',
    'exitgate report --run 20260102-030405-1 --transcripts 64 --out night.html',
  ],
}

const FORMATS = ['html', 'markdown', 'json'] as const
const WRITERS: Readonly<Record<(typeof FORMATS)[number], (report: Report) => string>> = {
  html: htmlReport,
  markdown: markdownReport,
  json: (report) => `${JSON.stringify(report)}\n`,
}

export async function run(args: readonly string[], io: Io): Promise<number> {
  const { values } = parse('report', args, OPTIONS)
  const { workspace, dir, run } = runPlace(values, io)
  const named = values.format === 'md' ? 'markdown' : (values.format ?? 'html')
  const format = values.json && values.format === undefined ? 'json' : oneOf('--format', named, FORMATS)
  if (values.open && (format !== 'html' || values.out === '-'))
    throw new InputError('--open needs an HTML file. Leave out --format and --out -.')
  const kilobytes = wholeNumber('--transcripts', values.transcripts, 1) ?? 0
  const report = await readReport(dir, workspace, run, { bytes: kilobytes * 1024, env: io.env })
  const text = WRITERS[format](report)
  if (values.out === '-' || (values.out === undefined && format !== 'html')) {
    io.stdout.write(text)
    return 0
  }
  const path =
    values.out === undefined
      ? writeIntoWorkspace(workspace, 'report.html', text)
      : writeFile(resolve(io.cwd, values.out), text)
  io.stdout.write(values.json && format !== 'json' ? `${JSON.stringify({ path })}\n` : `${path}\n`)
  if (values.open && !(await openPage(path, io))) warn(io, `No browser found. Open ${path} yourself.`)
  return 0
}
