import { closeSync, constants } from 'node:fs'
import { resolve } from 'node:path'
import { annotations, withoutCommands } from '../ci/annotations.ts'
import { configAt } from '../ci/base-config.ts'
import { changeOf, mergeBase } from '../ci/change.ts'
import type { CheckedChange } from '../ci/checked-change.ts'
import { findingsSince } from '../ci/checked-change.ts'
import { sarif } from '../ci/sarif.ts'
import { summary } from '../ci/summary.ts'
import type { DecidedIteration } from '../core/policy/decide.ts'
import type { Session } from '../loop/session.ts'
import { errorCode, openPlain, writeAll } from '../system/files.ts'
import { decideOnce } from './decide-once.ts'
import type { CheckValues } from './decide-options.ts'
import { InputError } from './errors.ts'
import { exitCode } from './exit-codes.ts'
import type { Io } from './io.ts'
import { workspaceOf } from './place.ts'
import { VERSION } from './version.ts'

/**
 * `exitgate check --ci`: the same decision about a pull request. The pull request is the claim, unless it is a draft. Baseline and
 * configuration come from the merge base with its target branch. The preset is `default` unless you pass another: the older presets
 * read status lines of an agent, and a pull request has none.
 */
export async function checkInCi(values: CheckValues, job: Io): Promise<number> {
  const io = { ...job, env: withoutOwnVariables(job.env) }
  const dir = workspaceOf(io.cwd, values.dir)
  const change = changeOf(io.env)
  if (typeof change === 'string') throw new InputError(change)
  const base = await mergeBase(dir, change, values.base)
  if ('problem' in base) throw new InputError(base.problem)
  const config = await configAt(dir, base.commit, values.config && resolve(io.cwd, values.config))
  if ('problem' in config) throw new InputError(config.problem)
  const { sarif: report, ci: _ci, claim, ...rest } = values
  const options = { preset: 'default', ...rest, base: base.commit, 'new-run': true } as const
  const claimed = change.draft && !claim ? options : ({ ...options, claimedBy: 'ci' } as const)
  const onGitHub = io.env.GITHUB_ACTIONS === 'true'
  return decideOnce(claimed, onGitHub ? safeForCi(io) : io, {
    code: ({ verdict }) => exitCode(verdict),
    onlyStarts: () => false,
    ignoreVariables: true,
    instead: config,
    async after(step, session, workspace) {
      const checked = await checkedChange(step, session, workspace, { ...change, base: base.commit }, values)
      if (report !== undefined) write('--sarif', resolve(io.cwd, report), sarif(checked), constants.O_TRUNC)
      const page = io.env.GITHUB_STEP_SUMMARY
      if (page) write('GITHUB_STEP_SUMMARY', page, summary(checked), constants.O_APPEND)
      else if (!values.json && !values.quiet)
        io.stdout.write(onGitHub ? withoutCommands(summary(checked)) : `\n${summary(checked)}`)
      // With --json, stdout holds one JSON document and nothing else. The CI runner reads both streams.
      const stream = values.json ? io.stderr : io.stdout
      if (onGitHub) for (const line of annotations(checked)) stream.write(`${line}\n`)
    },
  })
}

/** An earlier step of the job may run code of the change, and can set variables for this one. Only flags and the base commit count. */
const withoutOwnVariables = (env: Io['env']): Io['env'] =>
  Object.fromEntries(Object.entries(env).filter(([name]) => !name.toUpperCase().startsWith('EXITGATE_')))

async function checkedChange(
  { verdict, facts }: DecidedIteration,
  { config, policy }: Session,
  workspace: string,
  { base, number, draft }: { base: string; number?: number; draft: boolean },
  values: CheckValues,
): Promise<CheckedChange> {
  // Evidence that you pass has its own answer about tampering, so nothing else is searched.
  const { findings, prefix } =
    values.evidence === undefined
      ? await findingsSince(workspace, base, config.evidence.allow)
      : { findings: [], prefix: '' }
  return {
    verdict,
    evidence: facts.evidence,
    findings,
    base,
    preset: policy.preset,
    ...(config.plan === undefined ? {} : { plan: `${prefix}${config.plan}` }),
    ...(number === undefined ? {} : { number }),
    draft: draft && !values.claim,
    version: VERSION,
  }
}

/** The output quotes the change, and nothing in it may be read as a command to the CI runner. */
function safeForCi(io: Io): Io {
  const filtered = (stream: Io['stdout']): Io['stdout'] => ({
    write: (text: string) => stream.write(withoutCommands(text)),
    get isTTY() {
      return stream.isTTY
    },
    get columns() {
      return stream.columns
    },
  })
  return { ...io, stdout: filtered(io.stdout), stderr: filtered(io.stderr) }
}

/** Never follows a link: the change may have put one there. */
function write(name: string, path: string, text: string, how: number): void {
  try {
    const fd = openPlain(path, constants.O_WRONLY | constants.O_CREAT | how, 0o644)
    try {
      writeAll(fd, Buffer.from(text))
    } finally {
      closeSync(fd)
    }
  } catch (error) {
    const why = errorCode(error) === 'ELOOP' ? 'it is a symbolic link' : errorCode(error) || 'it is not a regular file'
    throw new InputError(`${name} ${path} can't be written: ${why}. Pass a file in an existing folder.`)
  }
}
