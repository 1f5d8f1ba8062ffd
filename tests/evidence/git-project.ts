import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { onTestFinished } from 'vitest'
import type { Workspace } from '../../src/evidence/types.ts'
import { openWorkspace } from '../../src/evidence/workspace.ts'
import { prepareRepository } from '../prepared-repository.ts'

const AUTHOR = { NAME: 'a', EMAIL: 'a@example.com', DATE: '2024-01-01T00:00:00Z' }
const identity = Object.fromEntries(
  Object.entries(AUTHOR).flatMap(([name, value]) => [
    [`GIT_AUTHOR_${name}`, value],
    [`GIT_COMMITTER_${name}`, value],
  ]),
)

/** What vitest.config.ts sets for every git of the tests. */
const settings = Object.fromEntries(
  ['GIT_TEMPLATE_DIR', 'GIT_CONFIG_COUNT', 'GIT_CONFIG_KEY_0', 'GIT_CONFIG_VALUE_0'].map((name) => [
    name,
    process.env[name],
  ]),
)

/** A real project in its own folder, with a state folder next to it that the agent does not know about. */
export interface Project {
  readonly dir: string
  readonly state: string
  readonly workspace: Workspace
  git(...args: string[]): string
  write(files: Readonly<Record<string, string>>): void
  remove(...paths: string[]): void
  text(path: string): string
  commit(message?: string): string
}

/** A new project, removed after the test. Without git when `git` is false. */
export function project(files: Readonly<Record<string, string>>, options: { git?: boolean } = {}): Project {
  const place = realpathSync(mkdtempSync(join(tmpdir(), 'exitgate-project-')))
  // Not a hook of this module: files that share modules would register it only once.
  onTestFinished(() => rmSync(place, { recursive: true, force: true }))
  const dir = join(place, 'work space')
  const state = join(place, 'state')
  mkdirSync(dir)
  const git = (...args: string[]): string => {
    const env = { PATH: process.env.PATH, HOME: place, GIT_CONFIG_NOSYSTEM: '1', ...settings, ...identity }
    const done = spawnSync('git', args, { cwd: dir, encoding: 'utf8', env })
    if (done.status !== 0) throw new Error(`git ${args.join(' ')}: ${done.stderr}`)
    return done.stdout.trim()
  }
  const write = (texts: Readonly<Record<string, string>>) => {
    for (const [path, text] of Object.entries(texts)) {
      mkdirSync(dirname(join(dir, path)), { recursive: true })
      writeFileSync(join(dir, path), text)
    }
  }
  const commit = (message = 'work') => {
    git('add', '-A')
    git('commit', '-q', '--allow-empty', '-m', message)
    return git('rev-parse', 'HEAD')
  }
  write(files)
  if (options.git !== false) {
    prepareRepository(dir, 'project', files, () => {
      git('init', '-q')
      commit('start')
    })
  }
  return {
    dir,
    state,
    workspace: openWorkspace(dir),
    git,
    write,
    remove: (...paths) => {
      for (const path of paths) {
        if (!existsSync(join(dir, path))) throw new Error(`${path} is not there`)
        rmSync(join(dir, path), { recursive: true })
      }
    },
    text: (path) => readFileSync(join(dir, path), 'utf8'),
    commit,
  }
}
