import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type { runProject } from '../run-project.ts'

export type Project = ReturnType<typeof runProject>

/** The scripted agent of a preset, playing one of its scenarios. */
export const agentOf = (preset: string, scenario: string): readonly string[] => [
  'sh',
  fileURLToPath(new URL(`${preset}.sh`, import.meta.url)),
  scenario,
]

/** Replaces times, run ids and everything else that differs between runs. */
export const steady = (text: string): string =>
  text
    .replace(/\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}:\d{2}(?:\.\d+)?Z?/g, '<time>')
    .replace(/\b\d{8}-\d{6}-\d+\b/g, '<run>')
    .replace(/^Duration: \d+s$/gm, 'Duration: <n>s')
    .replace(/\b\d+h \d+m\b/g, '<h> <m>')
    .replace(/\bafter \d+ seconds\b/g, 'after <n> seconds')
    .replace(/"\d{10}"/g, '"<seconds>"')
    .replace(/\b[0-9a-f]{64}\b/g, '<hash>')

/** All files in a folder of the workspace, sorted by name. */
export function written(project: Project, folder: string): string {
  const files = readdirSync(join(project.dir, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(project.dir, join(entry.parentPath, entry.name)))
    .sort()
  return steady(
    files
      .map(
        (file) => `=== ${file.replace(/\d{8}(?=\.log$)/, '<day>')}\n${readFileSync(join(project.dir, file), 'utf8')}`,
      )
      .join('\n'),
  )
}

/** The prompt of an iteration. */
export const prompted = (project: Project, iteration: number): string =>
  readFileSync(join(project.root, 'prompts', `${iteration}.md`), 'utf8')

/** The agent starts in order: iteration, then phase or task. */
export const order = (project: Project): readonly string[] =>
  readFileSync(join(project.root, 'prompts', 'order.txt'), 'utf8')
    .trim()
    .split('\n')
    .map((line) => line.trim())

/** Waits until the agent of this iteration is running. */
export async function atWork(project: Project, iteration: number): Promise<void> {
  while (!existsSync(join(project.root, 'prompts', `${iteration}.md`))) await sleep(20)
}

/** Releases an agent that waits for this file. */
export const goAhead = (project: Project): void => writeFileSync(join(project.root, 'go'), '')

/** The banner: the last paragraph of the output. */
export const bannerOf = (stdout: string): string => stdout.slice(stdout.lastIndexOf('\n\n') + 2)
