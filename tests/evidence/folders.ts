import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, realpathSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { prepareRepository } from '../prepared-repository.ts'

export function writeFiles(dir: string, files: Readonly<Record<string, string | Uint8Array>>): void {
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(dir, name)), { recursive: true })
    writeFileSync(join(dir, name), content)
  }
}

/** A folder with these files, removed after all tests, because some are made outside a test. Its name contains spaces and non-ASCII characters. */
export function folder(files: Readonly<Record<string, string | Uint8Array>> = {}): string {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'exitgate-')))
  const dir = join(root, 'a folder – größer')
  mkdirSync(dir)
  writeFiles(dir, files)
  return dir
}

const person = { NAME: 'a', EMAIL: 'a@example.com' }
const identity = Object.fromEntries(
  ['AUTHOR', 'COMMITTER'].flatMap((who) =>
    Object.entries(person).map(([what, value]) => [`GIT_${who}_${what}`, value]),
  ),
)

/** git as a user would run it. */
export function git(dir: string, ...args: string[]): string {
  const settings = ['-c', 'protocol.file.allow=always', '-c', 'init.defaultBranch=main']
  const env = { ...process.env, ...identity }
  const done = spawnSync('git', [...settings, ...args], { cwd: dir, encoding: 'utf8', env })
  if (done.status !== 0) throw new Error(`git ${args.join(' ')}: ${done.stderr}`)
  return done.stdout.trim()
}

/** The same, as a repository with everything committed. */
export function repository(files: Readonly<Record<string, string | Uint8Array>> = {}): string {
  const dir = folder(files)
  prepareRepository(dir, 'folder', files, () => {
    git(dir, 'init', '-q')
    git(dir, 'add', '-A')
    git(dir, 'commit', '-q', '--allow-empty', '-m', 'start')
  })
  return dir
}
