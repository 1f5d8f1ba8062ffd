import { resolve } from 'node:path'
import { htmlReport } from '../../reports/page/html.ts'
import { markdownReport } from '../../reports/page/markdown.ts'
import type { Report } from '../../reports/page/types.ts'
import { InputError } from '../errors.ts'
import type { Io } from '../io.ts'
import { LOOK_OPTIONS, type LookValues } from '../look-options.ts'
import { oneOf, parse, wholeNumber } from '../parse.ts'
import { placeOf } from '../place.ts'
import { openPage } from '../report/open-page.ts'
import { readReport } from '../report/read.ts'
import { writeFile, writeIntoWorkspace } from '../report/write.ts'
import { taskPlace } from '../task-place.ts'
import { workspaceOf } from '../workspace.ts'

export const OPTIONS = {
  ...LOOK_OPTIONS,
  run: { type: 'string' },
  out: { type: 'string' },
  format: { type: 'string' },
  transcripts: { type: 'string' },
  open: { type: 'boolean' },
} as const

interface Values extends LookValues {
  readonly run?: string
  readonly out?: string
  readonly format?: string
  readonly transcripts?: string
  readonly open?: boolean
}

const FORMATS = ['html', 'markdown', 'json'] as const
const WRITERS: Readonly<Record<(typeof FORMATS)[number], (report: Report) => string>> = {
  html: htmlReport,
  markdown: markdownReport,
  json: (report) => `${JSON.stringify(report)}\n`,
}

/** `exitgate report`: one run as a page that opens from the disk, as Markdown for a pull request, or as JSON. */
export async function run(args: readonly string[], io: Io): Promise<number> {
  const { values } = parse<Values>('report', args, OPTIONS)
  const workspace = workspaceOf(io.cwd, values.dir)
  const format =
    values.json && values.format === undefined ? 'json' : oneOf('--format', values.format ?? 'html', FORMATS)
  if (values.open && (format !== 'html' || values.out === '-'))
    throw new InputError('--open shows a page; it goes with --format html and a file')
  const kilobytes = wholeNumber('--transcripts', values.transcripts, 1) ?? 0
  const place = placeOf(workspace, values['state-dir'], io)
  const { dir, run } = taskPlace({ workspace, dir: place.dir }, values.run) ?? { dir: place.dir, run: values.run }
  const report = readReport(dir, workspace, run, kilobytes * 1024)
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
