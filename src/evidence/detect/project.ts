import { resolve } from 'node:path'
import { findProgram } from '../../system/find-program.ts'
import { repositoryPath } from '../../system/git.ts'
import type { Detected, Workspace } from '../types.ts'

/** The workspace as a detector sees it. Nothing is run. */
export interface Project {
  readonly files: readonly string[]
  has(path: string): boolean
  /** Includes files that git ignores, such as a virtual environment. */
  read(path: string): string | undefined
  /** A JSON document that is an object; undefined if it is anything else, or half-written. */
  json(path: string): Readonly<Record<string, unknown>> | undefined
  /** Folders that contain a file of that name, the workspace itself as ''; shallow ones first, none inside another. */
  roots(name: RegExp): readonly string[]
  /** Files of the repository's top folder, if the workspace is a folder below it. */
  readonly above: ReadonlySet<string>
  readonly platform: string
  /** Whether a program can be started from a folder of the workspace. */
  hasProgram(name: string, folder?: string): boolean
}

export type HasProgram = (name: string, folder?: string) => boolean

const isInstalled = (dir: string, name: string, folder = '', platform: string) =>
  findProgram(name, resolve(dir, folder), process.env, platform) !== undefined

/** One ecosystem: the commands it finds in a project. */
export type Detector = (project: Project) => readonly Detected[]

/** Projects inside a project that are not its own: dependencies, and those used by tests or documents. */
const FOREIGN =
  /(?:^|\/)(?:node_modules|vendor|third[_-]party|testdata|(?:__)?fixtures?(?:__)?|examples?|samples?|templates?|demos?|__tests__|tests?|specs?|docs?|bench(?:es|marks?)?|\.[^/]+)\//i

export const join = (folder: string, name: string): string => (folder === '' ? name : `${folder}/${name}`)
const folderOf = (path: string) => path.slice(0, Math.max(0, path.lastIndexOf('/')))
const nameOf = (path: string) => path.slice(path.lastIndexOf('/') + 1)
export const depthOf = (folder: string): number => (folder === '' ? 0 : folder.split('/').length)

/** Lock files and settings that a monorepo keeps at its top. */
const TOP_LEVEL_FILES = [
  'package-lock.json',
  'pnpm-lock.yaml',
  'yarn.lock',
  'bun.lock',
  'bun.lockb',
  'uv.lock',
  'poetry.lock',
]

export async function openProject(
  workspace: Workspace,
  platform: string = process.platform,
  hasProgram: HasProgram = (name, folder) => isInstalled(workspace.dir, name, folder, platform),
): Promise<Project> {
  // At the top of the repository, the list has them.
  const isTop = repositoryPath(workspace.dir)?.prefix === ''
  const tracked = ['ls-files', '--full-name', '--', ...TOP_LEVEL_FILES.map((name) => `:(top)${name}`)]
  const [files, above] = await Promise.all([workspace.list(), isTop ? undefined : workspace.git(tracked)])
  const known = new Set(files)
  const texts = new Map<string, string | undefined>()
  const read = (path: string) => {
    if (!texts.has(path)) texts.set(path, workspace.read(path))
    return texts.get(path)
  }
  return {
    files,
    has: (path) => known.has(path),
    read,
    json: (path) => parse(read(path)),
    roots: (name) => rootsOf(files, name),
    above: new Set(above?.split('\n')),
    platform,
    hasProgram,
  }
}

/** Some of them allow comments and trailing commas; a broken document counts as missing. */
function parse(text: string | undefined): Readonly<Record<string, unknown>> | undefined {
  if (text === undefined) return undefined
  for (const candidate of [text, withoutComments(text)]) {
    try {
      const value: unknown = JSON.parse(candidate)
      return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : undefined
    } catch {
      // The next candidate may parse.
    }
  }
  return undefined
}

const withoutComments = (text: string) =>
  text
    .replace(/("(?:[^"\\\n]|\\.)*")|\/\/[^\n]*|\/\*[^*]*\*+(?:[^/*][^*]*\*+)*\//g, '$1')
    .replace(/("(?:[^"\\\n]|\\.)*")|,(?=\s*[}\]])/g, '$1')

function rootsOf(files: readonly string[], name: RegExp): readonly string[] {
  const folders = files.filter((path) => name.test(nameOf(path)) && !FOREIGN.test(path)).map(folderOf)
  const sorted = [...new Set(folders)].sort((a, b) => depthOf(a) - depthOf(b) || (a < b ? -1 : 1))
  const chosen: string[] = []
  for (const folder of sorted) {
    if (!chosen.some((root) => root === '' || folder.startsWith(`${root}/`))) chosen.push(folder)
  }
  return chosen
}

/** The files of a folder, relative to it. */
export function below(project: Project, folder: string): readonly string[] {
  if (folder === '') return project.files
  const start = `${folder}/`
  return project.files.filter((path) => path.startsWith(start)).map((path) => path.slice(start.length))
}

/** The string values of an object, without anything from its prototype. */
export function stringsOf(value: unknown): Readonly<Record<string, string>> {
  const texts = Object.create(null) as Record<string, string>
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return texts
  for (const [name, text] of Object.entries(value)) if (typeof text === 'string') texts[name] = text
  return texts
}
