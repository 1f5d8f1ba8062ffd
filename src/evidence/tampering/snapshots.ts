import { count } from '../../../packages/core/src/count.ts'
import { isSnapshot, isTestFile } from '../../../packages/exitgate/src/frameworks/test-files.ts'
import type { Change, Changes } from './changes.ts'
import type { TamperFinding } from './finding.ts'
import { short } from './finding.ts'

/** From this number on, changes without a reason in the code block. */
const MANY_UNEXPLAINED = 3

interface Snapshot {
  readonly name: string
  readonly text: string
  readonly line: number
}

/** Snapshots that were rewritten to match what the code returns now. */
export function snapshotFindings(changes: Changes): TamperFinding[] {
  const files = changes.all.filter(({ path }) => isSnapshot(path))
  const updates = files.map((change) => ({ change, ...changedSnapshots(change), reason: reasonFor(change, changes) }))
  const nothingElse =
    changes.sources.length === 0 && changes.tests.length === 0 && !changes.all.some(({ path }) => EXPLAINS.test(path))
  const unexplained = updates
    .filter(({ reason }) => reason === undefined)
    .reduce((sum, { changed }) => sum + changed.length, 0)
  return updates.flatMap(({ change, changed, broken, reason }): TamperFinding[] => {
    if (change.after === undefined) return deletedFindings(change, changes, reason)
    if (changed.length === 0) return []
    const blocks =
      broken.length > 0 &&
      (reason === undefined || broken.length >= MANY_UNEXPLAINED || broken.length === changed.length)
    const severity =
      blocks || nothingElse || (reason === undefined && unexplained >= MANY_UNEXPLAINED) ? 'block' : 'warn'
    const first = broken[0] ?? changed[0]!
    const why =
      broken.length > 0
        ? `, and "${first.now.name}" now records an error`
        : nothingElse
          ? ' although nothing else changed'
          : reason === undefined
            ? ' without a related code change'
            : ''
    return [
      {
        kind: 'snapshot-updated',
        severity,
        file: change.path,
        line: first.now.line,
        before: short(first.was.text),
        after: short(first.now.text),
        detail: `${count(changed.length, 'snapshot')} ${changed.length === 1 ? 'was' : 'were'} rewritten${why}. ${severity === 'block' ? 'Restore' : 'Review'} ${changed.length === 1 ? 'it' : 'them'}.`,
      },
    ]
  })
}

/** Dependencies and settings can change what is rendered. */
const EXPLAINS =
  /(?:^|\/)(?:package\.json|[\w-]+-lock\.\w+|yarn\.lock|Cargo\.(?:toml|lock)|go\.(?:mod|sum)|Gemfile(?:\.lock)?|composer\.(?:json|lock)|requirements[\w.-]*\.txt|pyproject\.toml|[\w.-]+\.config\.\w+|\.babelrc|tsconfig\.json)$|\.(?:json|ya?ml|svg|po|xml|txt|csv)$/
const FAILURE =
  /\bundefined\b|\bNaN\b|Invalid Date|\[object Object\]|(?:Type|Reference|Syntax|Range)Error|Traceback|\[Function\]|stack trace/

function changedSnapshots({ path, before, after }: Change) {
  if (before === undefined || after === undefined) return { changed: [], broken: [] }
  const was = new Map(snapshotsIn(path, before).map((each) => [each.name, each]))
  const changed = snapshotsIn(path, after).flatMap((now) => {
    const old = was.get(now.name)
    return old && old.text !== now.text ? [{ was: old, now }] : []
  })
  const broken = changed.filter(
    ({ was: old, now }) =>
      (FAILURE.test(rendered(now.text)) && !FAILURE.test(rendered(old.text))) ||
      (isEmpty(now.text) && !isEmpty(old.text)),
  )
  return { changed, broken }
}

/** Without the arguments of generated code, where such a word is normal. */
const rendered = (text: string) => text.replace(/(?<=[(,])\s*undefined(?=\s*[,)])/g, '')

const isEmpty = (text: string) =>
  /^[`\s]*(?:""|null|undefined|\{\s*\}|\[\s*\]|Object \{\}|Array \[\]|<div \/>|<div>\s*<\/div>)?[`;\s]*$/.test(text)

/** The snapshots in a file by name: jest and vitest, syrupy, or the complete file as one. */
function snapshotsIn(path: string, text: string): Snapshot[] {
  const line = (at: number) => text.slice(0, at).split('\n').length
  if (/^exports\[`/m.test(text))
    return [...text.matchAll(/^exports\[`((?:[^`\\]|\\.)*)`\] = (`(?:[^`\\]|\\.)*`|[^\n]*);?$/gm)].map((match) => ({
      name: match[1]!,
      text: match[2]!,
      line: line(match.index),
    }))
  if (/\.ambr$/.test(path))
    return [...text.matchAll(/^# name: (.*)\n([\s\S]*?)(?=^# name: |(?![\s\S]))/gm)].map((match) => ({
      name: match[1]!,
      text: match[2]!,
      line: line(match.index),
    }))
  return [{ name: path.slice(path.lastIndexOf('/') + 1), text: text.replace(/^---\n[\s\S]*?\n---\n/, ''), line: 1 }]
}

/** A changed source or test with the same name, or in the folder that the snapshots belong to. */
function reasonFor({ path }: Change, changes: Changes): string | undefined {
  const owner = stem(path)
  const folder = path
    .replace(/(?:__snapshots__|__image_snapshots__|snapshots?|[^/]*-snapshots)\/.*$/, '')
    .replace(/[^/]*$/, '')
  const named = [...changes.sources, ...changes.tests].find((change) => stem(change.path) === owner)
  if (named) return named.path
  const near = changes.sources.find(
    (change) =>
      folder !== '' && folder !== 'src/' && change.path.startsWith(folder) && !/(?:^|\/)(?:tests?|spec)\//.test(folder),
  )
  return near?.path
}

const stem = (path: string) =>
  path
    .slice(path.lastIndexOf('/') + 1)
    .replace(/\.(?:snap|ambr|new|approved\.\w+|verified\.\w+|golden)$/g, '')
    .replace(/(?:[._-](?:test|tests|spec|specs))?\.\w+$/, '')
    .replace(/^.*__/, '')
    .replace(/^test_|_test$|(?:Tests?|Spec)$|[._-](?:test|spec)$/g, '')
    .replace(/[._-]/g, '')
    .toLowerCase()

/** The next run writes a missing snapshot and passes. */
function deletedFindings(change: Change, changes: Changes, reason: string | undefined): TamperFinding[] {
  const text = change.before!
  const moved = changes.all.some(
    ({ path, before, after }) =>
      isSnapshot(path) &&
      before === undefined &&
      after !== undefined &&
      (after === text ||
        snapshotsIn(path, after).some(({ name }) => snapshotsIn(change.path, text).some((old) => old.name === name))),
  )
  const owners = changes.after.paths.filter((path) => isTestFile(path) && stem(path) === stem(change.path))
  if (moved || owners.length === 0 || reason !== undefined) return []
  return [
    {
      kind: 'snapshot-updated',
      severity: 'block',
      file: change.path,
      line: 1,
      before: short(text),
      detail: `The snapshots of ${owners[0]} were deleted, so the next run accepts any output. Restore them.`,
    },
  ]
}
