import { resolve } from 'node:path'
import { htmlReport } from '../../reports/page/html.ts'
import { markdownReport } from '../../reports/page/markdown.ts'
import type { Report } from '../../reports/page/types.ts'
import type { Page } from '../command.ts'
import { InputError } from '../errors.ts'
import type { Io } from '../io.ts'
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
    "One run as a page that opens from the disk and needs no network: how it ended and why, every iteration with its evidence, the agent's words and the trace of every rule, charts, tampering before and after, overrides. Written to .exitgate/report.html of the project. What looks like a secret is taken out.",
  rows: [
    ['--run RUN', 'a run of the past instead of the last one'],
    ['--out FILE|-', 'somewhere else (- is stdout)'],
    ['--format F', 'html (default), markdown (for a pull request) or json; the latter two go to stdout'],
    ['--transcripts KB', "with the last so many kilobytes of each iteration's output and prompt"],
    ['--open', 'show it in the browser'],
    ...LOOK_ROWS,
  ],
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

/** `exitgate report`: one run as a page that opens from the disk, as Markdown for a pull request, or as JSON. */
export async function run(args: readonly string[], io: Io): Promise<number> {
  const { values } = parse('report', args, OPTIONS)
  const { workspace, dir, run } = runPlace(values, io)
  const format =
    values.json && values.format === undefined ? 'json' : oneOf('--format', values.format ?? 'html', FORMATS)
  if (values.open && (format !== 'html' || values.out === '-'))
    throw new InputError('--open shows a page; it goes with --format html and a file')
  const kilobytes = wholeNumber('--transcripts', values.transcripts, 1) ?? 0
  const report = await readReport(dir, workspace, run, kilobytes * 1024)
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
  if (values.open && !(await openPage(path, io)))
    io.stderr.write(`exitgate: no program was found to open it; open ${path} in a browser\n`)
  return 0
}
