import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import * as v from 'valibot'
import { makeFolder, writeFileAtomic } from '../../system/files.ts'
import { readTextFile } from '../../system/read-file.ts'
import { restoredLines, withoutExamples } from './example-lines.ts'

/** Files and lines that the agent must not see. They are next to the state folder, so that a reset does not remove them. */
export const heldOutFolder = (stateDir: string): string => `${stateDir}.held-out`

const manifestSchema = v.object({
  version: v.literal(1),
  files: v.array(
    v.object({
      path: v.string(),
      text: v.string(),
      /** Only these lines were taken out: the examples of a plan. Each with the line before it. */
      lines: v.optional(v.array(v.object({ after: v.string(), text: v.string() }))),
    }),
  ),
})
export type HeldFile = v.InferOutput<typeof manifestSchema>['files'][number]

/** Something is wrong with what is held out. The message is for the user. */
class HeldOutError extends Error {
  override readonly name = 'HeldOutError'

  constructor(
    message: string,
    readonly exitCode: 64 | 70,
  ) {
    super(message)
  }
}

/** What is held out; none if nothing is. A damaged file throws a HeldOutError. */
export function readHeldOut(stateDir: string): readonly HeldFile[] {
  const path = join(heldOutFolder(stateDir), 'files.json')
  if (!existsSync(path)) return []
  const parsed = v.safeParse(manifestSchema, parseJson(path))
  if (parsed.success) return parsed.output.files
  throw new HeldOutError(
    `The list of held-out files in ${path} is damaged. Restore it from a backup, or move it away.`,
    70,
  )
}

/** For checks, which answer in every case: what is held out, or what is wrong with it. */
export function heldFiles(stateDir: string): readonly HeldFile[] | string {
  try {
    return readHeldOut(stateDir)
  } catch (error) {
    if (error instanceof HeldOutError) return error.message
    throw error
  }
}

function parseJson(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, 'utf8'))
  } catch {
    return undefined
  }
}

function store(stateDir: string, files: readonly HeldFile[]): void {
  const folder = heldOutFolder(stateDir)
  if (files.length === 0) {
    rmSync(folder, { recursive: true, force: true })
    return
  }
  makeFolder(folder)
  writeFileAtomic(join(folder, 'files.json'), `${JSON.stringify({ version: 1, files }, null, 1)}\n`)
}

/** Takes files out of the workspace, and of a Markdown plan its examples. Throws before it changes anything if one can't be taken. */
export function holdOut(workspace: string, stateDir: string, paths: readonly string[]): readonly HeldFile[] {
  const before = readHeldOut(stateDir).filter(({ path, lines }) => lines !== undefined || !paths.includes(path))
  const taken = paths.map((path): { file: HeldFile; left?: string } => {
    const text = readTextFile(workspace, path)
    if (text === undefined) throw new HeldOutError(`${path} is not a text file, so it can't be held out.`, 64)
    const { left, lines } = withoutExamples(path, text)
    return lines.length === 0 ? { file: { path, text } } : { file: { path, text, lines: [...lines] }, left }
  })
  const files = taken.map(({ file }) => file)
  // First stored, then removed: nothing is lost if this process ends in between.
  store(stateDir, [...before, ...files])
  for (const { file, left } of taken) {
    if (left === undefined) rmSync(join(workspace, file.path))
    else writeFileAtomic(join(workspace, file.path), left, { mode: 0o644 })
  }
  return files
}

/** What came back, and what could not because another file has that path now. */
export interface Restored {
  readonly files: readonly HeldFile[]
  readonly blocked: readonly string[]
}

/** Puts everything back. A file that exists now with other content is left alone, and its held-out version is kept. */
export function restoreHeldOut(workspace: string, stateDir: string): Restored {
  const held = readHeldOut(stateDir)
  const blocked = held.filter(({ path, text, lines }) => {
    if (lines !== undefined) return false
    return existsSync(join(workspace, path)) && readTextFile(workspace, path) !== text
  })
  const back = held.filter((file) => !blocked.includes(file))
  for (const { path, text, lines } of back) {
    const target = join(workspace, path)
    const now = lines && readTextFile(workspace, path)
    mkdirSync(dirname(target), { recursive: true })
    writeFileAtomic(target, now === undefined ? text : restoredLines(now, lines ?? []), { mode: 0o644 })
  }
  store(stateDir, blocked)
  return { files: back, blocked: blocked.map(({ path }) => path) }
}

/** What the held-out tests printed, for the user only. */
export function keepOutput(stateDir: string, name: string, output: string): void {
  writeFileAtomic(join(heldOutFolder(stateDir), name), output)
}
