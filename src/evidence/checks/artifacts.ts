import { statSync } from 'node:fs'
import { count } from '../../../packages/core/src/count.ts'
import type { Answer } from '../../core/types.ts'
import { pathInside } from '../../system/read-file.ts'
import { changeOf } from '../baseline/changed.ts'
import { findFiles } from '../find-files.ts'
import type { Check, CheckContext, Workspace } from '../types.ts'
import { type CheckAnswer, type CheckDefinition, checkOf } from './definition.ts'

export interface ArtifactOptions {
  /** A path or glob, relative to the workspace. At least one file must match, and every match must meet the requirements. */
  readonly path: string
  /** 1 by default: an empty file does not count. */
  readonly minBytes?: number
  /** At least one of the files was added or changed since the baseline. */
  readonly changed?: boolean
}

/** What is wrong or unknown about an artifact. */
interface Flaw {
  readonly answer: Exclude<Answer, 'yes'>
  readonly sentence: string
}

const NAMED = 5

export const artifacts: CheckDefinition = {
  name: 'artifacts',
  checksFor: ({ config: { evidence } }) =>
    evidence.artifacts.length === 0 ? [] : [artifactsCheck(evidence.artifacts.map((path) => ({ path })))],
}

/** The `artifacts` check: do the required files exist, and do they meet the requirements? */
export function artifactsCheck(artifacts: readonly ArtifactOptions[]): Check {
  return checkOf('artifacts', async (context) => {
    const listed = await context.workspace.list()
    return judge(artifacts, await Promise.all(artifacts.map((artifact) => flawsOf(artifact, context, listed))))
  })
}

async function flawsOf(
  artifact: ArtifactOptions,
  context: CheckContext,
  listed: readonly string[],
): Promise<readonly Flaw[]> {
  const files = findFiles(context.workspace, listed, artifact.path)
  if (files.length === 0) return [{ answer: 'no', sentence: `${artifact.path} does not exist.` }]
  const flaws: Flaw[] = []
  const least = artifact.minBytes ?? 1
  for (const file of files) {
    const size = sizeOf(context.workspace, file)
    if (size === undefined) flaws.push({ answer: 'no', sentence: `${file} is not a file.` })
    else if (size < least) {
      const what = size === 0 ? `${file} is empty.` : `${file} has ${count(size, 'byte')}, but needs at least ${least}.`
      flaws.push({ answer: 'no', sentence: what })
    }
  }
  if (artifact.changed === true) flaws.push(...unchanged(artifact.path, files, context, listed))
  return flaws
}

function unchanged(
  path: string,
  files: readonly string[],
  context: CheckContext,
  listed: readonly string[],
): readonly Flaw[] {
  const changes = files.map((file) => changeOf(file, context, listed))
  if (changes.some((change) => change.answer === 'yes')) return []
  const doubt = changes.find((change) => change.answer === 'unknown')
  if (doubt !== undefined) return [{ answer: 'unknown', sentence: doubt.sentence }]
  return [{ answer: 'no', sentence: `${path} has not changed since the start.` }]
}

/** Size of a regular file; undefined for a link that leads out of the workspace. */
function sizeOf(workspace: Workspace, path: string): number | undefined {
  const real = pathInside(workspace.dir, path)
  const stat = real === undefined ? undefined : statSync(real, { throwIfNoEntry: false })
  if (stat !== undefined) return stat.isFile() ? stat.size : undefined
  const text = workspace.read(path)
  return text === undefined ? undefined : Buffer.byteLength(text)
}

function judge(artifacts: readonly ArtifactOptions[], flaws: readonly (readonly Flaw[])[]): CheckAnswer {
  const total = artifacts.length
  if (total === 0) return { answer: 'unknown', detail: 'No artifacts are configured.', counts: { total, done: 0 } }
  const done = flaws.filter((of) => of.length === 0).length
  const all = flaws.flat()
  const worst = all.some((flaw) => flaw.answer === 'no') ? 'no' : all.length > 0 ? 'unknown' : 'yes'
  const named = [...all].sort((a, b) => Number(b.answer === 'no') - Number(a.answer === 'no')).slice(0, NAMED)
  const more = all.length > NAMED ? [`And ${all.length - NAMED} more.`] : []
  const sentences = [
    `${done} of ${count(total, 'artifact')} ${total === 1 ? 'meets' : 'meet'} the requirements.`,
    ...named.map((flaw) => flaw.sentence),
    ...more,
  ]
  return { answer: worst, detail: sentences.join(' '), counts: { total, done } }
}
