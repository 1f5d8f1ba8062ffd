import type { Change, Changes } from './changes.ts'
import { addedLines, removedLines } from './changes.ts'
import type { TamperFinding } from './finding.ts'
import { short } from './finding.ts'
import { flatten } from './settings/flatten.ts'

const GATE = /(?:^|\/)(?:\.?exitgate\.config\.\w+|\.exitgaterc[\w.]*|\.exitgate\/.*)$/
/** Agents' settings that contain hooks among other things. */
const SETTINGS_WITH_HOOKS =
  /(?:^|\/)(?:\.claude\/settings[\w.]*\.json|\.codex\/[\w.-]+\.(?:toml|json)|\.gemini\/settings\.json|\.cursor\/hooks\.json|\.opencode\/[\w.-]+\.jsonc?|opencode\.jsonc?)$/
const HOOKS =
  /(?:^|\/)(?:\.git\/hooks\/[\w-]+|\.claude\/hooks\/.+|\.codex\/hooks\/.+|\.gemini\/hooks\/.+|\.githooks\/.+)$/
const PRE_COMMIT_SETTINGS = /(?:^|\/)(?:\.pre-commit-config\.ya?ml|lefthook\.ya?ml|\.lefthook\.ya?ml)$/

/** A command line of ours, or a plugin that contains one. Hooks of other tools are up to the user. */
const CALLS_US = /\b(?:exitgate|cli\.cjs)['"]*\s+hook\b|plugins?\b.*exitgate/i

/** Changes to exitgate's own settings and records, and to hooks. */
export function gateFindings(changes: Changes): TamperFinding[] {
  return changes.all.flatMap((change) => {
    const { path } = change
    if (GATE.test(path))
      return [gateFinding(change, 'block', "exitgate's own settings or records were changed. Restore them.")]
    if (/(?:^|\/)package\.json$/.test(path)) return packageFindings(change)
    if (SETTINGS_WITH_HOOKS.test(path)) return agentHookFindings(change)
    if (HOOKS.test(path) && CALLS_US.test(change.before ?? ''))
      return [gateFinding(change, 'block', 'A hook that calls exitgate was changed. Restore it.')]
    if (/git/.test(path) && HOOKS.test(path))
      return [gateFinding(change, 'warn', `A git hook was ${change.before === undefined ? 'added' : 'changed'}.`)]
    return PRE_COMMIT_SETTINGS.test(path) && change.before !== undefined ? preCommitFindings(change) : []
  })
}

function gateFinding(change: Change, severity: 'block' | 'warn', detail: string): TamperFinding {
  const added = addedLines(change, undefined)
  const removed = removedLines(change, undefined)
  return {
    kind: 'gate-touched',
    severity,
    file: change.path,
    line: added[0]?.line ?? removed[0]?.line ?? 1,
    ...(removed.length > 0 && { before: short(removed.map(({ text }) => text).join(' ')) }),
    ...(added.length > 0 && { after: short(added.map(({ text }) => text).join(' ')) }),
    detail,
  }
}

const valuesUnder = (path: string, text: string | undefined, key: RegExp) =>
  (text === undefined ? [] : flatten(path, text))
    .filter((setting) => key.test(setting.key))
    .map((setting) => `${setting.key} = ${setting.value}`)
    .join('\n')

function packageFindings(change: Change): TamperFinding[] {
  const [was, now] = [change.before, change.after].map((text) => valuesUnder(change.path, text, /^exitgate(?:\.|$)/))
  return was === now
    ? []
    : [
        {
          ...gateFinding(change, 'block', "exitgate's settings in package.json were changed. Restore them."),
          before: short(was!),
          after: short(now!),
        },
      ]
}

/** Only our hooks: other tools' hooks, permissions and models are up to the user. */
function agentHookFindings(change: Change): TamperFinding[] {
  const [was, now] = [change.before, change.after].map((text) => ourHooks(change.path, text))
  const lost = was!.filter((each) => !now!.includes(each))
  const off =
    /\bdisableAllHooks\W+true/.test(change.after ?? '') && !/\bdisableAllHooks\W+true/.test(change.before ?? '')
  if (lost.length === 0 && !off) return []
  const detail = off
    ? 'All hooks were switched off. Restore them.'
    : "exitgate's hook was changed or removed. Restore it."
  return [
    {
      ...gateFinding(change, 'block', detail),
      ...(lost.length > 0 && { before: short(lost.join(' ')), after: short(now!.join(' ')) }),
    },
  ]
}

/** Each with what is next to it, such as its matcher and its timeout, wherever it is in its list. */
function ourHooks(path: string, text: string | undefined): readonly string[] {
  const settings = text === undefined ? [] : flatten(path, text)
  const isOurs = (key: string, value: string) => HOOK_KEYS.test(key) && CALLS_US.test(`${key} = ${value}`)
  return settings
    .filter(({ key, value }) => isOurs(key, value))
    .map(({ key: ours }) => {
      const around = [1, 3].map((up) => ours.split('.').slice(0, -up).join('.'))
      const isNextTo = (key: string) => around.includes(key.slice(0, Math.max(0, key.lastIndexOf('.'))))
      const named = settings.filter(({ key }) => isNextTo(key)).map(({ key, value }) => `${key} = ${value}`)
      return named.join(' ').replaceAll(/\.\d+(?=[.\s])/g, '')
    })
}

const HOOK_KEYS = /(?:^|\.)(?:hooks?|notify|enabledPlugins|plugins?|experimental\.hooks)(?:\.|$)/i

/** Checks that a commit no longer has to pass. */
function preCommitFindings(change: Change): TamperFinding[] {
  const ids = (text: string | undefined) =>
    valuesUnder(change.path, text, /(?:^|\.)(?:id|run)$/)
      .split('\n')
      .map((line) => line.split(' = ')[1] ?? '')
      .filter((id) => id !== '')
  const now = new Set(ids(change.after))
  const removed = ids(change.before).filter((id) => !now.has(id))
  const skipped = addedLines(change, undefined).find(({ text }) =>
    /^(?:skip|exclude|stages): *\[?(?:manual|true|\.\*)/.test(text),
  )
  const added = ids(change.after).filter((id) => !ids(change.before).includes(id))
  if (removed.length > added.length)
    return [
      {
        ...gateFinding(change, 'warn', `The pre-commit check ${removed[0]} was removed. Restore it.`),
        before: short(removed.join(', ')),
      },
    ]
  return skipped
    ? [
        {
          ...gateFinding(change, 'warn', 'A pre-commit check is now skipped. Remove the skip.'),
          line: skipped.line,
          after: skipped.text,
        },
      ]
    : []
}
