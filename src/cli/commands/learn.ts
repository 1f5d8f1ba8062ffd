import { basename } from 'node:path'
import { lineDiff } from '../../../packages/exitgate/src/tree/line-diff.ts'
import { findConfig } from '../../config/find.ts'
import { writeConfigFile } from '../../config/write-file.ts'
import { policyIfLoaded } from '../../core/presets/index.ts'
import { type Example, examplesOf } from '../../learning/examples.ts'
import { labelsOf } from '../../learning/labels.ts'
import { learn } from '../../learning/learn.ts'
import { type Suggestion, suggest } from '../../learning/suggest.ts'
import { keepCalibration } from '../../loop/calibration-file.ts'
import { lessonText, missingText, suggestionText } from '../../reports/learning/lesson-text.ts'
import { plain } from '../../reports/verdict-text.ts'
import { askYesNo } from '../ask.ts'
import type { Page } from '../command.ts'
import { InputError } from '../errors.ts'
import { allJournals, eventsIn, readEach, warnUnreadable, withArchived } from '../history/journals.ts'
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
  usage: ['lab learn [options]', 'lab learn --apply [NAME...] [--yes]'],
  about: 'Calibrate the completion confidence from labelled runs, and suggest better thresholds.',
  rows: [
    ['--apply', 'show the change to your configuration and write it if you agree; NAME limits it'],
    ['--yes', '--apply: write without asking'],
    ['--all', 'use the labels of every project in the state folder for the confidence'],
    ...CONFIG_ROWS,
  ],
  more: 'The confidence is only shown: it never decides. It is kept if it does better on runs it was not fitted to. Needs at least learning.minimumLabels labels (lab label). Agents cannot use it.',
  examples: ['exitgate lab learn', 'exitgate lab learn --apply hollowClaims', 'exitgate lab learn --json'],
}

type Values = ValuesOf<typeof OPTIONS>

const MOST_NAMES = 30

export async function run(args: readonly string[], io: Io): Promise<number> {
  const { values, positionals } = parse('lab learn', args, OPTIONS, MOST_NAMES)
  if (positionals.length > 0 && !values.apply)
    throw new InputError(`Unexpected argument "${positionals[0]}". Did you mean --apply ${positionals[0]}?`)
  if (values.yes && !values.apply) throw new InputError('--yes needs --apply.')
  const workspace = workspaceOf(io.cwd, values.dir)
  const { dir } = placeOf(workspace, values['state-dir'], io)
  refuseAgent('lab learn', dir, io)
  const { config } = await settingsOf(workspace, io, values.config)
  const { examples, broken } = examplesIn(values.all ? allJournals(dir) : [dir])
  warnUnreadable(broken, io)
  const lesson = learn(examples, config.learning.minimumLabels)
  const short = missingText(lesson)
  const suggestions = short === undefined ? suggestionsIn(dir) : []
  // Removing labels also removes what was learned from them; an unreadable journal does not.
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
  const broken = readEach(dirs, (dir) => {
    const labels = labelsOf(eventsOf(dir))
    // Two projects may have a task with the same name.
    const project = basename(dir)
    for (const each of withArchived(dir))
      for (const example of examplesOf(eventsIn(each, dir), labels, policyIfLoaded))
        examples.push({ ...example, group: `${project} ${example.group}` })
  })
  return { examples, broken }
}

function suggestionsIn(dir: string): readonly Suggestion[] {
  const labels = new Map([...labelsOf(eventsOf(dir))].map(([run, { label }]) => [run, label]))
  return suggest(
    withArchived(dir).map((each) => [...eventsIn(each, dir)]),
    labels,
    policyIfLoaded,
  )
}

const nameOf = ({ path }: Suggestion): string => path.join('.')

function chosenOf(suggestions: readonly Suggestion[], names: readonly string[]): readonly Suggestion[] {
  const wrong = names.find((name) => !suggestions.some((each) => nameOf(each) === name))
  if (wrong === undefined)
    return names.length === 0 ? suggestions : suggestions.filter((each) => names.includes(nameOf(each)))
  const suggested =
    suggestions.length === 0 ? 'Nothing is suggested.' : `Suggested: ${suggestions.map(nameOf).join(', ')}.`
  throw new InputError(`"${wrong}" is not a suggestion. ${suggested}`)
}

async function apply(workspace: string, chosen: readonly Suggestion[], values: Values, io: Io): Promise<number> {
  if (chosen.length === 0) {
    io.stdout.write('Nothing is suggested, so nothing changes.\n')
    return 0
  }
  const change = changeOf(workspace, findConfig(workspace, values.config), chosen)
  const diff = lineDiff(change.before, change.after)
  if (!values.json) {
    for (const each of chosen) io.stdout.write(`${suggestionText(each)}\n`)
    io.stdout.write(`\n--- ${plain(change.name)}\n+++ ${plain(change.name)}\n${diff}`)
  }
  const asks = values.yes !== true && values.json !== true && io.stdout.isTTY === true
  const agreed =
    values.yes === true || (asks && (await askYesNo(io, `Write ${change.name}?`, { usual: false })) === true)
  if (agreed) writeConfigFile(change.path, change.after, { force: true })
  if (values.json)
    io.stdout.write(`${JSON.stringify({ file: change.name, diff, written: agreed, suggestions: chosen })}\n`)
  else io.stdout.write(agreed ? `Wrote ${plain(change.name)}.\n` : 'Nothing was written. Use --yes to write it.\n')
  return 0
}
