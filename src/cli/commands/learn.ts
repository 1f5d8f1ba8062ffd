import { basename } from 'node:path'
import { findConfig } from '../../config/find.ts'
import { writeConfigFile } from '../../config/write-file.ts'
import { policyIfLoaded } from '../../core/presets/index.ts'
import { lineDiff } from '../../evidence/line-diff.ts'
import { type Example, examplesOf } from '../../learning/examples.ts'
import { labelsOf } from '../../learning/labels.ts'
import { learn } from '../../learning/learn.ts'
import { type Suggestion, suggest } from '../../learning/suggest.ts'
import { keepCalibration } from '../../loop/calibration-file.ts'
import { lessonText, missingText, suggestionText } from '../../reports/learning/lesson-text.ts'
import { plain } from '../../reports/verdict-text.ts'
import type { Page } from '../command.ts'
import { InputError } from '../errors.ts'
import { eventsIn, journalsBeside, reading, withThoseAside } from '../history/journals.ts'
import { askYesNo } from '../init/ask.ts'
import type { Io } from '../io.ts'
import { changeOf } from '../learning/change-config.ts'
import { eventsOf, settingsOf } from '../learning/past.ts'
import { refuseAgent } from '../learning/refuse-agent.ts'
import { parse, type ValuesOf } from '../parse.ts'
import { placeOf, workspaceOf } from '../place.ts'
import { CONFIG_ROWS, LOOK_OPTIONS } from '../shared-options.ts'

export const OPTIONS = {
  ...LOOK_OPTIONS,
  config: { type: 'string' },
  all: { type: 'boolean' },
  apply: { type: 'boolean' },
  yes: { type: 'boolean' },
} as const

export const HELP: Page = {
  usage: ['learn [options]', 'learn --apply [NAME...] [--yes]'],
  about:
    'What labelled runs (exitgate label) teach: how well the completion confidence of default tells good work from bad, and whether a calibrated one does it better on runs that it has not seen. If so it is kept, and shown from the next run on; it opens and shuts nothing. Thresholds that would have served the past better are named with what they would have saved and lost, and change only when you say so. Below learning.minimumLabels nothing is learned.',
  rows: [
    ['--all', 'learn the confidence from every project in the state folder; thresholds are of this project alone'],
    ['--apply', 'show what would change in your configuration, all or the named thresholds, and write it after a yes'],
    ['--yes', 'write it without asking'],
    ...CONFIG_ROWS,
  ],
  more: 'For people: an agent does not choose the thresholds that hold it.',
  examples: ['exitgate learn', 'exitgate learn --apply hollowClaims', 'exitgate learn --json'],
}

type Values = ValuesOf<typeof OPTIONS>

const MOST_NAMES = 30

/** `exitgate learn`: what labelled runs teach about the completion confidence and the thresholds. */
export async function run(args: readonly string[], io: Io): Promise<number> {
  const { values, positionals } = parse('learn', args, OPTIONS, MOST_NAMES)
  if (positionals.length > 0 && !values.apply)
    throw new InputError(`"${positionals[0]}" is applied with --apply ${positionals[0]}`)
  if (values.yes && !values.apply) throw new InputError('--yes belongs to --apply')
  const workspace = workspaceOf(io.cwd, values.dir)
  const { dir } = placeOf(workspace, values['state-dir'], io)
  refuseAgent('learn', dir, io)
  const { config } = await settingsOf(workspace, io, values.config)
  const { examples, broken } = examplesIn(values.all ? journalsBeside(dir) : [dir])
  for (const { project, problem } of broken)
    io.stderr.write(`exitgate: ${plain(project)} is left out: ${plain(problem)}\n`)
  const lesson = learn(examples, config.learning.minimumLabels)
  const short = missingText(lesson)
  const suggestions = short === undefined ? suggestionsIn(dir) : []
  // Labels that were taken back take their lesson along; a journal that cannot be read takes nothing.
  if (examples.length > 0 || broken.length === 0) keepCalibration(dir, lesson.calibration)
  if (values.apply) {
    if (short !== undefined) throw new InputError(short)
    return apply(workspace, chosenOf(suggestions, positionals), values, io)
  }
  if (values.json) io.stdout.write(`${JSON.stringify({ ...lesson, suggestions })}\n`)
  else io.stdout.write(lessonText(lesson, suggestions))
  return 0
}

function examplesIn(dirs: readonly string[]) {
  const examples: Example[] = []
  const broken = reading(dirs, (dir) => {
    const labels = labelsOf(eventsOf(dir))
    // Two projects may have a task of the same name.
    const project = basename(dir)
    for (const each of withThoseAside(dir))
      for (const example of examplesOf(eventsIn(each, dir), labels, policyIfLoaded))
        examples.push({ ...example, group: `${project} ${example.group}` })
  })
  return { examples, broken }
}

function suggestionsIn(dir: string): readonly Suggestion[] {
  const labels = new Map([...labelsOf(eventsOf(dir))].map(([run, { label }]) => [run, label]))
  return suggest(
    withThoseAside(dir).map((each) => [...eventsIn(each, dir)]),
    labels,
    policyIfLoaded,
  )
}

const nameOf = ({ path }: Suggestion): string => path.join('.')

function chosenOf(suggestions: readonly Suggestion[], names: readonly string[]): readonly Suggestion[] {
  const wrong = names.find((name) => !suggestions.some((each) => nameOf(each) === name))
  if (wrong === undefined)
    return names.length === 0 ? suggestions : suggestions.filter((each) => names.includes(nameOf(each)))
  const there = suggestions.length === 0 ? 'nothing is suggested' : `there are ${suggestions.map(nameOf).join(', ')}`
  throw new InputError(`"${wrong}" is not suggested; ${there}`)
}

async function apply(workspace: string, chosen: readonly Suggestion[], values: Values, io: Io): Promise<number> {
  if (chosen.length === 0) {
    io.stdout.write('nothing is suggested, so nothing is changed\n')
    return 0
  }
  const change = changeOf(workspace, findConfig(workspace, values.config), chosen)
  const diff = lineDiff(change.before, change.after)
  if (!values.json) {
    for (const each of chosen) io.stdout.write(`${suggestionText(each)}\n`)
    io.stdout.write(`\n--- ${plain(change.name)}\n+++ ${plain(change.name)}\n${diff}`)
  }
  const asks = values.yes !== true && values.json !== true && io.stdout.isTTY === true
  const agreed = values.yes === true || (asks && (await askYesNo(io, `Write ${change.name}?`, false)) === true)
  if (agreed) writeConfigFile(change.path, change.after, { force: true })
  if (values.json)
    io.stdout.write(`${JSON.stringify({ file: change.name, diff, written: agreed, suggestions: chosen })}\n`)
  else io.stdout.write(agreed ? `${plain(change.name)} is written\n` : 'nothing is written; --yes writes it\n')
  return 0
}
