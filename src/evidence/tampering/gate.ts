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

/** Changes to exitgate's own settings and records, and to hooks. */
export function gateFindings(changes: Changes): TamperFinding[] {
  return changes.all.flatMap((change) => {
    const { path } = change
    if (GATE.test(path))
      return [gateFinding(change, 'block', "exitgate's own settings or records were changed. Restore them.")]
    if (/(?:^|\/)package\.json$/.test(path)) return packageFindings(change)
    if (SETTINGS_WITH_HOOKS.test(path)) return agentHookFindings(change)
    if (HOOKS.test(path) && change.before !== undefined)
      return [gateFinding(change, 'block', 'A hook was changed. Restore it.')]
    if (HOOKS.test(path)) return [gateFinding(change, 'warn', 'A hook was added.')]
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

/** Only hooks: permissions and models are up to the user. */
function agentHookFindings(change: Change): TamperFinding[] {
  const [was, now] = [change.before, change.after].map((text) =>
    valuesUnder(change.path, text, /(?:^|\.)(?:hooks?|disableAllHooks|notify|plugins?|experimental\.hooks)(?:\.|$)/i),
  )
  if (was === now) return []
  const lost =
    was!.split('\n').some((line) => line !== '' && !now!.includes(line)) || /disableAllHooks = true/.test(now!)
  return [
    {
      ...gateFinding(
        change,
        lost ? 'block' : 'warn',
        lost ? 'Agent hooks were changed or removed. Restore them.' : 'Agent hooks were added.',
      ),
      before: short(was!),
      after: short(now!),
    },
  ]
}

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
