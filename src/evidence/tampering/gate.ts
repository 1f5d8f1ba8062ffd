import type { Change, Changes } from './changes.ts'
import { addedLines, removedLines } from './changes.ts'
import type { TamperFinding } from './finding.ts'
import { short } from './finding.ts'
import { flatten } from './settings/flatten.ts'

const GATE = /(?:^|\/)(?:\.?exitgate\.config\.\w+|\.exitgaterc[\w.]*|\.exitgate\/.*)$/
/** Settings of agents and of git that hold hooks among other things. */
const HOOKED =
  /(?:^|\/)(?:\.claude\/settings[\w.]*\.json|\.codex\/[\w.-]+\.(?:toml|json)|\.gemini\/settings\.json|\.cursor\/hooks\.json|\.opencode\/[\w.-]+\.jsonc?|opencode\.jsonc?)$/
const HOOKS =
  /(?:^|\/)(?:\.git\/hooks\/[\w-]+|\.claude\/hooks\/.+|\.codex\/hooks\/.+|\.gemini\/hooks\/.+|\.githooks\/.+)$/
const HOOK_LISTS = /(?:^|\/)(?:\.pre-commit-config\.ya?ml|lefthook\.ya?ml|\.lefthook\.ya?ml)$/

/** The gate's own settings and records, and the hooks by which it is asked. */
export function gateFindings(changes: Changes): TamperFinding[] {
  return changes.all.flatMap((change) => {
    const { path } = change
    if (GATE.test(path)) return [touched(change, 'block', 'The settings or records of the gate itself were changed.')]
    if (/(?:^|\/)package\.json$/.test(path)) return inPackage(change)
    if (HOOKED.test(path)) return hooked(change)
    if (HOOKS.test(path) && change.before !== undefined) return [touched(change, 'block', 'A hook was changed.')]
    if (HOOKS.test(path)) return [touched(change, 'warn', 'A hook was added.')]
    return HOOK_LISTS.test(path) && change.before !== undefined ? hookList(change) : []
  })
}

function touched(change: Change, severity: 'block' | 'warn', detail: string): TamperFinding {
  const came = addedLines(change, undefined)
  const went = removedLines(change, undefined)
  return {
    kind: 'gate-touched',
    severity,
    file: change.path,
    line: came[0]?.line ?? went[0]?.line ?? 1,
    ...(went.length > 0 && { before: short(went.map(({ text }) => text).join(' ')) }),
    ...(came.length > 0 && { after: short(came.map(({ text }) => text).join(' ')) }),
    detail,
  }
}

const valuesUnder = (path: string, text: string | undefined, key: RegExp) =>
  (text === undefined ? [] : flatten(path, text))
    .filter((setting) => key.test(setting.key))
    .map((setting) => `${setting.key} = ${setting.value}`)
    .join('\n')

function inPackage(change: Change): TamperFinding[] {
  const [was, now] = [change.before, change.after].map((text) => valuesUnder(change.path, text, /^exitgate(?:\.|$)/))
  return was === now
    ? []
    : [
        {
          ...touched(change, 'block', 'The settings of the gate in package.json were changed.'),
          before: short(was!),
          after: short(now!),
        },
      ]
}

/** Only what has to do with hooks: permissions and models are the user's business. */
function hooked(change: Change): TamperFinding[] {
  const [was, now] = [change.before, change.after].map((text) =>
    valuesUnder(change.path, text, /(?:^|\.)(?:hooks?|disableAllHooks|notify|plugins?|experimental\.hooks)(?:\.|$)/i),
  )
  if (was === now) return []
  const took =
    was!.split('\n').some((line) => line !== '' && !now!.includes(line)) || /disableAllHooks = true/.test(now!)
  return [
    {
      ...touched(
        change,
        took ? 'block' : 'warn',
        took ? 'Hooks by which the gate is asked were changed or taken out.' : 'Hooks were added.',
      ),
      before: short(was!),
      after: short(now!),
    },
  ]
}

/** Checks that a commit had to pass and does not any more. */
function hookList(change: Change): TamperFinding[] {
  const ids = (text: string | undefined) =>
    valuesUnder(change.path, text, /(?:^|\.)(?:id|run)$/)
      .split('\n')
      .map((line) => line.split(' = ')[1] ?? '')
      .filter((id) => id !== '')
  const now = new Set(ids(change.after))
  const gone = ids(change.before).filter((id) => !now.has(id))
  const skipped = addedLines(change, undefined).find(({ text }) =>
    /^(?:skip|exclude|stages): *\[?(?:manual|true|\.\*)/.test(text),
  )
  const added = ids(change.after).filter((id) => !ids(change.before).includes(id))
  if (gone.length > added.length)
    return [
      { ...touched(change, 'warn', `The check ${gone[0]} before a commit is gone.`), before: short(gone.join(', ')) },
    ]
  return skipped
    ? [{ ...touched(change, 'warn', 'A check before a commit is skipped.'), line: skipped.line, after: skipped.text }]
    : []
}
